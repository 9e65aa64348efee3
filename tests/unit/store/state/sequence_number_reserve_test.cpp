#include "store/state/sequence_number_reserve.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "support/sanitized.hpp"

namespace nexusfix::store {
namespace {

constexpr std::uint64_t kBlock = 1000;
constexpr SessionKey kOnly = 0;

class SequenceNumberReserveTest : public ::testing::Test {
 protected:
  SequenceNumberReserveTest() { reserve_.add(1); }

  // Uses this number of sequence numbers, and writes what is requested with each. Returns how many
  // had to wait.
  std::uint64_t use(std::uint64_t count) {
    std::uint64_t waited = 0;
    for (; count > 0; --count) {
      if (next_ >= reserve_.reserve_threshold(kOnly) && reserve_.use(kOnly, next_)) ++waited;
      ++next_;
      ++end_;
      if (!reserve_.has_pending()) continue;
      static_cast<void>(reserve_.next_to_write());
      reserve_.on_written(end_);
    }
    return waited;
  }
  void sync() {
    reserve_.on_synced(end_, [this](SessionKey) { return next_; });
  }

  SequenceNumberReserve reserve_{kBlock};
  std::uint64_t next_ = 1;
  LogPosition end_ = 0;
};

TEST_F(SequenceNumberReserveTest, one_block_may_be_used_before_anything_is_synced) {
  EXPECT_EQ(use(kBlock), 0U);
  EXPECT_EQ(use(1), 1U);
}

TEST_F(SequenceNumberReserveTest, a_reservation_counts_from_the_sync_that_covers_it) {
  use(kBlock / 4 + 2);  // asked for and written with the last but one
  reserve_.on_synced(end_ - 2, [this](SessionKey) { return next_; });
  EXPECT_EQ(use(kBlock - kBlock / 4), 2U);
  sync();
  EXPECT_EQ(use(kBlock / 4 - 1), 0U);
}

TEST_F(SequenceNumberReserveTest, who_uses_little_while_it_syncs_keeps_a_block_ahead) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(use(kBlock / 10), 0U);
    sync();
    EXPECT_LE(reserve_.reserved(kOnly), next_ + kBlock);
  }
}

TEST_F(SequenceNumberReserveTest, who_uses_much_gets_more_and_waits_only_at_first) {
  EXPECT_GT(use(2 * kBlock), 0U);
  sync();
  use(1);
  sync();
  std::uint64_t waited = 0;
  for (int i = 0; i < 20; ++i) {
    waited += use(2 * kBlock);
    sync();
  }
  EXPECT_LT(waited, 2 * kBlock);
  EXPECT_EQ(use(3 * kBlock), 0U);
}

TEST_F(SequenceNumberReserveTest, what_was_not_offered_is_not_taken_for_written) {
  use(kBlock / 4);
  ASSERT_FALSE(reserve_.use(kOnly, next_++));
  reserve_.on_written(++end_);
  sync();
  EXPECT_EQ(use(kBlock), kBlock / 4 + 1);
}

TEST_F(SequenceNumberReserveTest, a_block_is_at_most_some_millions) {
  constexpr std::size_t kRounds = 40 / case_step(4);
  for (std::size_t i = 0; i < kRounds; ++i) {
    use(SequenceNumberReserve::kBlockMax / 4);
    EXPECT_LE(reserve_.reserved(kOnly), next_ + SequenceNumberReserve::kBlockMax + 1);
    sync();
  }
}

TEST_F(SequenceNumberReserveTest, a_quiet_session_gives_back_what_was_reserved) {
  for (int i = 0; i < 20; ++i) {
    use(2 * kBlock);
    sync();
  }
  sync();
  sync();
  ASSERT_TRUE(reserve_.has_pending());
  EXPECT_EQ(reserve_.reserved(kOnly), next_ + kBlock);
  static_cast<void>(reserve_.next_to_write());
  reserve_.on_written(++end_);
  sync();
  EXPECT_EQ(use(kBlock - 1), 0U);
  EXPECT_EQ(use(1), 0U);
  EXPECT_EQ(use(1), 1U);
}

TEST_F(SequenceNumberReserveTest, a_reset_begins_again) {
  use(kBlock / 2);
  reserve_.set(kOnly, 1);
  next_ = 1;
  sync();
  EXPECT_EQ(use(kBlock), 0U);
  EXPECT_EQ(use(1), 1U);
}

}  // namespace
}  // namespace nexusfix::store
