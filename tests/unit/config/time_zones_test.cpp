// Time zones out of the system's tz database, and schedules over them.
#include "config/zones/time_zones.hpp"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "session/api/config.hpp"

namespace nexusfix::config {
namespace {

using namespace std::chrono_literals;
using session::Schedule;
using session::TimeSpan;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

sys_seconds utc(int year, unsigned month, unsigned day, std::chrono::seconds time) {
  return sys_days{std::chrono::year{year} / std::chrono::month{month} / std::chrono::day{day}} +
         time;
}

std::shared_ptr<const session::TimeZone> zone(std::string_view name) {
  TimeZones zones;
  const TimeZones::Found& found = zones.find(name);
  if (!found) throw std::runtime_error{found.error()};
  return *found;
}

Schedule daily(std::string_view zone_name, std::chrono::seconds start, std::chrono::seconds end) {
  return *Schedule::make(
      {.session = {.start = {start, zone(zone_name)}, .end = {end, zone(zone_name)}}});
}

TEST(WindowsZones, each_names_a_zone_of_the_database) {
  TimeZones zones;
  for (const char* const name : {"Eastern Standard Time", "eastern standard time",
                                 "W. Europe Standard Time", "GMT Standard Time"}) {
    const std::string zone{zone_of_windows_name(name)};
    ASSERT_FALSE(zone.empty()) << name;
    EXPECT_TRUE(zones.find(zone)) << zone;
    const auto& wrong = zones.find(name);
    ASSERT_FALSE(wrong) << name;
    EXPECT_TRUE(wrong.error().ends_with("the name is one of Windows: did you mean " + zone + "?"))
        << wrong.error();
  }
  EXPECT_EQ(zone_of_windows_name("Eastern Time"), "");
  EXPECT_TRUE(zones.find("UTC-11")) << "a name of both, with one meaning";
}

TEST(TimeZones, a_northern_zone_changes_its_clocks_in_march_and_october) {
  const Schedule schedule = daily("Europe/London", 8h, 17h);
  EXPECT_EQ(schedule.at(utc(2026, 3, 28, 12h)).session,
            (TimeSpan{utc(2026, 3, 28, 8h), utc(2026, 3, 28, 17h)}));
  EXPECT_EQ(schedule.at(utc(2026, 3, 29, 12h)).session,
            (TimeSpan{utc(2026, 3, 29, 7h), utc(2026, 3, 29, 16h)}));
  EXPECT_EQ(schedule.at(utc(2026, 10, 25, 12h)).session,
            (TimeSpan{utc(2026, 10, 25, 8h), utc(2026, 10, 25, 17h)}));
}

TEST(TimeZones, a_southern_zone_changes_its_clocks_the_other_way_round) {
  const Schedule schedule = daily("Australia/Sydney", 10h, 16h);
  EXPECT_EQ(schedule.at(utc(2026, 4, 4, 0h)).session,
            (TimeSpan{utc(2026, 4, 3, 23h), utc(2026, 4, 4, 5h)}));
  EXPECT_EQ(schedule.at(utc(2026, 4, 5, 1h)).session,
            (TimeSpan{utc(2026, 4, 5, 0h), utc(2026, 4, 5, 6h)}));
  EXPECT_EQ(schedule.at(utc(2026, 10, 4, 1h)).session,
            (TimeSpan{utc(2026, 10, 3, 23h), utc(2026, 10, 4, 5h)}));
}

// Chile changes at midnight: on such a day there is no 00:00.
TEST(TimeZones, a_session_that_starts_at_a_midnight_that_is_skipped_starts_with_the_day) {
  const Schedule schedule = daily("America/Santiago", 0h, 0h);
  const auto session = schedule.at(utc(2026, 9, 6, 12h)).session;
  ASSERT_TRUE(session);
  EXPECT_EQ(session->begin, utc(2026, 9, 6, 4h));
  EXPECT_EQ(session->end - session->begin, 23h);
}

TEST(TimeZones, the_rules_reach_over_the_next_ten_years) {
  const Schedule schedule = daily("America/New_York", 9h + 30min, 16h);
  EXPECT_EQ(schedule.at(utc(2036, 7, 1, 15h)).session->begin, utc(2036, 7, 1, 13h + 30min));
  EXPECT_EQ(schedule.at(utc(2036, 12, 31, 15h)).session->begin, utc(2036, 12, 31, 14h + 30min));
}

TEST(TimeZones, other_names_of_a_zone_are_known) {
  EXPECT_EQ(zone("US/Eastern")->to_local(utc(2026, 7, 1, 12h)).time_since_epoch(),
            utc(2026, 7, 1, 8h).time_since_epoch());
  EXPECT_EQ(zone("PST")->change_at(utc(2026, 7, 1, 12h)).offset, -7h);
  EXPECT_EQ(zone("GMT+8")->change_at(utc(2026, 7, 1, 12h)).offset, 8h);
  EXPECT_EQ(zone("UTC-05:30")->change_at(utc(2026, 7, 1, 12h)).offset, -(5h + 30min));
  EXPECT_EQ(zone("GMT")->change_at(utc(2026, 7, 1, 12h)).offset, 0h);
}

TEST(TimeZones, an_unknown_zone_is_answered_with_the_nearest_one) {
  TimeZones zones;
  const TimeZones::Found& found = zones.find("Europe/Londn");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(),
            "a time zone of the tz database, such as Europe/London, was expected; did you mean "
            "Europe/London?");
  for (const std::string_view name :
       {"", "GMT+99", "GMT+", "UTC+1:2", "../etc/passwd", "zone.tab"}) {
    EXPECT_FALSE(zones.find(name)) << name;
  }
}

TEST(TimeZones, a_zone_is_read_once) {
  TimeZones zones;
  EXPECT_EQ(*zones.find("Asia/Tokyo"), *zones.find("Asia/Tokyo"));
}

// The variable for as long as this lives.
class ZoneOfEnvironment {
 public:
  explicit ZoneOfEnvironment(const char* value) {
    if (const char* was = std::getenv("TZ")) was_ = was;
    set(value);
  }
  ~ZoneOfEnvironment() { set(was_ ? was_->c_str() : nullptr); }
  ZoneOfEnvironment(const ZoneOfEnvironment&) = delete;
  ZoneOfEnvironment& operator=(const ZoneOfEnvironment&) = delete;

