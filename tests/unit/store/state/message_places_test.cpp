#include "store/state/message_places.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace nexusfix::store {
namespace {

std::vector<std::uint32_t> offsets_of(const MessagePlaces::Run& run) {
  return {run.offsets().begin(), run.offsets().end()};
}

MessagePlaces::Block block_at(LogPosition begin, LogPosition end, unsigned messages = 1) {
  PlacesDraft draft;
  for (unsigned n = 1; n <= messages; ++n) draft.add(1, n, n);
  MessagePlaces::Block block;
  block.begin = begin;
  block.end = end;
  draft.finish(block);
  return block;
}

TEST(MessagePlaces, each_session_has_its_own_in_the_order_of_the_log) {
  PlacesDraft draft;
  draft.add(7, 5, 0);
  draft.add(2, 100, 30);
  draft.add(7, 6, 60);
  draft.add(2, 103, 90);  // 101 and 102 were not kept
  draft.add(7, 7, 120);
  MessagePlaces::Block block;
  draft.finish(block);
  EXPECT_EQ(offsets_of(block.of(7)), (std::vector<std::uint32_t>{0, 60, 120}));
  EXPECT_EQ(offsets_of(block.of(7).from(0, 200, 6)), (std::vector<std::uint32_t>{60, 120}));
  EXPECT_EQ(offsets_of(block.of(7).from(60, 120, 1)), (std::vector<std::uint32_t>{60}));
  EXPECT_EQ(offsets_of(block.of(2).from(0, 200, 101)), (std::vector<std::uint32_t>{90}));
  EXPECT_EQ(block.of(2).number(1), 103U);
  EXPECT_TRUE(block.of(2).from(0, 200, 104).empty());
  EXPECT_TRUE(block.of(3).empty());
  EXPECT_EQ(block.numbers.size(), 2U);  // of that session alone
}

TEST(MessagePlaces, what_a_reset_in_the_same_record_ended_hides_nothing) {
  PlacesDraft draft;
  draft.add(1, 900, 10);
  draft.add(1, 1, 10);
  draft.add(1, 2, 40);
  MessagePlaces::Block block;
  draft.finish(block);
  for (const std::uint64_t number : {1U, 2U}) {
    const auto found = offsets_of(block.of(1).from(0, 100, number));
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.back(), 40U);
  }
  EXPECT_EQ(block.of(1).from(0, 100, 1).offsets().front(), 10U);
}

TEST(MessagePlaces, numbers_above_the_largest_are_never_passed_over) {
  PlacesDraft draft;
  draft.add(1, MessagePlaces::kNumberMax - 1, 10);
  draft.add(1, MessagePlaces::kNumberMax, 20);
  draft.add(1, MessagePlaces::kNumberMax + 5, 30);
  MessagePlaces::Block block;
  draft.finish(block);
  EXPECT_EQ(offsets_of(block.of(1).from(0, 100, MessagePlaces::kNumberMax + 5)),
            (std::vector<std::uint32_t>{20, 30}));
}

TEST(MessagePlaces, memory_is_bounded_and_what_is_used_stays) {
  MessagePlaces one{UINT64_MAX};
  one.add(block_at(0, 100, 1000));
  MessagePlaces places{3 * one.memory_bytes()};
  for (LogPosition begin = 0; begin < 3'000; begin += 100) {
    places.add(block_at(begin, begin + 100, 1000));
    EXPECT_LE(places.memory_bytes(), 3 * one.memory_bytes());
    EXPECT_NE(places.find(0), nullptr) << begin;
  }
  EXPECT_NE(places.find(2'999), nullptr);
  EXPECT_EQ(places.find(3'000), nullptr);
}

TEST(MessagePlaces, many_small_blocks_stay_in_order_within_the_bound) {
  MessagePlaces one{UINT64_MAX};
  one.add(block_at(0, 10));
  MessagePlaces places{100 * one.memory_bytes()};
  for (LogPosition n = 0; n < 1'000; ++n) {
    const LogPosition begin = n * 389 % 1'000 * 10;  // 389 and 1,000 have no common factor
    places.add(block_at(begin, begin + 10));
    ASSERT_NE(places.find(begin + 9), nullptr);
    ASSERT_LE(places.memory_bytes(), 100 * one.memory_bytes());
  }
  int kept = 0;
  for (LogPosition begin = 0; begin < 10'000; begin += 10) {
    const MessagePlaces::Block* block = places.find(begin);
    if (block == nullptr) continue;
    ++kept;
    EXPECT_EQ(block->begin, begin);
  }
  EXPECT_EQ(kept, 100);
}

TEST(MessagePlaces, a_run_ends_before_the_first_number_above_the_last_one) {
  PlacesDraft draft;
  for (unsigned n = 900; n <= 902; ++n) draft.add(1, n, 10);  // of the epoch before
  draft.add(1, 1, 10);
  for (unsigned n = 2; n <= 5; ++n) draft.add(1, n, 10 * n);
  MessagePlaces::Block block;
  draft.finish(block);
  EXPECT_EQ(offsets_of(block.of(1).up_to(1)), (std::vector<std::uint32_t>{10, 10, 10, 10}));
  EXPECT_EQ(offsets_of(block.of(1).from(20, 100, 2).up_to(3)),
            (std::vector<std::uint32_t>{20, 30}));
  EXPECT_EQ(block.of(1).up_to(9).size(), 8U);
  EXPECT_TRUE(block.of(2).up_to(9).empty());
}

TEST(MessagePlaces, one_that_is_larger_than_the_bound_alone_is_kept) {
  MessagePlaces places{1};
  places.add(block_at(0, 100));
  places.add(block_at(100, 200));
  EXPECT_EQ(places.find(50), nullptr);
  EXPECT_NE(places.find(150), nullptr);
}

TEST(MessagePlaces, what_ends_before_a_position_is_forgotten_with_its_memory) {
  MessagePlaces places{1U << 20U};
  for (LogPosition begin = 0; begin < 400; begin += 100) places.add(block_at(begin, begin + 100));
  const std::size_t memory_bytes = places.memory_bytes();
  places.forget_before(0);
  EXPECT_EQ(places.memory_bytes(), memory_bytes);
  places.forget_before(250);
  EXPECT_EQ(places.memory_bytes(), memory_bytes / 2);
  EXPECT_EQ(places.find(199), nullptr);
  EXPECT_NE(places.find(200), nullptr);
  places.forget_before(400);
  EXPECT_EQ(places.memory_bytes(), 0U);
  EXPECT_EQ(places.find(399), nullptr);
}

TEST(MessagePlaces, what_is_after_a_position_is_found) {
  MessagePlaces places{1U << 20U};
  EXPECT_EQ(places.next_begin(0), MessagePlaces::kNoPosition);
  places.add(block_at(500, 600));
  places.add(block_at(100, 200));
  EXPECT_EQ(places.next_begin(99), 100U);
  EXPECT_EQ(places.next_begin(300), 500U);
  EXPECT_EQ(places.next_begin(600), MessagePlaces::kNoPosition);
}

}  // namespace
}  // namespace nexusfix::store
