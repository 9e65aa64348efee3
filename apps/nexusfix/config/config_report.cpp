#include "nexusfix/config/config_report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "base/api/utc_text.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/text.hpp"
#include "transport/api/proxy.hpp"

namespace nexusfix::command {
namespace {

using config::EffectiveValue;
using config::ExplainedSession;
using config::ExplainedSettings;
using config::KeyDescription;
using config::SessionSettings;
using session::LocalTime;
using session::ScheduleRules;
using session::TimeZone;
using std::chrono::sys_seconds;

std::string time_text(std::chrono::seconds since_epoch) {
  constexpr std::string_view kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  const sys_seconds time{since_epoch};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  return std::string{kDays[std::chrono::weekday{day}.c_encoding()]} + " " +
         utc_text(time, UtcForm::Plain);
}

constexpr std::size_t kDateBytes = std::string_view{"Sun 2026-11-22"}.size();

const TimeZone& zone_of(const TimeZone* zone) {
  static const TimeZone kUtc;
  return zone == nullptr ? kUtc : *zone;
}

// "Sun 2026-11-22 23:00:00 UTC (18:00:00 EST)"
std::string moment_text(sys_seconds time, const TimeZone* zone) {
  std::string text = time_text(time.time_since_epoch()) + " UTC";
  if (zone == nullptr) return text;
  const TimeZone::Change& change = zone->change_at(time);
  return text + fmt::format(" ({} {})", time_text(zone->to_local(time).time_since_epoch()),
                            change.abbreviation);
}

std::string clock_text(const LocalTime& time) {
  const std::chrono::hh_mm_ss clock{time.time_of_day};
  return fmt::format("{:02}:{:02}:{:02} {}", clock.hours().count(), clock.minutes().count(),
                     clock.seconds().count(), time.zone ? time.zone->name() : "UTC");
}

std::string day_text(std::chrono::weekday day) {
  constexpr std::string_view kNames[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                         "Thursday", "Friday", "Saturday"};
  return std::string{kNames[day.c_encoding()]};
}

// "weekly, from Sunday 18:00:00 America/New_York to Friday 17:00:00 America/New_York"
std::string rules_text(const session::Schedule& schedule) {
  if (schedule.is_non_stop()) return "non-stop: always open, nothing is reset";
  const ScheduleRules& rules = *schedule.rules();
  const auto end_of = [](const LocalTime& time, const std::optional<std::chrono::weekday>& day) {
    return (day ? day_text(*day) + " " : std::string{}) + clock_text(time);
  };
  std::string text = rules.session.start_day ? "weekly" : "daily";
  text += ", from " + end_of(rules.session.start, rules.session.start_day) + " to " +
          end_of(rules.session.end, rules.session.end_day);
  for (std::size_t i = 0; i < rules.weekdays.size(); ++i) {
    text += (i == 0 ? ", on " : ", ") + day_text(rules.weekdays[i]);
  }
  if (rules.logon) {
    text += ", logons from " + end_of(rules.logon->start, rules.logon->start_day) + " to " +
            end_of(rules.logon->end, rules.logon->end_day);
  }
  if (rules.reset_time) text += ", reset at " + clock_text(*rules.reset_time);
  if (!rules.holidays.empty())
    text += fmt::format(", {}", counted(rules.holidays.size(), "holiday"));
  return text;
}

// ", with TLS 1.2 to 1.3 as venue.pem, client certificates required"; empty: plain.
std::string tls_text(const SessionSettings& session) {
  using transport::ClientCertificate;
  using transport::TlsVersion;
  if (!session.tls) return {};
  const transport::TlsSettings& tls = session.tls->settings;
  std::string text = tls.version_min == TlsVersion::V1_3   ? ", with TLS 1.3"
                     : tls.version_max == TlsVersion::V1_2 ? ", with TLS 1.2"
                                                           : ", with TLS 1.2 to 1.3";
  if (!tls.certificate_file.empty()) text += " as " + tls.certificate_file;
  if (tls.role == transport::TlsRole::Initiator) {
    if (!tls.server_name.empty()) text += ", to " + tls.server_name;
    const bool is_of_system = tls.authorities_file.empty() && tls.authorities_folder.empty();
    return text + (is_of_system ? ", believes the system's authorities" : "");
  }
  switch (tls.client_certificate) {
    case ClientCertificate::NotAsked:
      return text + ", no client certificates";
    case ClientCertificate::VerifiedIfShown:
      return text + ", client certificates verified if shown";
    case ClientCertificate::Required:
      break;
  }
  return text + ", client certificates required";
}

std::string_view kind_of(transport::ConnectProxy::Protocol protocol) {
  using Protocol = transport::ConnectProxy::Protocol;
  switch (protocol) {
    case Protocol::Http10:
      return "HTTP/1.0";
    case Protocol::Http11:
      return "HTTP/1.1";
    case Protocol::Socks4:
      return "SOCKS 4";
    case Protocol::Socks4a:
      return "SOCKS 4A";
    case Protocol::Socks5:
      break;
  }
  return "SOCKS 5";
}

std::string address_text(const SessionSettings& session) {
  const auto endpoint = [](const transport::Endpoint& one) {
    return (one.host.empty() ? std::string{"every address"} : one.host) + " port " +
           (one.port == 0 ? "any free one" : std::to_string(one.port));
  };
  std::string text;
  if (session.accept) {
    text = "acceptor, listens on " + endpoint(*session.accept) + tls_text(session);
    const auto& allowed = session.admission.allowed_remote_addresses.ranges();
    for (std::size_t i = 0; i < allowed.size(); ++i) {
      text += (i == 0 ? ", for " : ", ") + allowed[i].to_string();
    }
    return text;
  }
  text = "initiator, connects to ";
  for (std::size_t i = 0; i < session.connect.size(); ++i) {
    text += (i == 0 ? "" : ", then ") + endpoint(session.connect[i]);
  }
  if (!session.connect.empty() && session.connect.front().proxy) {
    const transport::ConnectProxy& proxy = *session.connect.front().proxy;
    text += fmt::format(", by way of the {} proxy {} port {}", kind_of(proxy.protocol), proxy.host,
                        proxy.port);
    if (!proxy.user.empty()) text += " as " + proxy.user;
  }
  text += session.reconnect.priority_start_over ? ", the first one first" : "";
  for (std::size_t i = 0; i < session.reconnect.intervals.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? ", again after " : ", then ",
                        session.reconnect.intervals[i].count());
  }
  return text + " s" + tls_text(session);
}

std::string store_text(const config::Settings& settings) {
  switch (settings.store) {
    case config::StoreKind::Memory:
      return "in memory, forgotten at the end";
    case config::StoreKind::PostgreSQL:
      return "PostgreSQL, schema " + settings.postgres.schema;
    case config::StoreKind::Program:
      return "a store of the program that opens the engine";
    case config::StoreKind::Journal:
      break;
  }
  return "journal in " + settings.store_folder + ", durability " +
         std::string{to_string(settings.durability)};
}

// SocketConnectHost, or SocketConnectHost1.
std::string_view name_of(const EffectiveValue& value) {
  return value.numbered.empty() ? value.key->name : std::string_view{value.numbered};
}

std::string origin_text(const EffectiveValue& value) {
  if (!value.because.empty()) return "by " + value.because;
  if (value.line == 0) return "not given";
  return fmt::format("line {}{}{}{}", value.line, value.is_of_default ? ", [DEFAULT]" : "",
                     value.written.empty() ? "" : ", as ", value.written);
}

void append_values(std::string& text, const ExplainedSession& session, bool all) {
  std::string_view group;
  for (const EffectiveValue& value : session.values) {
    if (value.line == 0 && (!all || value.value.empty())) continue;
    if (value.key->group != group) {
      group = value.key->group;
      text += fmt::format("  {}\n", group);
    }
    text += fmt::format("    {:<40} {}\n", fmt::format("{}={}", name_of(value), value.value),
                        origin_text(value));
  }
}

// The keys of the application, without their values: only the application knows which of them may
// be shown.
void append_application(std::string& text, const ExplainedSession& session) {
  if (!session.application_keys.empty()) text += "  application\n";
  for (const auto& key : session.application_keys) {
    text += fmt::format("    {:<40} line {}\n", key.name + "=...", key.line);
  }
}

// The defaults of this engine that differ from those of other engines.
void append_differences(std::string& text, const ExplainedSession& session) {
  bool is_first = true;
  for (const EffectiveValue& value : session.values) {
    const bool is_given = value.line != 0 || !value.because.empty();
    if (is_given || value.key->elsewhere.empty() || value.value.empty()) continue;
    if (std::exchange(is_first, false)) text += "  not as elsewhere\n";
    text += fmt::format("    {:<40} {}\n", fmt::format("{}={}", value.key->name, value.value),
                        value.key->elsewhere);
  }
}

std::string state_text(const session::Schedule& schedule, sys_seconds now) {
  if (schedule.is_non_stop()) return {};
  const TimeZone* zone = schedule.rules()->session.start.zone.get();
  const session::ScheduleState state = schedule.at(now);
  if (state.session) {
    const std::string open = "  now       open until " + moment_text(state.session->end, zone);
    if (state.may_log_on) return open + "\n";
    const auto logon = schedule.next_logon(now);
    return open + ", but not for logons" +
           (logon ? " until " + moment_text(*logon, zone) : std::string{", for two years"}) + "\n";
  }
  const auto next = schedule.next_session(now);
  return "  now       closed" +
         (next ? " until " + moment_text(next->begin, zone) : std::string{" for two years"}) + "\n";
}

// Says that daylight saving time changed: the session begins or ends at another hour of UTC than
// the session before it.
std::string change_text(const TimeZone* zone, sys_seconds before, sys_seconds after) {
  if (zone == nullptr) return {};
  const TimeZone::Change& was = zone->change_at(before);
  const TimeZone::Change& is = zone->change_at(after);
  if (was.offset == is.offset) return {};
  return fmt::format("  clocks have changed from {} to {}", was.abbreviation, is.abbreviation);
}

// The times within a session at which a Logon is accepted. Appends nothing if it always is.
void append_logons(std::string& text, const session::Schedule& schedule,
                   const session::TimeSpan& span) {
  const ScheduleRules& rules = *schedule.rules();
  const TimeZone* zone = rules.session.start.zone.get();
  std::vector<session::TimeSpan> logons;
  for (sys_seconds time = span.begin; time < span.end;) {
    const session::ScheduleState state = schedule.at(time);
    const sys_seconds until = std::min(state.next_change, span.end);
    if (state.may_log_on && !logons.empty() && logons.back().end == time) logons.back().end = until;
    if (state.may_log_on && (logons.empty() || logons.back().end < time)) {
      logons.push_back({time, until});
    }
    time = until;
  }
  if (logons.size() == 1 && logons.front() == span) return;
  if (logons.empty()) text += "  logons    none\n";
  for (const session::TimeSpan& one : logons) {
    text += fmt::format("  logons    {} until {}\n", moment_text(one.begin, zone),
                        moment_text(one.end, zone));
  }
  if (!rules.session.start_day) return;  // a daily session has no session on a holiday at all
  for (const std::chrono::local_days day : rules.holidays) {
    const std::chrono::local_seconds first = zone_of(zone).to_local(span.begin);
    const std::chrono::local_seconds last = zone_of(zone).to_local(span.end);
    if (day + std::chrono::days{1} <= first || day >= last) continue;
    text += fmt::format("  holiday   {}  no logons\n",
                        time_text(day.time_since_epoch()).substr(0, kDateBytes));
  }
}

void append_sessions(std::string& text, const session::Schedule& schedule,
                     const ScheduleQuestion& question) {
  const TimeZone* zone = schedule.rules()->session.start.zone.get();
  sys_seconds before = question.from;
  auto span = schedule.at(question.from).session;
  if (!span) span = schedule.next_session(question.from);
  for (std::size_t i = 0; i < question.count && span; ++i) {
    text += fmt::format("  opens     {}{}\n", moment_text(span->begin, zone),
                        change_text(zone, before, span->begin));
    append_logons(text, schedule, *span);
    text += fmt::format("  closes    {}  sequence numbers are reset to 1\n",
                        moment_text(span->end, zone));
    before = span->begin;
    // One second less: the next session may begin when this one ends.
    span = schedule.next_session(span->end - std::chrono::seconds{1});
  }
}

Json json_list(const std::vector<config::SettingsError>& warnings, bool are_notes) {
  Json list = Json::array();
  for (const config::SettingsError& warning : warnings) {
    if (warning.is_note == are_notes) list.push_back(warning.what());
  }
  return list;
}

Json json_of(const EffectiveValue& value) {
  Json json = Json::object({{"key", name_of(value)},
                            {"value", value.value},
                            {"line", value.line},
                            {"from_default", value.is_of_default}});
  if (!value.written.empty()) json.set("written", value.written);
  if (!value.because.empty()) json.set("because", value.because);
  return json;
}

Json json_of(const ExplainedSession& session, const SessionSettings& built) {
  const auto application_key = [](const auto& key) {
    return Json::object({{"key", key.name}, {"line", key.line}});
  };
  return Json::object(
      {{"name", session.name},
       {"line", session.line},
       {"address", address_text(built)},
       {"schedule", rules_text(built.schedule)},
       {"values", Json::array(session.values, [](const auto& value) { return json_of(value); })},
       {"application", Json::array(session.application_keys, application_key)}});
}

}  // namespace

