#include "store/state/message_index.hpp"

#include <cstdint>
#include <gtest/gtest.h>

namespace nexusfix::store {
namespace {

constexpr std::uint64_t kRecordBytes = 200;

// Message n lies at n * kRecordBytes.
MessageIndex index_of(std::uint64_t messages) {
  MessageIndex index;
  for (std::uint64_t n = 1; n <= messages; ++n) {
    index.add(n, n * kRecordBytes, (n + 1) * kRecordBytes);
  }
  return index;
}

bool covers(const MessageIndex& index, std::uint64_t number) {
  for (const MessageIndex::Group& group : index.groups(number, number)) {
    if (group.begin <= number * kRecordBytes && (number + 1) * kRecordBytes <= group.end) {
      return true;
    }
  }
  return false;
}

TEST(MessageIndex, covers_every_message_at_every_size) {
  for (const std::uint64_t messages : {1U, 2U, 63U, 64U, 65U, 131'072U, 131'073U, 400'000U}) {
    const MessageIndex index = index_of(messages);
    for (std::uint64_t n = 1; n <= messages; n += 1 + messages / 5000) {
      ASSERT_TRUE(covers(index, n)) << n << " of " << messages;
    }
    EXPECT_TRUE(covers(index, messages));
  }
}

TEST(MessageIndex, keeps_its_size_and_reads_little_for_one_message) {
  const std::uint64_t messages = 2'000'000;
  const MessageIndex index = index_of(messages);
  EXPECT_LE(index.groups(1, messages).size(), MessageIndex::kGroupsMax);
  EXPECT_GE(index.groups(1, messages).size(), MessageIndex::kGroupsMax / 4);
  for (std::uint64_t n = 1; n <= messages; n += 9973) {
    const auto groups = index.groups(n, n);
    ASSERT_EQ(groups.size(), 1U);
    ASSERT_LE(groups[0].end - groups[0].begin, 2048 * kRecordBytes);
  }
}

TEST(MessageIndex, a_group_does_not_reach_over_a_long_stretch_of_other_sessions) {
  MessageIndex index;
  index.add(1, 0, 100);
  index.add(2, 1'000'000, 1'000'100);
  const auto groups = index.groups(1, 2);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].end, 100U);
  EXPECT_EQ(groups[1].begin, 1'000'000U);
}

TEST(MessageIndex, no_group_reaches_across_the_last_fence_however_many_are_merged) {
  MessageIndex index;
  index.limit({.groups_max = MessageIndex::kGroupsMin});
  std::uint64_t fence = 0;
  for (std::uint64_t n = 1; n <= 50'000; ++n) {
    index.add(n, n * kRecordBytes, (n + 1) * kRecordBytes);
    if (n % 777 == 0) {
      index.fence();
      fence = n + 1;
      EXPECT_TRUE(index.after_fence().empty());
    } else if (n > fence) {
      ASSERT_EQ(index.after_fence().front().first, fence == 0 ? 1 : fence);
    }
    ASSERT_LE(index.groups().size(), MessageIndex::kGroupsMin);
  }
  for (std::uint64_t n = 1; n <= 50'000; n += 7) ASSERT_TRUE(covers(index, n)) << n;
}

TEST(MessageIndex, all_sessions_of_a_log_together_stay_small) {
  for (const std::size_t sessions : {1U, 512U, 1'000U, 10'000U, 65'536U}) {
    const std::size_t groups = MessageIndex::limits_for(sessions).groups_max;
    EXPECT_LE(sessions * groups * sizeof(MessageIndex::Group), 24U << 20U) << sessions;
    EXPECT_GE(groups, MessageIndex::kGroupsMin);
  }
}

// The first sessions of a new log are opened when it has few.
TEST(MessageIndex, gives_memory_back_when_more_sessions_share_the_log) {
  MessageIndex index;
  index.limit(MessageIndex::limits_for(1));
  index.reserve();
  ASSERT_EQ(index.room(), MessageIndex::kGroupsMax);
  for (std::uint64_t n = 1; n <= 100'000; ++n) {
    index.add(n, n * kRecordBytes, (n + 1) * kRecordBytes);
  }
  const MessageIndex::Limits limits = MessageIndex::limits_for(10'000);
  index.limit(limits);
  EXPECT_EQ(index.room(), limits.groups_max);
  for (std::uint64_t n = 1; n <= 100'000; n += 7) ASSERT_TRUE(covers(index, n)) << n;
  for (std::uint64_t n = 100'001; n <= 200'000; ++n) {
    index.add(n, n * kRecordBytes, (n + 1) * kRecordBytes);
  }
  EXPECT_EQ(index.room(), limits.groups_max);
}

TEST(MessageIndex, clear_forgets_everything) {
  MessageIndex index = index_of(100);
  index.clear();
  EXPECT_TRUE(index.groups(1, 100).empty());
  index.add(1, 0, 100);
  EXPECT_EQ(index.groups(1, 100).size(), 1U);
}

}  // namespace
}  // namespace nexusfix::store
