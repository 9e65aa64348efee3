#include <functional>
#include <map>
#include <set>
#include <utility>

#include <nexusfix/config/changed_keys.hpp>

#include "config/build/log_settings.hpp"
#include "config/build/session_settings.hpp"
#include "config/keys/config_keys.hpp"
#include "config/text/settings_file.hpp"
#include "config/text/settings_values.hpp"

namespace nexusfix::config {

// What a text says, by the names of its sessions. The sections point into the text.
class FileKeys::Read {
 public:
  explicit Read(std::string_view text);
  // A template is found by its name: "FIX.4.4:VENUE->*". Null: the text has no such session.
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

constexpr Key kOfTimetable[] = {
    Key::NonStopSession, Key::StartTime, Key::EndTime,      Key::StartDay, Key::EndDay,
    Key::Weekdays,       Key::LogonTime, Key::LogoutTime,   Key::LogonDay, Key::LogoutDay,
    Key::ResetSeqTime,   Key::TimeZone,  Key::UseLocalTime, Key::Holidays, Key::HolidayFile};

session::SessionId identity_of(const MergedSection& keys) {
  session::SessionId id;
  keys.read_into(Key::BeginString, id.begin_string);
  keys.read_into(Key::SenderCompID, id.sender_comp_id);
  keys.read_into(Key::TargetCompID, id.target_comp_id);
  keys.read_into(Key::SessionQualifier, id.qualifier);
  keys.read_into(Key::SenderSubID, id.sender_sub_id);
  keys.read_into(Key::SenderLocationID, id.sender_location_id);
  keys.read_into(Key::TargetSubID, id.target_sub_id);
  keys.read_into(Key::TargetLocationID, id.target_location_id);
  return id;
}

// Of a key with numbers all of them, of any other one its value; empty: it is not given.
std::string value_of(const MergedSection& keys, Key key) {
  const auto* const own = keys.section().numbered(key);
  if (own == nullptr) {
    const std::optional<Given>& given = keys.find(key);
    return given ? "=" + std::string{given->value} : std::string{};
  }
  std::map<unsigned, Given> all = *own;
  const auto* const defaults = keys.defaults().numbered(key);
  all.insert(defaults->begin(), defaults->end());
  std::string text;
  for (const auto& [number, given] : all) {
    ((text += std::to_string(number)) += '=') += std::string{given.value} + '\n';
  }
  return text;
}

void take_key(Section& to, const Section& from, Key key) {
  if (auto* const numbered = to.numbered(key)) {
    *numbered = *from.numbered(key);
  } else if (const std::optional<Given>& given = from.own(key)) {
    to.given[key] = given;
  }
}

// ConnectionType, alone of those of the next start, is the session's own: it counts with the keys
// of the next Logon when the session comes back. The others are the engine's.
const FileKeys::Read& source_of(const KeySources& sources, Key key) {
  if (key == Key::ConnectionType) return sources.logon->read();
  switch (takes_effect(key)) {
    case TakesEffect::NextLogon:
      return sources.logon->read();
    case TakesEffect::NextStart:
      return sources.start->read();
    case TakesEffect::AtOnce:
    case TakesEffect::OtherSession:
    case TakesEffect::Unset:
      break;
  }
  return sources.now->read();
}

void note(ChangedKeys& changed, Key key) {
  const std::string name{key_name(key)};
  switch (takes_effect(key)) {
    case TakesEffect::NextLogon:
      return changed.at_logon.push_back(name);
    case TakesEffect::NextStart:
      return changed.at_start.push_back(name);
    case TakesEffect::AtOnce:
    case TakesEffect::OtherSession:
    case TakesEffect::Unset:
      return changed.at_once.push_back(name);
  }
}

// Those of the program's own.
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
    bool is_dynamic = false;
    keys.read_into(Key::DynamicSessions, is_dynamic);
    if (!is_dynamic) continue;
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

ChangedKeys changed_keys(const KeySources& counting, const FileKeys& text,
                         std::string_view session) {
  ChangedKeys changed;
  const Section* const after = text.read().find(session);
  if (after == nullptr) return changed;
  const MergedSection new_keys{text.read().defaults(), *after};
  for (std::size_t i = 1; i < kKeyCount; ++i) {
    const auto key = static_cast<Key>(i);
    const FileKeys::Read& source = source_of(counting, key);
    const Section* const before = source.find(session);
    if (before == nullptr || &source == &text.read()) continue;
    if (value_of({source.defaults(), *before}, key) != value_of(new_keys, key)) note(changed, key);
  }
  if (const Section* const before = counting.now->read().find(session)) {
    compare_application({counting.now->read().defaults(), *before}, new_keys, changed);
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
  for (std::size_t i = 1; i < kKeyCount; ++i) {
    const auto key = static_cast<Key>(i);
    if (std::ranges::find(kOfTimetable, key) != std::end(kOfTimetable)) continue;
    const FileKeys::Read& source = source_of(sources, key);
    const Section* const section = source.find(session);
    if (section == nullptr) return std::nullopt;
    take_key(own, *section, key);
    take_key(defaults, source.defaults(), key);
  }
  SettingsReport report{{}};
  Settings shared;  // What belongs to the whole engine is not taken from here.
  LogBuilder logs{shared, report};
  Calendars calendars{nullptr};
  const MergedSection keys{defaults, own};
  SessionSettings built = build_session(keys, report, calendars);
  logs.take(keys, built);
  if (report.has_errors()) return std::nullopt;
  return built;
}

void give_what_was_read(SessionSettings& session, const SessionSettings& source) {
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
