// Sessions that a store has under the names of earlier versions. Those versions escaped nothing, so
// two sessions could have the same name. A session keeps its sequence numbers and messages if no
// other session can own the stored name. Otherwise it is refused, because nothing shows which
// session the numbers belong to.
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/ground/loop_context.hpp"
#include "engine/link/io.hpp"
#include "engine/session/registry/session_registry.hpp"

namespace nexusfix::engine {
namespace {

using Keys = std::map<std::string, store::SessionKey, std::less<>>;

Keys keys_of(const store::Store& store) {
  Keys keys;
  for (store::SessionKey key = 0; key < store.session_count(); ++key) {
    keys.emplace(store.session_name(key), key);
  }
  return keys;
}

// A name that is also valid in the present form, not only in that of earlier versions.
bool may_be_present_name(std::string_view name) {
  const auto id = session::SessionId::parse(name);
  return id && id->former_name() != name;
}

std::string doubt_text(const std::string& former, const std::vector<std::string>& sessions) {
  std::string text = "the store has " + former + ", as earlier versions called ";
  for (const std::string& one : sessions) text += (one == sessions.front() ? "" : " and ") + one;
  if (sessions.size() == 1) text += ", or as another session is called now";
  return text +
         ": the store does not say which of them has these sequence numbers. Either start once "
         "with a configuration that has only the session with these sequence numbers. Or give each "
         "other session new ones: nexusfix journal set FOLDER SESSION --new --next-in 1 --next-out "
         "1";
}

}  // namespace

store::StoreResult<void> SessionRegistry::adopt_former_names(
    std::span<const SessionSettings> sessions) {
  // The sessions by the former name in the store.
  std::map<std::string, std::vector<std::string>> claims;
  Keys keys;
  for (const SessionSettings& one : sessions) {
    std::string former = one.session.id.former_name();
    std::string name = one.session.id.to_string();
    if (one.is_template || former == name) continue;
    if (keys.empty()) keys = keys_of(commit_.store());
    if (!keys.contains(name) && keys.contains(former)) {
      claims[std::move(former)].push_back(std::move(name));
    }
  }
  if (claims.empty()) return {};
  std::set<std::string, std::less<>> is_there;
  const auto claim = [&](const std::string& name) {
    const auto found = claims.find(name);
    if (found != claims.end() && is_there.insert(name).second) found->second.push_back(name);
  };
  for (const SessionSettings& one : sessions) {
    if (!one.is_template) claim(one.session.id.to_string());
  }
  for (const auto& entry : entries_) claim(entry->name);
  for (auto& [former, names] : claims) {
    if (names.size() > 1 || may_be_present_name(former)) {
      const std::string text = doubt_text(former, names);
      for (const std::string& name : names) {
        if (find_entry(name) == nullptr) doubtful_names_.insert_or_assign(name, text);
      }
      continue;
    }
    const auto renamed =
        commit_.store().rename_session(keys.find(former)->second, names.front(), loop_.now().wall);
    if (!renamed) return renamed;
    loop_.report.session(EventId::FormerNameAdopted, names.front(),
                         "the session continues what the store has of " + former +
                             ", as earlier versions called it");
  }
  return {};
}

}  // namespace nexusfix::engine
