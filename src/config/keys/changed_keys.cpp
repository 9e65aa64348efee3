#include "config/api/changed_keys.hpp"

#include <functional>
#include <map>
#include <set>
#include <utility>

#include "config/build/log_settings.hpp"
#include "config/build/session_settings.hpp"
#include "config/keys/find_key.hpp"
#include "config/text/settings_file.hpp"
#include "config/text/settings_values.hpp"

namespace nexusfix::config {

// The sections of a text, by the names of its sessions. They point into the text.
class FileKeys::Read {
 public:
  explicit Read(std::string_view text);
  // Null: the text has no such session.
  [[nodiscard]] const Section* find(std::string_view session) const {
    const auto found = by_name_.find(session);
    return found == by_name_.end() ? nullptr : &sections_.sessions[found->second];
  }
  [[nodiscard]] const Section& defaults() const noexcept { return sections_.defaults; }

 private:
  Sections sections_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

namespace {

session::SessionId identity_of(const MergedSection& keys) {
  SessionSettings settings;
  for (const Key key : all_keys()) {
    if (key.row().effect == TakesEffect::OtherSession) keys.set(key, settings);
  }
  return std::move(settings.session.id);
}

// With its numbers; empty: it is not given.
std::string value_of(const MergedSection& keys, Key key) {
  std::string text;
  for (const auto& [number, given] : keys.numbered(key)) {
    ((text += std::to_string(number)) += '=') += std::string{given.value} + '\n';
  }
  return text;
}

void copy_key(Section& to, const Section& from, Key key) {
  for (const auto& [place, given] : from.given) {
    if (place.first == key) to.put(key, place.second, given);
  }
}

// The keys of the next start are the engine's, except ConnectionType. It is the session's own, and
// takes effect with the keys of the next Logon when the session is added again.
const FileKeys::Read& source_of(const KeySources& sources, Key key) {
  if (key == "ConnectionType") return sources.logon->read();
  switch (key.row().effect) {
    case TakesEffect::NextLogon:
      return sources.logon->read();
    case TakesEffect::NextStart:
      return sources.start->read();
    case TakesEffect::AtOnce:
    case TakesEffect::OtherSession:
      break;
  }
  return sources.now->read();
}

void note(ChangedKeys& changed, Key key) {
  const std::string name{key.name()};
  switch (key.row().effect) {
    case TakesEffect::NextLogon:
      return changed.at_logon.push_back(name);
    case TakesEffect::NextStart:
      return changed.at_start.push_back(name);
    case TakesEffect::AtOnce:
    case TakesEffect::OtherSession:
      return changed.at_once.push_back(name);
  }
}

// The application's own keys.
void compare_application(const MergedSection& left, const MergedSection& right,
                         ChangedKeys& changed) {
  const auto before = left.application();
  const auto after = right.application();
  std::set<std::string> names;
  for (const auto& [name, one] : before) {
    const auto other = after.find(name);
    if (other == after.end() || other->second.given.value != one.given.value) {
      names.emplace(one.name);
    }
  }
  for (const auto& [name, one] : after) {
    if (!before.contains(name)) names.emplace(one.name);
  }
  changed.at_once.insert(changed.at_once.end(), names.begin(), names.end());
}

}  // namespace

FileKeys::Read::Read(std::string_view text) {
  SettingsReport report{{}};
  std::optional<Sections> read = read_sections(text, report);
  if (!read) return;
  sections_ = std::move(*read);
  for (std::size_t i = 0; i < sections_.sessions.size(); ++i) {
    const MergedSection keys{sections_.defaults, sections_.sessions[i]};
    session::SessionId id = identity_of(keys);
    by_name_.emplace(id.to_string(), i);
    if (!keys.says_yes("DynamicSessions")) continue;
    id.sender_comp_id = id.target_comp_id = "*";
    by_name_.emplace(id.to_string(), i);
  }
}

FileKeys::FileKeys(Text text)
    : text_{std::move(text)}, read_{std::make_unique<const Read>(*text_)} {}
FileKeys::~FileKeys() = default;
FileKeys::FileKeys(FileKeys&&) noexcept = default;
FileKeys& FileKeys::operator=(FileKeys&&) noexcept = default;
bool FileKeys::has(std::string_view session) const { return read_->find(session) != nullptr; }

ChangedKeys changed_keys(const KeySources& in_effect, const FileKeys& text,
                         std::string_view session) {
  ChangedKeys changed;
  const Section* const after = text.read().find(session);
  if (after == nullptr) return changed;
  const MergedSection new_keys{text.read().defaults(), *after};
  for (const Key key : all_keys()) {
    const FileKeys::Read& source = source_of(in_effect, key);
    const Section* const before = source.find(session);
    if (before == nullptr || &source == &text.read()) continue;
    if (value_of({source.defaults(), *before}, key) != value_of(new_keys, key)) note(changed, key);
  }
  if (const Section* const before = in_effect.now->read().find(session)) {
    compare_application({in_effect.now->read().defaults(), *before}, new_keys, changed);
  }
  return changed;
}

std::optional<SessionSettings> session_of(const KeySources& sources, std::string_view session) {
  const Section* const newest = sources.now->read().find(session);
  if (newest == nullptr) return std::nullopt;
  Section defaults;
  Section own;
  own.line = newest->line;
  own.application = newest->application;
  defaults.application = sources.now->read().defaults().application;
  for (const Key key : all_keys()) {
    if (key.row().group == "schedule") continue;  // read from files
    const FileKeys::Read& source = source_of(sources, key);
    const Section* const section = source.find(session);
    if (section == nullptr) return std::nullopt;
    copy_key(own, *section, key);
    copy_key(defaults, source.defaults(), key);
  }
  SettingsReport report{{}};
  LogBuilder logs{report};
  Calendars calendars{nullptr};
  const MergedSection keys{defaults, own};
  SessionSettings built = build_session(keys, report, calendars);
  logs.take(keys, built.log);
  if (report.has_errors()) return std::nullopt;
  return built;
}

void copy_parts_from_files(SessionSettings& session, const SessionSettings& source) {
  session.schedule = source.schedule;
  session.session.validation.validator = source.session.validation.validator;
  session.session.validation.application_validators =
      source.session.validation.application_validators;
  session.session.validation.memory = source.session.validation.memory;
  if (!session.tls) return;
  std::shared_ptr<transport::TlsContext> context;
  if (source.accept) context = source.accept->tls;
  if (!source.connect.empty()) context = source.connect.front().tls;
  if (session.accept) session.accept->tls = context;
  for (transport::Endpoint& endpoint : session.connect) endpoint.tls = context;
}

std::string joined_keys(const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) (text += text.empty() ? "" : ", ") += key;
  return text;
}

}  // namespace nexusfix::config
