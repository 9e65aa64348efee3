// Names of time zones that Windows has and the tz database has not.
#pragma once

#include <string_view>

namespace nexusfix::config {

// "Eastern Standard Time" → "America/New_York", in any case; empty: no such name is known.
[[nodiscard]] std::string_view zone_of_windows_name(std::string_view name) noexcept;

}  // namespace nexusfix::config
