#include "engine/session/registry/dynamic_sessions.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <nexusfix/base/ascii.hpp>

#include "engine/ground/undo_guard.hpp"
#include "engine/session/admission_rules.hpp"
#include "engine/session/sessions.hpp"
#include "session/api/logon_identity.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::size_t kCompIdBytesMax = 64;

// A CompID of an unauthenticated peer becomes part of names: in the store, in logs, and of files.
bool may_be_named(std::string_view comp_id) noexcept {
  return !comp_id.empty() && comp_id.size() <= kCompIdBytesMax && comp_id != "." &&
         comp_id != ".." && std::ranges::all_of(comp_id, [](char byte) {
           constexpr std::string_view kOthers = "._-+@#$%&=()[]";
           return is_alphanumeric(byte) || kOthers.find(byte) != std::string_view::npos;
         });
}

}  // namespace

// Null: no template matches this identity, or its CompIDs are not allowed in names.
const SessionTemplate* DynamicSessions::template_for(const Connection& connection,
                                                     const session::SessionId& id) {
  const SessionTemplate* const found = sessions_.templates.find(connection.accepted().listener, id);
  const bool is_allowed = found != nullptr && may_be_named(id.sender_comp_id) &&
                          may_be_named(id.target_comp_id) &&
                          sessions_.registry.find_entry(id.to_string()) == nullptr;
  return is_allowed ? found : nullptr;
}

// Makes a session for an unknown client if a template matches. The address is checked first,
// because each name takes a place. A removed session is not made again for its counterparty.
SessionEntry* DynamicSessions::make_dynamic(const Connection& connection,
                                            const session::SessionId& id) {
  const SessionTemplate* const found = template_for(connection, id);
  if (found == nullptr ||
      !may_come_from(found->settings, loop_.network->peer_name(connection.socket_id()))) {
    return nullptr;
  }
  // With a wrong password LogonAdmission::bind() would refuse the Logon, but the session would
  // stay.
  if (!found->settings.credentials.password_file.empty() && !connection.credentials().are_right()) {
    return nullptr;
  }
  const std::string name = id.to_string();
  SessionSettings settings = found->settings;
  settings.is_template = false;
  settings.session.id = id;
  if (const auto adopted = sessions_.registry.adopt_former_names({&settings, 1}); !adopted) {
    loop_.report.unauthenticated(EventId::SessionNotStored, connection.accepted().source, name,
                                 adopted.error().text);
    return nullptr;
  }
  if (!has_dynamic_place(connection, name)) return nullptr;
  SessionEntry* made = nullptr;
  UndoGuard undo{[&] {
    if (made != nullptr) sessions_.registry.destroy(*made);
    names_.disconnect(name, {});
  }};
  const auto entry = make_trial(std::move(settings));
  if (!entry) {
    loop_.report.unauthenticated(EventId::SessionNotStored, connection.accepted().source, name,
                                 entry.error().text);
    return nullptr;
  }
  made = *entry;
  begin_dynamic(*made, connection, *found);
  undo.keep();
  return made;
}

void DynamicSessions::begin_dynamic(SessionEntry& entry, const Connection& connection,
                                    const SessionTemplate& made_of) {
  entry.acceptor.listen_at(connection.accepted().listener);
  entry.membership.set_dynamic();
  entry.file.configure(made_of.settings.session.id.to_string(), made_of.origin);
  std::string made = "session made of the template in line " +
                     std::to_string(made_of.settings.line) + ", for " +
                     loop_.network->peer_name(connection.socket_id());
  if (entry.stored.trial_ != nullptr) {
    entry.stored.trial_->made = std::move(made);  // reported after its Logon, in its own log
  } else {
    loop_.report.unauthenticated(EventId::SessionMadeOfTemplate, connection.accepted().source,
                                 entry.name, made);
  }
}

void DynamicSessions::forget(SessionEntry& entry) noexcept {
  if (entry.stored.trial_ != nullptr) names_.disconnect(entry.name, entry.stored.trial_->numbers);
}

}  // namespace nexusfix::engine