 private:
  static void set(const char* value) {
    if (value == nullptr) {
      ::unsetenv("TZ");
    } else {
      ::setenv("TZ", value, 1);
    }
    ::tzset();
  }
  std::optional<std::string> was_;
};

TEST(TimeZones, this_machine_has_one) {
  const ZoneOfEnvironment none{nullptr};
  TimeZones zones;
  EXPECT_TRUE(zones.local()) << zones.local().error();
  EXPECT_EQ(zones.local_remark(), "");
}

TEST(TimeZones, the_local_one_is_that_of_the_environment) {
  for (const char* value : {"Asia/Tokyo", ":Asia/Tokyo", "/usr/share/zoneinfo/Asia/Tokyo"}) {
    const ZoneOfEnvironment tokyo{value};
    TimeZones zones;
    ASSERT_TRUE(zones.local());
    EXPECT_EQ((*zones.local())->name(), "Asia/Tokyo");
    EXPECT_EQ(zones.local_remark(), "");
  }
  const ZoneOfEnvironment empty{""};
  TimeZones zones;
  EXPECT_EQ((*zones.local())->name(), "UTC");
}

TEST(TimeZones, a_variable_that_names_none_is_taken_as_the_c_library_takes_it_and_reported) {
  {
    const ZoneOfEnvironment fixed{"JST-9"};
    TimeZones zones;
    EXPECT_EQ((*zones.local())->change_at(utc(2026, 7, 1, 0h)).offset, 9h);
    EXPECT_EQ(zones.local_remark(),
              "TZ=JST-9 is no zone of the tz database, and is taken as the C library takes it: JST "
              "(UTC+09:00)");
  }
  {
    const ZoneOfEnvironment rules{"EST5EDT,M3.2.0,M11.1.0"};
    TimeZones zones;
    const session::TimeZone& zone = **zones.local();
    EXPECT_EQ(zone.change_at(utc(2026, 3, 8, 7h) - 1s).offset, -5h);
    EXPECT_EQ(zone.change_at(utc(2026, 3, 8, 7h)).offset, -4h);
    EXPECT_EQ(zone.change_at(utc(2026, 11, 1, 6h) - 1s).offset, -4h);
    EXPECT_EQ(zone.change_at(utc(2026, 11, 1, 6h)).abbreviation, "EST");
    EXPECT_TRUE(zones.local_remark().ends_with("EST (UTC-05:00) and EDT (UTC-04:00)"))
        << zones.local_remark();
  }
  {
    const ZoneOfEnvironment west{"UTC+3"};  // of POSIX: west is positive
    TimeZones zones;
    EXPECT_EQ((*zones.local())->change_at(utc(2026, 7, 1, 0h)).offset, -3h);
  }
  const ZoneOfEnvironment nonsense{"Mars/Base"};
  TimeZones zones;
  EXPECT_EQ((*zones.local())->change_at(utc(2026, 7, 1, 0h)).offset, 0h);
  EXPECT_NE(zones.local_remark(), "");
}

}  // namespace
}  // namespace nexusfix::config
