#include "nexusfix/control/engine_report.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include <nexusfix/statistics.hpp>

#include "base/api/ascii.hpp"
#include "base/api/edit_distance.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/meant_names.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

using engine::SessionState;

constexpr std::size_t kNameColumns = 31;

std::chrono::sys_seconds whole_seconds(WallTime time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}
std::string date_and_time(WallTime time) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", whole_seconds(time));
}
std::string date_and_time(const std::optional<WallTime>& time) {
  return time ? date_and_time(*time) + " UTC" : "never";
}

// "09:12:01" of today, "2026-11-21" of another day.
std::string short_time(const std::optional<WallTime>& time, WallTime now) {
  if (!time) return "-";
  const auto day = [](WallTime of) { return std::chrono::floor<std::chrono::days>(of); };
  if (day(*time) == day(now)) return fmt::format("{:%H:%M:%S}", whole_seconds(*time));
  return fmt::format("{:%Y-%m-%d}", whole_seconds(*time));
}

std::optional<std::string> json_time(const std::optional<WallTime>& time) {
  if (!time) return std::nullopt;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", whole_seconds(*time));
}

std::string_view role_of(const engine::SessionStatistics& session) noexcept {
  return session.is_initiator ? "initiator" : "acceptor";
}

Json session_json(const engine::SessionStatistics& session) {
  return Json::object({{"session", session.name},
                       {"role", role_of(session)},
                       {"state", to_string(session.state)},
                       {"why", session.why},
                       {"failuresInARow", session.failures_in_a_row},
                       {"needsAttention", needs_attention(session)},
                       {"since", json_time(session.logon_changed_at)},
                       {"nextInbound", session.next.next_inbound},
                       {"nextOutbound", session.next.next_outbound},
                       {"messagesIn", session.in.messages},
                       {"messagesOut", session.out.messages},
                       {"lastReceived", json_time(session.in.last_at)},
                       {"unsentBytes", session.unsent_bytes},
                       {"queuedMessages", session.queued_messages},
                       {"queuedSince", json_time(session.queued_since)},
                       {"bytesIn", session.in.bytes},
                       {"bytesOut", session.out.bytes},
                       {"logons", session.logons},
                       {"logonFailures", session.logon_failures},
                       {"connectFailures", session.connect_failures},
                       {"disconnects", session.disconnects},
                       {"gaps", session.gaps},
                       {"resent", session.resent},
                       {"garbled", session.garbled}});
}

void add_attention(std::string& text, const engine::EngineStatus& engine) {
  bool is_first = true;
  for (const engine::SessionStatistics& one : engine.sessions) {
    if (!needs_attention(one)) continue;
    if (std::exchange(is_first, false)) text += "needs attention:\n";
    text += fmt::format("  {}: {}{}{}\n", one.name, to_string(one.state),
                        one.why.empty() ? "" : ": ", one.why);
  }
}

}  // namespace

bool needs_attention(const engine::SessionStatistics& session) {
  return session.failures_in_a_row > 0 || session.state == SessionState::Halted ||
         session.state == SessionState::Disabled || session.state == SessionState::StoreFailed;
}

std::string engine_table(const engine::EngineStatus& engine, WallTime now) {
  const std::string cluster = engine.cluster.empty() ? engine.cluster : engine.cluster + '\n';
  if (!engine.standby.empty()) {
    return fmt::format("engine of process {}, since {} UTC: a standby, which {}\n{}",
                       engine.process, date_and_time(engine.started), engine.standby, cluster);
  }
  const auto on = static_cast<std::uint64_t>(std::ranges::count(
      engine.sessions, SessionState::LoggedOn, &engine::SessionStatistics::state));
  std::string text =
      fmt::format("engine of process {}, since {} UTC: {}, {} logged on\n", engine.process,
                  date_and_time(engine.started), counted(engine.sessions.size(), "session"), on);
  text += cluster;
  if (engine.sessions.empty()) return text;
  const auto add_row = [&text](std::string_view name, std::string_view state,
                               std::string_view since, std::string_view in, std::string_view out) {
    text += fmt::format("{:<{}}  {:<15}  {:<10}  {:>8}  {:>8}\n", name, kNameColumns, state, since,
                        in, out);
  };
  add_row("SESSION", "STATE", "SINCE", "NEXT IN", "NEXT OUT");
  for (const engine::SessionStatistics& one : engine.sessions) {
    std::string_view name = one.name;
    if (name.size() > kNameColumns) {
      (text += name) += '\n';
      name = {};
    }
    add_row(name, to_string(one.state), short_time(one.logon_changed_at, now),
            std::to_string(one.next.next_inbound), std::to_string(one.next.next_outbound));
  }
  add_attention(text, engine);
  return text;
}