std::string config_text(const ExplainedSettings& explained, sys_seconds now, bool all) {
  const config::Settings& settings = explained.settings;
  const auto warnings = static_cast<std::size_t>(
      std::ranges::count(settings.warnings, false, &config::SettingsError::is_note));
  std::string text =
      fmt::format("{}: {}, {}\n", settings.file, counted(settings.sessions.size(), "session"),
                  counted(warnings, "warning"));
  for (const config::SettingsError& warning : settings.warnings) {
    text += (warning.is_note ? "note: " : "warning: ") + warning.what() + "\n";
  }
  text += "store: " + store_text(settings) + "\n";
  // Most sessions have the same list: it is shown once.
  std::string shown_differences;
  std::string_view shown_for;
  for (std::size_t i = 0; i < explained.sessions.size(); ++i) {
    const ExplainedSession& session = explained.sessions[i];
    const SessionSettings& built = settings.sessions[i];
    text += fmt::format("\n{}  (line {})\n", session.name, session.line);
    text += "  address   " + address_text(built) + "\n";
    text += "  schedule  " + rules_text(built.schedule) + "\n";
    text += state_text(built.schedule, now);
    append_values(text, session, all);
    append_application(text, session);
    std::string differences;
    append_differences(differences, session);
    if (differences == shown_differences && !differences.empty()) {
      differences = fmt::format("  not as elsewhere  the same as {}\n", shown_for);
    } else {
      shown_differences = differences;
      shown_for = session.name;
    }
    text += differences;
  }
  return text;
}

