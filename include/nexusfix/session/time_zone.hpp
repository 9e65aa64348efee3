// A time zone as a value: which offset from UTC its clocks have, from when on. Nothing is looked up
// here, so that a schedule needs no file: the engine makes zones of the system's tz database.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/language.hpp>

namespace nexusfix::session {

class TimeZone {
 public:
  struct Change {
    std::chrono::sys_seconds at;       // the first moment with this offset
    std::chrono::seconds offset{};     // local time minus UTC, within a day
    std::string abbreviation = "UTC";  // "CET", "CEST"
  };

  TimeZone() = default;  // UTC
  // changes: ascending, at least one; what is before the first is as if it had begun earlier.
  TimeZone(std::string name, std::vector<Change> changes);

  // As in the tz database: "Europe/London".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // The last change before or at this moment.
  [[nodiscard]] const Change& change_at(std::chrono::sys_seconds time) const noexcept;
  [[nodiscard]] std::chrono::local_seconds to_local(std::chrono::sys_seconds time) const noexcept;
  // A local time that occurs twice is the first of the two; one that clocks skip is the moment of
  // the change.
  [[nodiscard]] std::chrono::sys_seconds to_utc(std::chrono::local_seconds time) const noexcept;

 private:
  std::string name_ = "UTC";
  std::vector<Change> changes_{Change{}};
};

}  // namespace nexusfix::session
