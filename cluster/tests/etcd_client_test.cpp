#include "cluster/leases/etcd_client.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <optional>

namespace nexusfix::cluster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// 2026-11-25 19:50:00 UTC.
constexpr WallTime kTime{seconds{1'795'636'200}};
constexpr const char* kDate = "Wed, 25 Nov 2026 19:50:00 GMT";

TEST(ClockDifference, is_what_neither_the_network_nor_the_seconds_of_http_can_hide) {
  const auto least = [](milliseconds asked, milliseconds answered) {
    return clock_difference(kDate, kTime + asked, kTime + answered).value_or(seconds{-99}).count();
  };
  // Their clock was within one second.
  EXPECT_EQ(least(milliseconds{0}, milliseconds{0}), 0);
  EXPECT_EQ(least(milliseconds{999}, milliseconds{1'200}), 0);
  EXPECT_EQ(least(milliseconds{1'999}, milliseconds{2'000}), 0);
  EXPECT_EQ(least(milliseconds{2'000}, milliseconds{2'000}), 1);
  EXPECT_EQ(least(milliseconds{61'500}, milliseconds{70'000}), 60);
  EXPECT_EQ(least(milliseconds{-999}, milliseconds{-1}), 0);
  EXPECT_EQ(least(milliseconds{-70'000}, milliseconds{-60'500}), -60);
  // The answer took a minute.
  EXPECT_EQ(least(milliseconds{-30'000}, milliseconds{30'000}), 0);
}

TEST(ClockDifference, is_unknown_without_a_date) {
  for (const char* date : {"", "yesterday", "Wed, 25 Nov 2026 19:50:00 GMT+1"}) {
    EXPECT_EQ(clock_difference(date, kTime, kTime), std::nullopt) << date;
  }
}

}  // namespace
}  // namespace nexusfix::cluster
