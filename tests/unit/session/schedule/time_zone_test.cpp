// Local times of a zone that has daylight saving time.
#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "session/api/config.hpp"

namespace nexusfix::session::time_zone_test {
namespace {

using namespace std::chrono_literals;
using std::chrono::local_days;
using std::chrono::March;
using std::chrono::October;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

constexpr sys_days kSpring = March / 29 / 2026;
constexpr sys_days kAutumn = October / 25 / 2026;

// BST from 29 March 01:00 UTC to 25 October 01:00 UTC.
TimeZone london() {
  return {"Europe/London",
          {{sys_days{October / 26 / 2025} + 1h, 0s, "GMT"},
           {kSpring + 1h, 1h, "BST"},
           {kAutumn + 1h, 0s, "GMT"}}};
}

TEST(TimeZone, a_local_time_that_occurs_twice_means_the_first_one) {
  EXPECT_EQ(london().to_utc(local_days{October / 25 / 2026} + 90min), kAutumn + 30min);
}

TEST(TimeZone, a_skipped_local_time_means_the_moment_of_the_change) {
  EXPECT_EQ(london().to_utc(local_days{March / 29 / 2026} + 90min), kSpring + 1h);
}

TEST(TimeZone, every_moment_that_is_not_repeated_has_a_reversible_local_time) {
  const TimeZone zone = london();
  const sys_seconds end = kAutumn + std::chrono::days{2};
  for (sys_seconds time = kSpring - std::chrono::days{1}; time < end; time += 30min) {
    const bool is_second = time >= kAutumn + 1h && time < kAutumn + 2h;
    EXPECT_EQ(zone.to_utc(zone.to_local(time)), is_second ? time - 1h : time);
  }
}

TEST(TimeZone, a_time_before_the_first_change_has_the_first_offset) {
  EXPECT_EQ(london().change_at(sys_days{March / 1 / 1980}).abbreviation, "GMT");
}

}  // namespace
}  // namespace nexusfix::session::time_zone_test
