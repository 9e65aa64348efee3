#include <array>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <nexusfix/deferred/spsc_queue.hpp>

namespace nexusfix::deferred {
namespace {

struct Wide {
  std::array<std::uint64_t, 32> words{};
};

TEST(SpscQueue, returns_values_in_order_over_many_laps) {
  SpscQueue<std::uint64_t, 4> queue;
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  for (int lap = 0; lap < 100; ++lap) {
    while (queue.push(pushed)) ++pushed;
    std::uint64_t value = 0;
    for (int i = 0; i < 3 && queue.pop(value); ++i) ASSERT_EQ(value, popped++);
  }
  EXPECT_EQ(queue.pushed(), pushed);
  EXPECT_EQ(pushed - popped, queue.size());
}

TEST(SpscQueue, holds_exactly_its_capacity) {
  SpscQueue<int, 8> queue;
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(queue.push(i));
  EXPECT_EQ(queue.size(), 8U);
  EXPECT_FALSE(queue.push(8));
  int value = -1;
  EXPECT_TRUE(queue.pop(value));
  EXPECT_EQ(value, 0);
  EXPECT_TRUE(queue.push(8));
  EXPECT_FALSE(queue.push(9));
}

TEST(SpscQueue, one_slot_works) {
  SpscQueue<int, 1> queue;
  int value = 0;
  EXPECT_FALSE(queue.pop(value));
  for (int i = 1; i < 5; ++i) {
    EXPECT_TRUE(queue.push(i));
    EXPECT_FALSE(queue.push(99));
    ASSERT_TRUE(queue.pop(value));
    EXPECT_EQ(value, i);
  }
}

TEST(SpscQueue, an_empty_queue_leaves_the_value_untouched) {
  SpscQueue<int, 2> queue;
  int value = 7;
  EXPECT_FALSE(queue.pop(value));
  EXPECT_EQ(value, 7);
}

TEST(SpscQueue, copies_every_byte_of_a_wide_slot) {
  SpscQueue<Wide, 2> queue;
  Wide in;
  std::iota(in.words.begin(), in.words.end(), 1U);
  ASSERT_TRUE(queue.push(in));
  Wide out;
  ASSERT_TRUE(queue.pop(out));
  EXPECT_EQ(out.words, in.words);
}

TEST(SpscQueue, moves_values_that_cannot_be_copied) {
  SpscQueue<std::unique_ptr<int>, 2> queue;
  ASSERT_TRUE(queue.push(std::make_unique<int>(5)));
  ASSERT_TRUE(queue.push(std::make_unique<int>(6)));
  auto refused = std::make_unique<int>(7);
  EXPECT_FALSE(queue.push(std::move(refused)));
  EXPECT_NE(refused, nullptr);
  std::unique_ptr<int> value;
  ASSERT_TRUE(queue.pop(value));
  EXPECT_EQ(*value, 5);
}

TEST(SpscQueue, remaining_values_are_destroyed_with_the_queue) {
  const auto shared = std::make_shared<int>(1);
  {
    SpscQueue<std::shared_ptr<int>, 4> queue;
    ASSERT_TRUE(queue.push(shared));
    EXPECT_EQ(shared.use_count(), 2);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(SpscQueue, a_batch_is_pushed_as_far_as_there_is_room_and_popped_across_the_wrap) {
  SpscQueue<int, 8> queue;
  std::array<int, 8> values{0, 1, 2, 3, 4, 5, 6, 7};
  std::array<int, 8> out{};
  ASSERT_EQ(queue.push_batch(std::span{values}.first(5)), 5U);
  ASSERT_EQ(queue.pop_batch(std::span{out}.first(3)), 3U);
  EXPECT_EQ(queue.push_batch(values), 6U);
  EXPECT_EQ(queue.push_batch(values), 0U);
  ASSERT_EQ(queue.pop_batch(out), 8U);
  EXPECT_EQ(out, (std::array<int, 8>{3, 4, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(queue.pop_batch(out), 0U);
}

TEST(SpscQueue, a_claimed_slot_is_seen_only_when_committed) {
  SpscQueue<int, 2> queue;
  int* const slot = queue.claim();
  ASSERT_NE(slot, nullptr);
  *slot = 3;
  int value = 0;
  EXPECT_FALSE(queue.pop(value));
  EXPECT_EQ(queue.claim(), slot);
  queue.commit();
  EXPECT_TRUE(queue.pop(value));
  EXPECT_EQ(value, 3);
}

TEST(SpscQueue, slots_that_are_read_in_place_are_not_reused_before_release) {
  SpscQueue<int, 4> queue;
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(queue.push(i));
  const std::span<int> some = queue.readable(3);
  ASSERT_EQ(some.size(), 3U);
  EXPECT_FALSE(queue.push(9));
  EXPECT_EQ(some[2], 2);
  queue.release(2);
  EXPECT_TRUE(queue.push(4));
  EXPECT_TRUE(queue.push(5));
  EXPECT_FALSE(queue.push(6));
  EXPECT_EQ(queue.readable().size(), 2U);  // up to the ring's end
}

}  // namespace
}  // namespace nexusfix::deferred
