// A time zone as a value: its offsets from UTC, and from when on each applies. It reads no file:
// the engine makes zones from the system's tz database.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/language.hpp>

namespace nexusfix::session {

// The offsets of one time zone. Any number of threads may read it. The functions are
// O(log changes), and do not allocate.
class TimeZone {
 public:
  // A change of the offset from UTC: the start or the end of daylight saving time, for example.
  struct Change {
    std::chrono::sys_seconds at;       // the first moment with this offset
    std::chrono::seconds offset{};     // local time minus UTC; less than a day
    std::string abbreviation = "UTC";  // "CET", "CEST"
  };

  // The zone UTC.
  TimeZone() = default;
  // name: as name() returns it. changes: in ascending order. The first offset also applies before
  // the first change. Without changes the zone has the offset 0.
  TimeZone(std::string name, std::vector<Change> changes);

  // The name in the tz database: "Europe/London". Valid as long as this object.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // The change whose offset applies at this moment. Valid as long as this object.
  [[nodiscard]] const Change& change_at(std::chrono::sys_seconds time) const noexcept;
  // The time that clocks of the zone show at this moment.
  [[nodiscard]] std::chrono::local_seconds to_local(std::chrono::sys_seconds time) const noexcept;
  // The moment at which clocks of the zone show this time: the first one, if there are two. For a
  // time that clocks skip, the moment of the change.
  [[nodiscard]] std::chrono::sys_seconds to_utc(std::chrono::local_seconds time) const noexcept;

 private:
  std::string name_ = "UTC";
  std::vector<Change> changes_{Change{}};
};

}  // namespace nexusfix::session