config::SettingsErrors missing_parts(const ExplainedSettings& explained, bool has_postgres) {
  const config::Settings& settings = explained.settings;
  if (has_postgres || settings.store != config::StoreKind::PostgreSQL) return {};
  std::size_t line = 0;
  for (const ExplainedSession& session : explained.sessions) {
    const auto store = std::ranges::find_if(session.values, [](const EffectiveValue& value) {
      return value.key->name == "Store" && value.line != 0;
    });
    if (line == 0 && store != session.values.end()) line = store->line;
  }
  return {{settings.file, line,
           "Store: this program was built without the PostgreSQL store (NEXUSFIX_POSTGRES=OFF)"}};
}

std::string config_json(const ExplainedSettings& explained) {
  const config::Settings& settings = explained.settings;
  Json sessions = Json::array();
  for (std::size_t i = 0; i < explained.sessions.size(); ++i) {
    sessions.push_back(json_of(explained.sessions[i], settings.sessions[i]));
  }
  return Json::object({{"file", settings.file},
                       {"warnings", json_list(settings.warnings, false)},
                       {"notes", json_list(settings.warnings, true)},
                       {"store", store_text(settings)},
                       {"sessions", std::move(sessions)}})
             .line() +
         '\n';
}

std::string schedule_text(const ExplainedSettings& explained, const ScheduleQuestion& question) {
  std::string text;
  for (std::size_t i = 0; i < explained.sessions.size(); ++i) {
    const ExplainedSession& session = explained.sessions[i];
    if (!question.session.empty() && session.name != question.session) continue;
    const session::Schedule& schedule = explained.settings.sessions[i].schedule;
    text +=
        fmt::format("{}{}\n  {}\n", text.empty() ? "" : "\n", session.name, rules_text(schedule));
    for (const EffectiveValue& value : session.values) {
      if (value.key->group != "schedule" || value.line == 0) continue;
      text +=
          fmt::format("  because   {}={}  {}\n", name_of(value), value.value, origin_text(value));
    }
    if (schedule.is_non_stop()) continue;
    text += state_text(schedule, question.from);
    append_sessions(text, schedule, question);
  }
  return text;
}

