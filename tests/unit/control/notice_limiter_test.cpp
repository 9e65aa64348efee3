// How many lines of the event log a source may have in a second.
#include "control/api/notice_limiter.hpp"

#include <gtest/gtest.h>

namespace nexusfix::testing {
namespace {

using engine::NoticeLimiter;
using engine::SecondLimit;
using std::chrono::milliseconds;

constexpr MonoTime kLimiterStart{std::chrono::seconds{100}};

unsigned allowed_of(NoticeLimiter& limiter, transport::Source source, MonoTime now,
                    unsigned tries = 1'000) {
  unsigned count = 0;
  for (unsigned i = 0; i < tries; ++i) count += limiter.allow(source, now) ? 1U : 0U;
  return count;
}

TEST(NoticeLimiter, one_address_gets_a_quarter_of_the_lines_of_unauthenticated_peers) {
  NoticeLimiter limiter;
  EXPECT_EQ(allowed_of(limiter, 1, kLimiterStart), NoticeLimiter::kSourceLinesMax);
  EXPECT_EQ(allowed_of(limiter, 2, kLimiterStart, 3), 3U);
  unsigned all = NoticeLimiter::kSourceLinesMax + 3;
  for (transport::Source source = 3; source < 300; ++source) {
    all += allowed_of(limiter, source, kLimiterStart, 2);
  }
  EXPECT_EQ(all, NoticeLimiter::kUnauthenticatedLinesMax);
  EXPECT_EQ(allowed_of(limiter, 1, kLimiterStart + milliseconds{999}), 0U);
  EXPECT_EQ(allowed_of(limiter, 1, kLimiterStart + milliseconds{1'000}),
            NoticeLimiter::kSourceLinesMax);
}

TEST(NoticeLimiter, hundred_addresses_have_one_line_each) {
  NoticeLimiter limiter;
  for (transport::Source source = 1; source <= NoticeLimiter::kUnauthenticatedLinesMax; ++source) {
    EXPECT_TRUE(limiter.allow(source, kLimiterStart)) << source;
  }
  EXPECT_FALSE(limiter.allow(transport::Source{1}, kLimiterStart));
  EXPECT_FALSE(limiter.allow(transport::Source{9'999}, kLimiterStart));
}

TEST(NoticeLimiter, share_of_one_session_is_independent_of_others) {
  NoticeLimiter limiter;
  SecondLimit one;
  SecondLimit other;
  static_cast<void>(allowed_of(limiter, 1, kLimiterStart));
  for (unsigned i = 0; i < NoticeLimiter::kSessionLinesMax; ++i) {
    EXPECT_TRUE(limiter.allow(one, kLimiterStart));
  }
  EXPECT_FALSE(limiter.allow(one, kLimiterStart + milliseconds{999}));
  EXPECT_TRUE(limiter.allow(other, kLimiterStart + milliseconds{999}));
  EXPECT_TRUE(limiter.allow(one, kLimiterStart + milliseconds{1'000}));
}

TEST(NoticeLimiter, suppressed_lines_are_reported_once_after_a_second) {
  NoticeLimiter limiter;
  EXPECT_EQ(limiter.consume_suppressed(kLimiterStart), 0U);
  static_cast<void>(allowed_of(limiter, 1, kLimiterStart, NoticeLimiter::kSourceLinesMax + 7));
  EXPECT_EQ(limiter.consume_suppressed(kLimiterStart + milliseconds{999}), 0U);
  EXPECT_EQ(limiter.consume_suppressed(kLimiterStart + milliseconds{1'000}), 7U);
  EXPECT_EQ(limiter.consume_suppressed(kLimiterStart + milliseconds{5'000}), 0U);
}

}  // namespace
}  // namespace nexusfix::testing
