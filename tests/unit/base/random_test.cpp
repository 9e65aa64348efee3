#include <gtest/gtest.h>
#include <set>

#include <nexusfix/base/clock.hpp>

namespace {

TEST(SeededRandom, gives_the_published_split_mix_sequence) {
  // Reference values of SplitMix64 for the seed 1234567.
  nexusfix::SeededRandom random{1234567};
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
}

TEST(SeededRandom, below_stays_below_its_bound_and_reaches_every_value) {
  nexusfix::SeededRandom random{7};
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t value = random.below(6);
    ASSERT_LT(value, 6U);
    seen.insert(value);
  }
  EXPECT_EQ(seen.size(), 6U);
}

TEST(SystemRandom, does_not_repeat_itself_and_uses_every_bit) {
  nexusfix::SystemRandom random;
  std::set<std::uint64_t> seen;
  std::uint64_t set = 0;
  for (int i = 0; i < 100; ++i) set |= *seen.insert(random.next()).first;
  EXPECT_EQ(seen.size(), 100U);
  EXPECT_EQ(~set, 0U) << "each bit is random";
}

}  // namespace
