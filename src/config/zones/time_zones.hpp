// The time zones of the system's tz database, as values. Cold: read at start-up. Its compiled files
// have each change of the clocks until 2037; after it they have none.
#pragma once

#include <expected>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "session/api/config.hpp"

namespace nexusfix::config {

// Each zone is read once. Not for several threads at a time.
class TimeZones {
 public:
  using Found = std::expected<std::shared_ptr<const session::TimeZone>, std::string>;

  // By its name in the tz database (Europe/London), UTC, GMT+08:00, or PST and CST, which Java
  // knows. An error says what was expected, with the nearest name.
  [[nodiscard]] const Found& find(std::string_view name);
  // What clocks show to this process, as for the C library: by the variable TZ; without it, by the
  // machine. Changes no environment, but reads it: not beside a thread that does.
  [[nodiscard]] const Found& local();
  // The remark of local(): a TZ that is not in the tz database, and the zone used instead. Empty:
  // none.
  [[nodiscard]] const std::string& local_remark() const noexcept { return local_remark_; }

 private:
  std::string local_remark_;
  std::map<std::string, Found, std::less<>> found_;
};

// Names of time zones that Windows has and the tz database has not. "Eastern Standard Time" →
// "America/New_York", in any case; empty: no such name is known.
[[nodiscard]] std::string_view zone_of_windows_name(std::string_view name) noexcept;

}  // namespace nexusfix::config
