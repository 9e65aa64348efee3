// JSON of the console's answers. Times are milliseconds since 1970, in UTC.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::web {

using Json = nlohmann::ordered_json;

// Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] inline std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}
[[nodiscard]] inline std::int64_t millis_of(WallTime time) noexcept {
  return std::chrono::floor<std::chrono::milliseconds>(time).time_since_epoch().count();
}
// null: there is none.
[[nodiscard]] inline Json millis_of(const std::optional<WallTime>& time) {
  return time ? Json(millis_of(*time)) : Json(nullptr);
}

}  // namespace nexusfix::web
