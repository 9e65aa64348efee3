#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/deferred/spsc_queue.hpp>

namespace nexusfix::deferred {
namespace {

[[nodiscard]] std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text});
}
[[nodiscard]] std::string text_of(std::span<const std::byte> bytes) {
  std::string text(bytes.size(), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) text[i] = static_cast<char>(bytes[i]);
  return text;
}
[[nodiscard]] std::optional<std::string> pop(RecordQueue& queue) {
  const auto record = queue.read();
  if (!record) return std::nullopt;
  std::string text = text_of(*record);
  queue.release();
  return text;
}

TEST(RecordQueue, records_of_every_length_come_back_whole_and_in_order_over_many_laps) {
  RecordQueue queue{256};
  std::size_t length = 0;
  std::vector<std::string> expected;
  std::size_t read = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::string text(length, static_cast<char>('a' + i % 26));
    const auto pushed = queue.push(bytes_of(text));
    if (pushed) {
      expected.push_back(text);
      length = (length + 7) % (queue.record_bytes_max() + 1);
    } else {
      ASSERT_EQ(pushed.error(), RecordQueue::Error::Full);
      const auto record = pop(queue);
      ASSERT_TRUE(record);
      ASSERT_EQ(*record, expected[read++]);
    }
  }
  while (const auto record = pop(queue)) ASSERT_EQ(*record, expected[read++]);
  EXPECT_EQ(read, expected.size());
  EXPECT_EQ(queue.size_bytes(), 0U);
}

TEST(RecordQueue, the_longest_record_fits_at_any_position_and_a_longer_one_never) {
  RecordQueue queue{128};
  const std::string longest(queue.record_bytes_max(), 'x');
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(queue.push(bytes_of(std::string(static_cast<std::size_t>(i % 40), 'y'))));
    ASSERT_TRUE(pop(queue));
    ASSERT_TRUE(queue.push(bytes_of(longest))) << i;
    ASSERT_EQ(pop(queue), longest);
  }
  const auto refused = queue.push(bytes_of(longest + "x"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), RecordQueue::Error::TooLong);
  const auto huge = queue.claim(std::numeric_limits<std::size_t>::max());
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error(), RecordQueue::Error::TooLong);
  EXPECT_FALSE(queue.read());
}

TEST(RecordQueue, an_empty_record_is_a_record) {
  RecordQueue queue{64};
  ASSERT_TRUE(queue.push({}));
  const auto record = queue.read();
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->empty());
  EXPECT_FALSE(queue.read());
}

TEST(RecordQueue, a_full_ring_refuses_until_records_are_released) {
  RecordQueue queue{64};  // four records of 8 bytes with their headers
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(queue.push(bytes_of("12345678")));
  EXPECT_EQ(queue.push(bytes_of("")).error(), RecordQueue::Error::Full);
  ASSERT_TRUE(queue.read());
  EXPECT_EQ(queue.push(bytes_of("")).error(), RecordQueue::Error::Full);
  queue.release();
  EXPECT_TRUE(queue.push(bytes_of("87654321")));
  EXPECT_EQ(queue.push(bytes_of("")).error(), RecordQueue::Error::Full);
}

TEST(RecordQueue, less_than_was_claimed_can_be_committed_and_a_claim_can_be_dropped) {
  RecordQueue queue{128};
  ASSERT_TRUE(queue.claim(50));
  EXPECT_FALSE(queue.read());
  const auto room = queue.claim(30);
  ASSERT_TRUE(room);
  ASSERT_EQ(room->size(), 30U);
  std::memcpy(room->data(), "abc", 3);
  queue.commit(3);
  EXPECT_EQ(pop(queue), "abc");
  EXPECT_FALSE(queue.read());
}

TEST(RecordQueue, a_dropped_claim_after_the_wrap_does_not_change_the_ring) {
  RecordQueue queue{64};
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(queue.push(bytes_of("12345678")));
    ASSERT_TRUE(pop(queue));
  }
  ASSERT_TRUE(queue.claim(16));  // 16 bytes until the end: goes to the start, and is dropped
  ASSERT_TRUE(queue.push(bytes_of("abcdefgh")));
  EXPECT_EQ(pop(queue), "abcdefgh");
  ASSERT_TRUE(queue.push(bytes_of("0123456789abcdef")));
  EXPECT_EQ(pop(queue), "0123456789abcdef");
}

TEST(RecordQueue, records_are_aligned_to_eight_bytes) {
  RecordQueue queue{256};
  for (std::size_t size = 0; size < 20; ++size) {
    const auto room = queue.claim(size);
    ASSERT_TRUE(room);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room->data()) % 8, 0U);
    queue.commit(size);
    ASSERT_TRUE(queue.read());
    queue.release();
  }
}

TEST(RecordQueue, several_records_can_be_read_before_they_are_released_together) {
  RecordQueue queue{256};
  ASSERT_TRUE(queue.push(bytes_of("one")));
  ASSERT_TRUE(queue.push(bytes_of("two")));
  const auto one = queue.read();
  const auto two = queue.read();
  ASSERT_TRUE(one && two);
  EXPECT_EQ(text_of(*one) + text_of(*two), "onetwo");
  EXPECT_EQ(queue.size_bytes(), 32U);
  queue.release();
  EXPECT_EQ(queue.size_bytes(), 0U);
}

TEST(RecordQueueDeathTest, a_capacity_that_is_no_power_of_two_is_a_programmers_error) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(RecordQueue{100}, "has_single_bit");
  EXPECT_DEATH(RecordQueue{32}, "kCapacityBytesMin");
}

}  // namespace
}  // namespace nexusfix::deferred