std::string session_details(const engine::SessionStatistics& session) {
  const std::string queued = session.queued_messages == 0
                                 ? ""
                                 : fmt::format("; {} for OutboundMessages, the oldest since {}",
                                               counted(session.queued_messages, "message"),
                                               date_and_time(session.queued_since));
  return fmt::format(
      "{}\n"
      "  role           {}\n"
      "  state          {}\n"
      "{}"
      "  since          {}\n"
      "  next MsgSeqNum in {}, out {}\n"
      "  last received  {}\n"
      "  unsent         {}{}\n"
      "since the engine started:\n"
      "  messages       in {}, out {}, resent {}\n"
      "  bytes          in {}, out {}\n"
      "  Logons         {}, failed {}; failed connects {}; disconnects {}\n"
      "  gaps           {}; garbled messages {}\n",
      session.name, role_of(session), to_string(session.state),
      session.why.empty() ? "" : fmt::format("  why            {}\n", session.why),
      date_and_time(session.logon_changed_at), session.next.next_inbound,
      session.next.next_outbound, date_and_time(session.in.last_at),
      counted(session.unsent_bytes, "byte"), queued, with_thousands(session.in.messages),
      with_thousands(session.out.messages), with_thousands(session.resent),
      with_thousands(session.in.bytes), with_thousands(session.out.bytes), session.logons,
      session.logon_failures, session.connect_failures, session.disconnects, session.gaps,
      session.garbled);
}

std::string engine_json(const engine::EngineStatus& engine) {
  return Json::object(
             {{"process", engine.process},
              {"started", json_time(engine.started)},
              {"eventLoops", engine.loops},
              {"standby", engine.standby.empty() ? std::optional<std::string>{} : engine.standby},
              {"cluster", engine.cluster.empty() ? std::optional<std::string>{} : engine.cluster},
              {"sessions", Json::array(engine.sessions, session_json)}})
      .document();
}

std::string latency_table(const std::vector<engine::LatencyRow>& rows, std::string_view session) {
  std::string text = fmt::format("latencies {} in microseconds, since the engine started\n",
                                 session.empty() ? "of each event loop" : session);
  const auto add_row = [&text](std::string_view what, const auto&... cells) {
    text += fmt::format("{:<22}", what);
    ((text += fmt::format("  {:>8}", cells)), ...);
    text += '\n';
  };
  const auto micros = [](const engine::LatencyRow& row, std::chrono::nanoseconds figure) {
    if (row.count == 0) return std::string{"-"};
    return fmt::format("{:.1f}", static_cast<double>(figure.count()) / 1'000.0);
  };
  add_row("", "COUNT", "P50", "P90", "P99", "P99.9", "HIGHEST");
  const bool has_loops = !rows.empty() && rows.back().loop > 0 && session.empty();
  for (const engine::LatencyRow& row : rows) {
    add_row(has_loops ? fmt::format("{}: {}", row.loop, row.what) : row.what, row.count,
            micros(row, row.p50), micros(row, row.p90), micros(row, row.p99), micros(row, row.p999),
            micros(row, row.highest));
  }
  return text;
}

std::string latency_json(const std::vector<engine::LatencyRow>& rows, std::string_view session) {
  Json json = Json::object();
  if (!session.empty()) json.set("session", session);
  json.set("latencies", Json::array(rows, [](const engine::LatencyRow& row) {
             const auto nanos = [](std::chrono::nanoseconds figure) { return figure.count(); };
             return Json::object({{"loop", row.loop},
                                  {"what", row.what},
                                  {"count", row.count},
                                  {"meanNanos", nanos(row.mean)},
                                  {"p50Nanos", nanos(row.p50)},
                                  {"p90Nanos", nanos(row.p90)},
                                  {"p99Nanos", nanos(row.p99)},
                                  {"p999Nanos", nanos(row.p999)},
                                  {"highestNanos", nanos(row.highest)}});
           }));
  return json.document();
}

std::expected<const engine::SessionStatistics*, std::string> find_session(
    const engine::EngineStatus& engine, std::string_view name) {
  const auto& sessions = engine.sessions;
  std::vector<std::string_view> names;
  names.reserve(sessions.size());
  for (const engine::SessionStatistics& one : sessions) names.push_back(one.name);
  const std::vector<std::size_t> found = meant_names(names, name);
  if (found.size() == 1) return &sessions[found.front()];
  std::string text = fmt::format("the engine has no session {}", name);
  if (sessions.empty()) return std::unexpected{std::move(text)};
  if (found.empty()) {
    const auto nearest = std::ranges::min_element(
        sessions, {}, [name](const auto& one) { return edit_distance(name, one.name); });
    return std::unexpected{text + fmt::format("; the nearest name is {}", nearest->name)};
  }
  constexpr std::size_t kNamed = 5;
  text = fmt::format("{} may be any of {}:", name, counted(found.size(), "session"));
  for (std::size_t i = 0; i < std::min(found.size(), kNamed); ++i)
    text.append(1, ' ').append(names[found[i]]);
  return std::unexpected{text + (found.size() > kNamed ? " ..." : "")};
}

}  // namespace nexusfix::command
