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

TEST(MessagePlaces, memory_is_bounded_and_what_was_not_used_for_longest_goes) {
  const std::size_t one = block_at(0, 100, 1000).memory_bytes();
  MessagePlaces places{3 * one};
  for (LogPosition begin = 0; begin < 300; begin += 100) {
    places.add(block_at(begin, begin + 100, 1000));
  }
  EXPECT_NE(places.find(0), nullptr);
  places.add(block_at(300, 400, 1000));
  EXPECT_LE(places.memory_bytes(), 3 * one);
  EXPECT_NE(places.find(99), nullptr);
  EXPECT_EQ(places.find(100), nullptr);
  EXPECT_NE(places.find(200), nullptr);
  EXPECT_NE(places.find(399), nullptr);
  EXPECT_EQ(places.find(400), nullptr);
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
