// Buckets of latencies, counts by MsgType and by reason.
#include "control/api/counters.hpp"

#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace nexusfix::engine {
namespace {

using std::chrono::nanoseconds;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::SizeIs;

template <class Counters>
class LatencyCountersTest : public ::testing::Test {};
using BothCounters = ::testing::Types<LoopLatency, SessionLatency>;
TYPED_TEST_SUITE(LatencyCountersTest, BothCounters);

TYPED_TEST(LatencyCountersTest, each_bucket_ends_where_the_next_one_begins) {
  for (std::size_t i = 0; i + 1 < TypeParam::kBuckets; ++i) {
    const std::int64_t end = TypeParam::begin_of(i + 1);
    ASSERT_LT(TypeParam::begin_of(i), end) << i;
    ASSERT_EQ(TypeParam::index_of(TypeParam::begin_of(i)), i);
    ASSERT_EQ(TypeParam::index_of(end - 1), i);
    ASSERT_EQ(TypeParam::index_of(end), i + 1);
  }
}

TYPED_TEST(LatencyCountersTest, no_bucket_is_wider_than_its_share_of_the_duration) {
  for (std::size_t i = TypeParam::kSubBuckets; i + 1 < TypeParam::kBuckets; ++i) {
    const std::int64_t begin = TypeParam::begin_of(i);
    const std::int64_t width = TypeParam::begin_of(i + 1) - begin;
    ASSERT_LE(width * static_cast<std::int64_t>(TypeParam::kSubBuckets), begin) << i;
  }
}

TYPED_TEST(LatencyCountersTest, a_bucket_ends_at_each_power_of_two) {
  for (unsigned power = TypeParam::kLinearBits; power < TypeParam::kDurationBits; ++power) {
    const std::int64_t value = std::int64_t{1} << power;
    ASSERT_EQ(TypeParam::begin_of(TypeParam::index_of(value)), value);
  }
}

TYPED_TEST(LatencyCountersTest, a_duration_that_is_too_long_is_in_the_last_bucket) {
  EXPECT_EQ(TypeParam::index_of(INT64_MAX), TypeParam::kBuckets - 1);
  EXPECT_EQ(TypeParam::index_of(std::int64_t{1} << TypeParam::kDurationBits),
            TypeParam::kBuckets - 1);
  TypeParam counters;
  counters.record(std::chrono::hours{1});
  const LatencyHistogram all = counters.read();
  ASSERT_THAT(all.buckets(), SizeIs(1));
  EXPECT_EQ(all.buckets().front().to, nanoseconds::max());
  EXPECT_EQ(all.percentile(100), all.buckets().front().from);
}

TEST(LatencyCounters, a_count_at_its_highest_value_stays_there) {
  LatencyCounters<3, std::uint8_t> counters;
  for (int i = 0; i < 300; ++i) counters.record(nanoseconds{0});
  counters.record(nanoseconds{1'000});
  const LatencyHistogram all = counters.read();
  ASSERT_THAT(all.buckets(), SizeIs(2));
  EXPECT_EQ(all.buckets().front().count, 255U);
  EXPECT_EQ(all.count(), 256U);
}

TEST(LatencyHistogram, percentile_is_never_below_the_duration_and_close_to_it) {
  LoopLatency counters;
  for (int us = 1; us <= 1000; ++us) counters.record(std::chrono::microseconds{us});
  const LatencyHistogram all = counters.read();
  EXPECT_EQ(all.count(), 1000U);
  EXPECT_NEAR(static_cast<double>(all.mean().count()), 500'500, 500'500 / 32.0);
  for (const double percent : {1.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
    const auto exact = percent * 10'000;
    const auto found = static_cast<double>(all.percentile(percent).count());
    EXPECT_GE(found, exact) << percent;
    EXPECT_LE(found, exact * 1.0626) << percent;
  }
}

TEST(LatencyHistogram, empty_one_has_no_durations) {
  const LatencyHistogram none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.percentile(99), nanoseconds{0});
  EXPECT_EQ(none.mean(), nanoseconds{0});
}

TEST(LatencyHistogram, count_below_a_power_of_two_is_exact) {
  LoopLatency counters;
  counters.record(nanoseconds{1023});
  for (int i = 0; i < 3; ++i) counters.record(nanoseconds{1024});
  EXPECT_EQ(counters.read().count_below(nanoseconds{1024}), 1U);
  EXPECT_EQ(counters.read().count_below(nanoseconds{2048}), 4U);
}

TEST(MessageTypeCounters, types_are_in_order_and_with_their_own_text) {
  MessageTypeCounters counters;
  for (const char* type : {"D", "8", "D", "AE", "U1234567", "0"}) counters.count(pack(type));
  const auto counts = counters.read();
  std::string text;
  for (const auto& [type, count] : counts) text += type + "=" + std::to_string(count) + " ";
  EXPECT_EQ(text, "0=1 8=1 AE=1 D=2 U1234567=1 ");
  EXPECT_EQ(counters.of(pack("D")), 2U);
  EXPECT_EQ(counters.all(), 6U);
}

// A counterparty that invents types takes no more memory.
TEST(MessageTypeCounters, types_after_the_sixteenth_and_long_ones_are_counted_as_other) {
  MessageTypeCounters counters;
  for (int i = 0; i < 100; ++i) counters.count(pack("U" + std::to_string(i)));
  counters.count(pack("U12345678"));
  const auto counts = counters.read();
  ASSERT_THAT(counts, SizeIs(17));
  EXPECT_EQ(counts.back().msg_type, "other");
  EXPECT_EQ(counts.back().count, 85U);
  EXPECT_EQ(counters.all(), 101U);
}

TEST(RejectCounters, reasons_that_fix_does_not_define_have_no_number) {
  RejectCounters counters;
  counters.count(RejectKind::Session, 5);
  counters.count(RejectKind::Session, 99);
  counters.count(RejectKind::Session, 12'345);
  counters.count(RejectKind::Session, std::nullopt);
  counters.count(RejectKind::Business, 3);
  const auto reason = [](std::optional<std::uint32_t> value, std::uint64_t count) {
    return ::testing::AllOf(Field(&SessionStatistics::RejectCount::reason, value),
                            Field(&SessionStatistics::RejectCount::count, count));
  };
  EXPECT_THAT(counters.read(),
              ElementsAre(reason(5, 1), reason(99, 1), reason(std::nullopt, 2), reason(3, 1)));
  EXPECT_TRUE(counters.read().back().is_business);
}

}  // namespace
}  // namespace nexusfix::engine
