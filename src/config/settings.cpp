#include "config/api/settings.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "config/api/explain_settings.hpp"
#include "config/build/log_settings.hpp"
#include "config/build/session_settings.hpp"
#include "config/build/shared_keys.hpp"
#include "config/build/store_settings.hpp"
#include "config/build/tls_settings.hpp"
#include "config/keys/find_key.hpp"
#include "config/text/settings_file.hpp"
#include "config/text/settings_section.hpp"
#include "config/text/settings_text.hpp"
#include "config/text/settings_values.hpp"
#include "config/text/settings_variables.hpp"

namespace nexusfix::config {
namespace {

constexpr std::size_t kFileBytesMax = 16U << 20U;
constexpr std::size_t kSessionsMax = 100'000;
constexpr std::size_t kStoredNameBytesMax = 1'024;  // see Store::open_session()

// Reports sessions with one identity.
void check_identities(const std::vector<SessionSettings>& sessions, SettingsReport& report) {
  std::map<session::SessionId, std::size_t> lines;
  for (const SessionSettings& settings : sessions) {
    const session::SessionId& id = settings.session.id;
    // A missing part has been reported.
    if (settings.is_template || id.begin_string.empty() || id.sender_comp_id.empty() ||
        id.target_comp_id.empty())
      continue;
    if (const std::size_t bytes = id.to_string().size(); bytes > kStoredNameBytesMax) {
      report.error(settings.line,
                   "[SESSION]: its name of CompIDs, SubIDs, LocationIDs and "
                   "qualifier has " +
                       std::to_string(bytes) + " bytes, and a store takes " +
                       std::to_string(kStoredNameBytesMax));
    }
    const auto [place, added] = lines.emplace(id, settings.line);
    if (added) continue;
    report.error(settings.line,
                 "[SESSION]: the same BeginString, SenderCompID, TargetCompID and SessionQualifier "
                 "as the session in line " +
                     std::to_string(place->second) +
                     (settings.session.role == session::Role::Initiator
                          ? "; SessionQualifier=2 in one of them makes them different"
                          : ""));
  }
}

void add_application_keys(const SettingsSection& section, ApplicationKeys& keys) {
  for (const SettingsEntry& entry : section.entries) {
    const KeyRule* const rule = find_key(entry.key).rule;
    if (rule != nullptr && rule->key == "ApplicationKeys") keys.add(entry.value);
  }
}

// The keys of [DEFAULT], for all sections.
ApplicationKeys application_keys_of(const std::vector<SettingsSection>& sections) {
  ApplicationKeys keys;
  for (const SettingsSection& section : sections) {
    if (section.kind == SectionKind::Default) add_application_keys(section, keys);
  }
  return keys;
}

void check_loops(const Settings& settings, std::size_t line, SettingsReport& report) {
  for (const SessionSettings& one : settings.sessions) {
    if (!one.event_loop || *one.event_loop < settings.event_loops) continue;
    report.error(one.line, "[SESSION]: EventLoop=" + std::to_string(*one.event_loop) +
                               ", and there are " + std::to_string(settings.event_loops) +
                               " EventLoops, counted from 0");
  }
  if (settings.event_loops > 1 && settings.store == StoreKind::PostgreSQL) {
    report.error(line,
                 "EventLoops above 1 with Store=postgresql: one loop writes one log. Run an engine "
                 "for each loop, with a PostgreSQLStoreSchema of its own");
  }
}

// EventLoopCpu has a CPU for each event loop.
void check_threads(Settings& settings, const SharedKeys& keys, SettingsReport& report) {
  ThreadSettings& threads = settings.threads;
  if (keys.says_no("BusySpin")) threads.busy_poll = std::chrono::microseconds{0};
  if (const Given* lock = keys.find("LockMemory")) threads.lock_memory_line = lock->line;
  const Given* const cpus = keys.find("EventLoopCpu");
  if (cpus == nullptr) return;
  threads.cpus_line = cpus->line;
  if (threads.cpus.size() == settings.event_loops) return;
  report.error(cpus->line, "EventLoopCpu=" + std::string{cpus->value} + ": " +
                               std::to_string(settings.event_loops) +
                               (settings.event_loops == 1 ? " CPU was" : " CPUs were") +
                               " expected, one for each of EventLoops");
}

// DynamicSessions: another counterparty gets a session of its own, like this one.
void add_any(Settings& settings, const MergedSection& keys) {
  if (!keys.says_yes("DynamicSessions") || !settings.sessions.back().accept) return;
  SessionSettings any = settings.sessions.back();
  any.is_template = true;
  any.session.id.sender_comp_id = "*";
  any.session.id.target_comp_id = "*";
  settings.sessions.push_back(std::move(any));
}

// The first line with a password in the file itself, and not in a variable.
std::optional<std::size_t> line_of_password(const Sections& sections) {
  std::optional<std::size_t> line;
  const auto note = [&](const Given& given) {
    line = std::min(line.value_or(given.line), given.line);
  };
  const auto look_at = [&](const Section& section) {
    for (const auto& [place, given] : section.given) {
      const Key key = place.first;
      if (!key.row().rule.is_secret || given.value.empty() || !given.written.empty()) continue;
      if (key != "PostgreSQLStoreConnection" || given.value.contains("password=")) note(given);
    }
    for (const auto& [name, value] : section.application) {
      if (!sounds_like_security(name) || value.given.value.empty()) continue;
      if (value.given.written.empty()) note(value.given);
    }
  };
  look_at(sections.defaults);
  for (const Section& section : sections.sessions) look_at(section);
  return line;
}

// A warning, not an error: older files were written without this check.
void check_is_private(Disk& disk, const std::string& path, const Sections& sections,
                      SettingsReport& report) {
  const auto line = line_of_password(sections);
  if (!line || disk.is_private(path).value_or(true)) return;
  report.warning(*line, "a password, in a file that others than its owner may read: chmod 600 " +
                            path + ", or a variable of the environment (ExpandVariables=Y)");
}

std::expected<Settings, SettingsErrors> build(const Sections& sections, std::string_view file_name,
                                              SettingsReport& report, Disk* disk) {
  Settings settings;
  settings.file = file_name;
  Calendars calendars{disk};
  SharedKeys shared{report};
  LogBuilder logs{report};
  std::size_t loops_line = 0;
  settings.sessions.reserve(sections.sessions.size());
  for (const Section& section : sections.sessions) {
    const MergedSection keys{sections.defaults, section};
    shared.take(keys);
    keys.set_all(settings);
    if (const Given* given = keys.valid("EventLoops")) loops_line = given->line;
    settings.sessions.push_back(build_session(keys, report, calendars));
    logs.take(keys, settings.sessions.back().log);
    if (const Given* given = keys.valid("JournalInbound")) {
      settings.sessions.back().journals_inbound_line = given->line;
    }
    add_any(settings, keys);
  }
  logs.finish();
  shared.set_all(settings);
  build_store(settings, shared, sections.sessions.front().line, sections.folder, report);
  build_cluster(settings, shared, report);
  check_threads(settings, shared, report);
  build_web(settings.web, shared, report);
  check_identities(settings.sessions, report);
  check_loops(settings, loops_line, report);
  check_shared_ports(settings.sessions, report);
  if (disk != nullptr) check_is_private(*disk, settings.file, sections, report);
  settings.warnings = report.consume_warnings();
  if (!report.has_errors()) return settings;
  // A misspelt key is often the reason for a missing one, so it belongs to the answer.
  SettingsErrors errors = report.consume_errors();
  std::ranges::copy_if(settings.warnings, std::back_inserter(errors), is_unknown_key);
  return std::unexpected{std::move(errors)};
}

std::expected<Settings, SettingsErrors> parse(std::string_view text, std::string_view file_name,
                                              Disk* disk) {
  SettingsReport report{file_name};
  const std::optional<Sections> sections = read_sections(text, report);
  if (!sections) return std::unexpected{report.consume_errors()};
  return build(*sections, file_name, report, disk);
}

std::expected<std::string, SettingsErrors> read_text(Disk& disk, const std::string& path) {
  DiskResult<std::string> text = read_regular_file(disk, path, kFileBytesMax);
  if (text) return std::move(*text);
  return std::unexpected{
      SettingsErrors{{path, 0, "the configuration cannot be read: " + text.error().what()}}};
}

// "554=..." for a LogonTag: the field may be shown, but its value may be a password.
std::string masked(const Given& given) {
  const bool has_tag = given.is_valid && given.value.find('=') != std::string_view::npos;
  return std::string{has_tag ? given.value.substr(0, given.value.find('=') + 1) : ""} + "...";
}

// The text of a secret may contain more than the name of a variable.
std::string written(const KeyDescription& key, const Given& given) {
  if (given.written.empty() || key.is_secret)
    return std::string{given.written.empty() ? "" : "..."};
  return std::string{given.written};
}

ExplainedSession explain(const MergedSection& keys, std::string name) {
  ExplainedSession session{std::move(name), keys.line(), {}};
  for (std::size_t i = 0; i < kKeyRows.size(); ++i) {
    const Key key = Key::at(i);
    const KeyDescription& description = described_keys()[i];
    const auto all = keys.numbered(key);
    for (const auto& [number, given] : all) {
      std::string value{given.value};
      if (description.is_secret) value = key == "LogonTag" ? masked(given) : "...";
      session.values.push_back({&description, std::move(value), given.line,
                                keys.section().own(key, number) == nullptr,
                                written(description, given)});
      if (number != 0) session.values.back().numbered = numbered_name(key, number);
    }
    if (all.empty()) {
      session.values.push_back({&description, std::string{description.fallback}, 0, false, {}});
    }
  }
  for (const auto& [application_key, value] : keys.application()) {
    session.application_keys.push_back({std::string{value.name}, value.given.line});
  }
  return session;
}

void set_effective(ExplainedSession& session, Key key, std::string_view value,
                   const SessionTls::Origin& origin) {
  for (EffectiveValue& one : session.values) {
    if (one.key->name != key.name() || one.line != 0) continue;
    one.value = value;
    one.because = std::string{origin.key} + " in line " + std::to_string(origin.line);
  }
}

// Shows the values of TLS keys that another key implies.
void explain_tls(ExplainedSession& session, const SessionTls& tls) {
  const auto origin_of = [&](transport::TlsItem item) {
    return tls.origins[static_cast<std::size_t>(item)];
  };
  for (const Key key : {Key{"SocketUseSSL"}, Key{"SSLEnable"}}) {
    set_effective(session, key, "Y", origin_of(transport::TlsItem::Build));
  }
  const auto level = tls.settings.client_certificate;
  if (level != transport::ClientCertificate::Required) return;
  const SessionTls::Origin authorities = origin_of(transport::TlsItem::Authorities);
  set_effective(session, "NeedClientAuth", "Y", authorities);
}

void explain_store(ExplainedSession& session, StoreKind store) {
  if (store == StoreKind::Journal) return;
  for (EffectiveValue& one : session.values) {
    if (one.key->name == "FileStorePath" && one.line == 0) one.value.clear();
  }
}

void explain_role(ExplainedSession& session, const MergedSection& keys) {
  const auto implied = implied_role(keys);
  if (!implied) return;
  set_effective(session, "ConnectionType",
                implied->role == session::Role::Acceptor ? "acceptor" : "initiator",
                {implied->key, implied->line});
}

}  // namespace

std::optional<Sections> read_sections(std::string_view text, SettingsReport& report) {
  if (text.size() > kFileBytesMax) {
    report.error(0, "larger than 16 MiB; a configuration was expected");
    return std::nullopt;
  }
  Sections result;
  std::vector<SettingsSection> read_text = split_settings(text, report);
  if (read_text.empty() && report.has_errors()) return std::nullopt;  // not a text
  expand_variables(read_text, result.texts, report);
  bool is_role_lost = false;
  const ApplicationKeys of_all = application_keys_of(read_text);
  for (const SettingsSection& section : read_text) {
    // Ignored sections are read as well: TLS that is asked for there must not be missing silently.
    ApplicationKeys own = of_all;
    if (section.kind == SectionKind::Session) add_application_keys(section, own);
    Section read = read_section(section, own, report);
    const bool is_ignored = section.kind == SectionKind::Ignored;
    if (read.has_lost_folder || (is_ignored && read.own("FileStorePath"))) {
      result.folder = FolderMeant::Lost;
    }
    is_role_lost |= read.has_lost_role || (is_ignored && read.own("ConnectionType"));
    if (is_ignored) {
      refuse_tls_of(read, report);
    } else if (section.kind == SectionKind::Session) {
      result.sessions.push_back(std::move(read));
    } else {
      result.defaults = std::move(read);
    }
    if (result.sessions.size() > kSessionsMax) {
      report.error(section.line, "more than 100,000 sessions");
      return std::nullopt;
    }
  }
  result.defaults.has_lost_role = is_role_lost;
  if (!result.sessions.empty()) return result;
  report.error(0, "no [SESSION]; at least one was expected");
  return std::nullopt;
}

std::string SettingsError::what() const {
  return line == 0 ? file + ": " + text : file + ":" + std::to_string(line) + ": " + text;
}

std::expected<Settings, SettingsErrors> parse_settings(std::string_view text,
                                                       std::string_view file_name) {
  return parse(text, file_name, nullptr);
}

bool is_unknown_key(const SettingsError& warning) noexcept {
  return warning.text.contains(kUnknownKey) || warning.text.contains(kRemovedKey);
}

std::expected<Settings, SettingsErrors> load_settings(Disk& disk, const std::string& path) {
  const auto text = read_text(disk, path);
  if (!text) return std::unexpected{text.error()};
  auto settings = parse(*text, path, &disk);
  if (settings) settings->text = *text;
  return settings;
}

std::expected<ExplainedSettings, SettingsErrors> explain_settings(Disk& disk,
                                                                  const std::string& path) {
  const auto text = read_text(disk, path);
  if (!text) return std::unexpected{text.error()};
  SettingsReport report{path};
  const std::optional<Sections> sections = read_sections(*text, report);
  if (!sections) return std::unexpected{report.consume_errors()};
  auto settings = build(*sections, path, report, &disk);
  if (!settings) return std::unexpected{std::move(settings.error())};
  ExplainedSettings result{std::move(*settings), {}};
  result.settings.text = *text;
  for (const SessionSettings& built : result.settings.sessions) {
    const auto section = std::ranges::find(sections->sessions, built.line, &Section::line);
    const MergedSection keys{sections->defaults, *section};
    result.sessions.push_back(explain(keys, built.session.id.to_string()));
    explain_role(result.sessions.back(), keys);
    explain_store(result.sessions.back(), result.settings.store);
    if (built.tls) explain_tls(result.sessions.back(), *built.tls);
  }
  return result;
}

}  // namespace nexusfix::config

namespace nexusfix {

Settings::Settings(const config::Settings& values)
    : values_{std::make_unique<config::Settings>(values)} {}
Settings::Settings(config::Settings&& values)
    : values_{std::make_unique<config::Settings>(std::move(values))} {}
Settings::Settings(const Settings& other) : Settings{other.values()} {}
Settings::Settings(Settings&& other) noexcept = default;
Settings& Settings::operator=(Settings other) noexcept {
  values_.swap(other.values_);
  return *this;
}
Settings::~Settings() = default;

const std::string& Settings::file() const noexcept { return values_->file; }
const std::vector<SettingsError>& Settings::warnings() const noexcept { return values_->warnings; }

std::vector<std::string> Settings::sessions() const {
  std::vector<std::string> names;
  for (const auto& one : values_->sessions) names.push_back(one.session.id.to_string());
  return names;
}

std::expected<Settings, SettingsErrors> parse_settings(std::string_view text,
                                                       std::string_view file_name) {
  return config::parse_settings(text, file_name);
}

std::expected<Settings, SettingsErrors> load_settings(Disk& disk, const std::string& path) {
  return config::load_settings(disk, path);
}

}  // namespace nexusfix
