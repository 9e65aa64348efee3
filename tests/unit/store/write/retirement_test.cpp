// How many segments may be retired, and that two checkpoints tell of each before it goes.
#include "store/write/retirement.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "store/api/journal_format.hpp"
#include "store/state/checkpoint.hpp"
#include "support/disks/fake_disk.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

SegmentHeader segment_at(std::uint64_t number, LogPosition position) {
  return {.log_id = 1,
          .number = number,
          .position = position,
          .time = at_second(static_cast<int>(number)),
          .synced = position,
          .start_bytes = kSegmentHeaderBytes + 100};
}

// The log must begin with a checkpoint that is on the disk, and a later header must say so.
TEST(CountRetired, keeps_the_last_segment_whose_start_is_known_to_be_on_the_disk) {
  const std::vector<SegmentHeader> segments{segment_at(1, 0), segment_at(2, 1'000),
                                            segment_at(3, 2'000), segment_at(4, 3'000)};
  const Retention retention{.keep_bytes = 1};
  const auto count = [&](LogPosition synced) {
    return count_retired(segments, retention, 3'900, synced, 3'900, at_second(50));
  };
  const std::uint64_t start = segments.front().records_at();
  EXPECT_EQ(count(3'000 + start), 2U) << "the header of 4 says that the log was synced to 3,000";
  EXPECT_EQ(count(3'000 + start - 1), 1U) << "the start of 4 may not be on the disk";
  EXPECT_EQ(count(2'000 + start - 1), 0U);
  EXPECT_EQ(count(0), 0U);
}

TEST(CountRetired, keeps_as_many_bytes_as_the_rule_says) {
  const std::vector<SegmentHeader> segments{segment_at(1, 0), segment_at(2, 1'000),
                                            segment_at(3, 2'000), segment_at(4, 9'000)};
  const auto count = [&](std::uint64_t keep_bytes) {
    return count_retired(segments, {.keep_bytes = keep_bytes}, 10'000, 10'000, 10'000,
                         at_second(50));
  };
  EXPECT_EQ(count(8'000), 2U);
  EXPECT_EQ(count(8'001), 1U);
  EXPECT_EQ(count(9'000), 1U);
  EXPECT_EQ(count(9'001), 0U);
}

// With one alone, damage to it would leave a log without a beginning.
TEST(Retirement, two_checkpoints_on_the_disk_tell_of_each_segment_before_it_goes) {
  constexpr std::uint64_t kSegmentBytes = 1'500;
  testing::FakeDisk disk;
  const JournalOptions options{
      .folder = "/journal",
      .durability = Durability::Sync,
      .segment_bytes = kSegmentBytes,
      .retention = {.keep_bytes = 2 * kSegmentBytes, .even_current = true}};
  const OpenedJournal journal = open_or_fail(disk, options);
  const SessionKey key = open_session(*journal.store, "A");
  const auto path_of = [&](std::uint64_t number) {
    return path_of_segment(options.folder, number);
  };
  std::uint64_t first = 1;
  for (std::uint64_t message = 1; message <= 300; ++message) {
    ASSERT_TRUE(append_message(*journal.store, key, message, std::string(90, 'm')));
    ASSERT_TRUE(journal.store->flush());
    if (disk.exists(path_of(first))) continue;
    while (!disk.exists(path_of(first))) ++first;
    LogPosition kept = 0;
    int telling = 0;
    for (std::uint64_t number = first; disk.exists(path_of(number)); ++number) {
      const auto header = decode_segment_header(disk.contents(path_of(number)));
      ASSERT_TRUE(header) << number;
      if (number == first) kept = header->position;
      if (!header->has_checkpoint()) continue;
      const auto file = disk.open(path_of(number), OpenMode::Read);
      ASSERT_TRUE(file);
      const auto checkpoint = read_checkpoint(*header, **file);
      ASSERT_TRUE(checkpoint && *checkpoint) << number;
      if ((*checkpoint)->retired_before >= kept) ++telling;
    }
    EXPECT_GE(telling, 2) << "before segment " << first;
  }
  EXPECT_GT(first, 5U);
}

TEST(Retirement, segments_that_are_kept_aside_survive_a_loss_of_power) {
  constexpr std::uint64_t kSegmentBytes = 1'500;
  testing::FakeDisk disk;
  const JournalOptions options{
      .folder = "/journal",
      .durability = Durability::Sync,
      .segment_bytes = kSegmentBytes,
      .retention = {
          .keep_bytes = kSegmentBytes, .even_current = true, .retired = RetiredSegments::Keep}};
  {
    const OpenedJournal journal = open_or_fail(disk, options);
    const SessionKey key = open_session(*journal.store, "A");
    for (std::uint64_t message = 1; message <= 100; ++message) {
      ASSERT_TRUE(append_message(*journal.store, key, message, std::string(90, 'm')));
      ASSERT_TRUE(journal.store->flush());
    }
  }
  std::uint64_t first = 1;
  while (!disk.exists(path_of_segment(options.folder, first))) ++first;
  ASSERT_GT(first, 3U);
  disk.power_loss();
  for (std::uint64_t number = 1; number < first; ++number) {
    EXPECT_TRUE(disk.exists(path_of_segment(retired_folder(options.folder), number))) << number;
  }
}

}  // namespace
}  // namespace nexusfix::store
