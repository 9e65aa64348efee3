// "2026-11-20 17:00:00 UTC".
#pragma once

#include <chrono>
#include <string>

namespace nexusfix::engine {

inline std::string utc_text(std::chrono::sys_seconds time) {
  const auto two = [](auto number) {
    const std::string digits = std::to_string(static_cast<unsigned>(number));
    return digits.size() < 2 ? "0" + digits : digits;
  };
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  return std::to_string(static_cast<int>(date.year())) + "-" +
         two(static_cast<unsigned>(date.month())) + "-" + two(static_cast<unsigned>(date.day())) +
         " " + two(clock.hours().count()) + ":" + two(clock.minutes().count()) + ":" +
         two(clock.seconds().count()) + " UTC";
}

}  // namespace nexusfix::engine
