#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <nexusfix/engine/settings.hpp>

#include "engine/session_settings.hpp"
#include "engine/settings_section.hpp"
#include "engine/settings_text.hpp"
#include "engine/store_settings.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::size_t kFileBytesMax = 16U << 20U;
constexpr std::size_t kSessionsMax = 10'000;

// Reports sessions of one identity, which could not be told apart.
void check_identities(const std::vector<SessionSettings>& sessions, SettingsReport& report) {
  std::map<session::SessionId, std::size_t> lines;
  for (const SessionSettings& settings : sessions) {
    const session::SessionId& id = settings.session.id;
    // What is missing has been reported.
    if (id.begin_string.empty() || id.sender_comp_id.empty() || id.target_comp_id.empty()) continue;
    const auto [place, added] = lines.emplace(id, settings.line);
    if (added) continue;
    report.error(settings.line,
                 "[SESSION]: the same BeginString, SenderCompID, TargetCompID and SessionQualifier "
                 "as the session in line " +
                     std::to_string(place->second));
  }
}

std::expected<Settings, SettingsErrors> parse(std::string_view text, std::string_view file_name,
                                              Disk* disk) {
  SettingsReport report{file_name};
  Settings settings;
  settings.file = file_name;
  if (text.size() > kFileBytesMax) {
    report.error(0, "larger than 16 MiB; a configuration was expected");
    return std::unexpected{report.take_errors()};
  }
  Section defaults;
  std::vector<Section> sessions;
  for (const SettingsSection& section : split_settings(text, report)) {
    // Sections that are ignored are read too: one that asks for TLS is no reason to go without.
    Section read = read_section(section, report);
    if (section.kind == SectionKind::Default) defaults = std::move(read);
    if (section.kind == SectionKind::Session) sessions.push_back(std::move(read));
    if (sessions.size() > kSessionsMax) {
      report.error(section.line, "more than 10,000 sessions");
      return std::unexpected{report.take_errors()};
    }
  }
  if (sessions.empty()) {
    report.error(0, "no [SESSION]; at least one was expected");
    return std::unexpected{report.take_errors()};
  }
  Calendars calendars{disk};
  StoreBuilder store{settings, report};
  for (const Section& section : sessions) {
    const MergedSection keys{defaults, section};
    settings.sessions.push_back(build_session(keys, report, calendars));
    store.take(keys);
  }
  store.finish(sessions.front().line);
  check_identities(settings.sessions, report);
  settings.warnings = report.take_warnings();
  if (report.has_errors()) {
    // A misspelt key is often why another one is missing, so it belongs to the answer.
    SettingsErrors errors = report.take_errors();
    std::copy_if(settings.warnings.begin(), settings.warnings.end(), std::back_inserter(errors),
                 [](const SettingsError& warning) {
                   return warning.text.find(kUnknownKey) != std::string::npos;
                 });
    return std::unexpected{std::move(errors)};
  }
  return settings;
}

}  // namespace

std::string SettingsError::what() const {
  return line == 0 ? file + ": " + text : file + ":" + std::to_string(line) + ": " + text;
}

std::expected<Settings, SettingsErrors> parse_settings(std::string_view text,
                                                       std::string_view file_name) {
  return parse(text, file_name, nullptr);
}

std::expected<Settings, SettingsErrors> load_settings(Disk& disk, const std::string& path) {
  const DiskResult<std::string> text = read_file(disk, path, kFileBytesMax);
  if (text) return parse(*text, path, &disk);
  return std::unexpected{
      SettingsErrors{{path, 0, "the configuration cannot be read: " + text.error().what()}}};
}

}  // namespace nexusfix::engine
