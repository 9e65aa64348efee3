#include "nexusfix/run/serve_until_ended.hpp"

#include <gtest/gtest.h>

namespace nexusfix::command {
namespace {

using std::chrono::seconds;
using Next = Reopening::Next;

constexpr MonoTime kBegin{seconds{1'000}};
constexpr Served kHandedOver{.status = kFailure, .was_open = true, .is_handed_over = true};
constexpr Served kNotOpen{.status = kFailure};

TEST(ReopeningTest, an_engine_that_has_handed_its_shard_over_opens_again_at_once) {
  Reopening reopening;
  EXPECT_EQ(reopening.after(kHandedOver, kBegin), Next::Open);
  EXPECT_EQ(reopening.after(kHandedOver, kBegin + seconds{500}), Next::Open);
}

TEST(ReopeningTest, an_engine_that_ends_by_itself_is_not_opened_again) {
  Reopening reopening;
  EXPECT_EQ(reopening.after({.status = kSuccess, .was_open = true}, kBegin), Next::End);
  EXPECT_EQ(reopening.after(kHandedOver, kBegin), Next::Open);
  EXPECT_EQ(reopening.after({.status = kSuccess, .was_open = true}, kBegin), Next::End);
}

TEST(ReopeningTest, a_first_start_that_fails_is_not_tried_again) {
  Reopening reopening;
  EXPECT_EQ(reopening.after(kNotOpen, kBegin), Next::End);
}

TEST(ReopeningTest, after_a_hand_over_a_start_that_fails_is_tried_again_for_a_minute) {
  Reopening reopening;
  EXPECT_EQ(reopening.after(kHandedOver, kBegin), Next::Open);
  EXPECT_EQ(reopening.after(kNotOpen, kBegin), Next::OpenLater);
  EXPECT_EQ(reopening.after(kNotOpen, kBegin + seconds{59}), Next::OpenLater);
  EXPECT_EQ(reopening.after(kNotOpen, kBegin + seconds{60}), Next::End);
}

TEST(ReopeningTest, each_hand_over_gives_a_minute_of_its_own) {
  Reopening reopening;
  EXPECT_EQ(reopening.after(kHandedOver, kBegin), Next::Open);
  EXPECT_EQ(reopening.after(kHandedOver, kBegin + seconds{50}), Next::Open);
  EXPECT_EQ(reopening.after(kNotOpen, kBegin + seconds{109}), Next::OpenLater);
  EXPECT_EQ(reopening.after(kNotOpen, kBegin + seconds{110}), Next::End);
}

TEST(ServeUntilEndedTest, serves_once_more_for_each_hand_over_and_returns_the_last_status) {
  int served = 0;
  const int status = serve_until_ended([&] {
    ++served;
    return served < 3 ? kHandedOver : Served{.status = kSuccess, .was_open = true};
  });
  EXPECT_EQ(served, 3);
  EXPECT_EQ(status, kSuccess);
}

}  // namespace
}  // namespace nexusfix::command
