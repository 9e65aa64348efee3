#include "console/json/settings_json.hpp"

#include <algorithm>
#include <chrono>

namespace nexusfix::web {
namespace {

// The spans of one session: a daily schedule with a reset and Logon times has four changes a day.
constexpr std::size_t kSpansMax = 200;

Json value_json(const config::EffectiveValue& value) {
  const config::KeyDescription& key = *value.key;
  return {{"group", key.group},
          {"key", value.numbered.empty() ? std::string{key.name} : value.numbered},
          {"value", value.value},
          {"written", value.written},
          {"line", value.line},
          {"is_of_default", value.is_of_default},
          {"because", value.because},
          {"fallback", key.fallback},
          {"meaning", key.meaning},
          {"takes_effect", key.takes_effect}};
}

std::int64_t millis(std::chrono::sys_seconds time) noexcept {
  return std::chrono::milliseconds{time.time_since_epoch()}.count();
}

Json spans_json(const session::Schedule& schedule, std::chrono::sys_seconds begin,
                std::chrono::sys_seconds end) {
  Json spans = Json::array();
  for (auto at = begin; at < end && spans.size() < kSpansMax;) {
    const session::ScheduleState state = schedule.at(at);
    const auto until = std::min(state.next_change, end);
    if (state.session) {
      spans.push_back({{"begin", millis(at)},
                       {"end", millis(until)},
                       {"session_begin", millis(state.session->begin)},
                       {"session_end", millis(state.session->end)},
                       {"may_log_on", state.may_log_on}});
    }
    if (until <= at) break;
    at = until;
  }
  return spans;
}

}  // namespace

Json configuration_json(const config::ExplainedSettings& explained, std::string_view session) {
  const auto found =
      std::ranges::find(explained.sessions, session, &config::ExplainedSession::name);
  if (found == explained.sessions.end()) return nullptr;
  Json values = Json::array();
  for (const config::EffectiveValue& value : found->values) values.push_back(value_json(value));
  Json application = Json::array();
  for (const auto& key : found->application_keys) {
    application.push_back({{"key", key.name}, {"line", key.line}});
  }
  Json warnings = Json::array();
  for (const config::SettingsError& one : explained.settings.warnings) {
    warnings.push_back(one.what());
  }
  return {{"file", explained.settings.file},
          {"session", found->name},
          {"line", found->line},
          {"values", std::move(values)},
          {"application_keys", std::move(application)},
          {"warnings", std::move(warnings)}};
}

Json schedule_json(const config::Settings& settings, WallTime now) {
  const auto today = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::sys_seconds begin = today - std::chrono::days{1};
  const std::chrono::sys_seconds end = today + std::chrono::days{7};
  Json sessions = Json::array();
  for (const config::SessionSettings& one : settings.sessions) {
    if (one.is_template) continue;
    const bool is_open = one.schedule.is_non_stop();
    sessions.push_back({{"name", one.session.id.to_string()},
                        {"is_non_stop", is_open},
                        {"spans", is_open ? Json::array() : spans_json(one.schedule, begin, end)}});
  }
  return {{"begin", millis(begin)},
          {"end", millis(end)},
          {"now", millis_of(now)},
          {"sessions", std::move(sessions)}};
}

}  // namespace nexusfix::web