std::string new_config_text(bool is_acceptor) {
  struct Chosen {
    std::string_view key;
    std::string_view value;
  };
  constexpr Chosen kBoth[] = {{"BeginString", "FIX.4.4"},
                              {"SenderCompID", "US"},
                              {"TargetCompID", "THEM"},
                              {"NonStopSession", "Y"},
                              {"FileStorePath", "store"}};
  constexpr Chosen kInitiator[] = {{"ConnectionType", "initiator"},
                                   {"SocketConnectHost", "127.0.0.1"},
                                   {"SocketConnectPort", "5001"},
                                   {"HeartBtInt", "30"}};
  constexpr Chosen kAcceptor[] = {{"ConnectionType", "acceptor"}, {"SocketAcceptPort", "5001"}};
  const auto chosen = [&](std::string_view key) -> std::string_view {
    const auto find = [key](const auto& list) {
      const auto place = std::ranges::find(list, key, &Chosen::key);
      return place == std::end(list) ? std::string_view{} : place->value;
    };
    const std::string_view own = is_acceptor ? find(kAcceptor) : find(kInitiator);
    return own.empty() ? find(kBoth) : own;
  };
  std::string text =
      "# A configuration for NexusFIX. A key after a # is not set; its value is the default.\n"
      "# `nexusfix config check` explains this file. A key in [DEFAULT] applies to all sessions,\n"
      "# a key in [SESSION] to that session.\n\n[SESSION]\n";
  std::string_view group;
  for (const KeyDescription& key : config::described_keys()) {
    if (key.group != group) {
      group = key.group;
      text += fmt::format("\n# ---- {}\n", group);
    }
    if (!key.meaning.empty()) text += fmt::format("# {}\n", key.meaning);
    const std::string_view value = chosen(key.name);
    text += value.empty() ? fmt::format("#{}={}\n", key.name, key.fallback)
                          : fmt::format("{}={}\n", key.name, value);
  }
  return text;
}

}  // namespace nexusfix::command
