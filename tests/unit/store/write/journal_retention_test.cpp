// Old segments are retired when the rules say so, and never before; what stops that in between does
// no harm.
#include <cerrno>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "journal/api/journal_tools.hpp"
#include "store/api/journal.hpp"
#include "store/api/journal_format.hpp"
#include "store/write/retirement.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/sanitized.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using testing::FakeDisk;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kFolder = "/journal";
constexpr std::uint64_t kSegmentBytes = 1'500;

std::string segment_path(std::uint64_t number) { return kFolder + '/' + segment_file_name(number); }

class JournalRetention : public ::testing::Test {
 protected:
  OpenedJournal open(WallTime now = at_second(50)) {
    auto opened = open_journal(disk_, options_, now);
    EXPECT_TRUE(opened) << opened.error().text;
    return opened ? std::move(*opened) : OpenedJournal{};
  }
  // Messages for A and, as many numbers without messages, for B.
  static void fill(Store& store, unsigned messages, WallTime now = at_second(100)) {
    const SessionKey a = open_session(store, "A");
    const SessionKey b = open_session(store, "B");
    for (unsigned i = 0; i < messages; ++i) {
      const std::uint64_t next = store.session(a).next_outbound;
      ASSERT_TRUE(append(
          store,
          [&](Transaction& t) {
            t.outbound_message(a, next, "message " + std::to_string(next) + std::string(80, '.'));
            t.outbound_number(b, store.session(b).next_outbound);
          },
          now));
      ASSERT_TRUE(store.flush());
    }
  }
  static void reset_all(Store& store) {
    for (SessionKey key = 0; key < store.session_count(); ++key) {
      ASSERT_TRUE(append(store, [&](Transaction& t) { t.reset(key); }));
    }
    ASSERT_TRUE(store.flush());
  }
  std::uint64_t first_segment() const {
    std::uint64_t number = 1;
    while (!disk_.exists(segment_path(number))) ++number;
    return number;
  }
  std::uint64_t last_segment() const {
    std::uint64_t number = first_segment();
    while (disk_.exists(segment_path(number + 1))) ++number;
    return number;
  }
  // To the last byte of its segment: what comes next begins another one.
  void fill_segment(Store& store, WallTime now) {
    const auto append_dots = [&](std::uint64_t bytes) {
      const std::uint64_t next = store.session(0).next_outbound;
      const std::string text(bytes, '.');
      ASSERT_TRUE(append(store, [&](Transaction& t) { t.outbound_message(0, next, text); }, now));
      ASSERT_TRUE(store.flush());
    };
    const LogPosition begin = store.appended();
    append_dots(1);
    const std::uint64_t more_bytes = store.appended() - begin - 1;
    append_dots(kSegmentBytes - disk_.contents(segment_path(last_segment())).size() - more_bytes);
    ASSERT_EQ(disk_.contents(segment_path(last_segment())).size(), kSegmentBytes);
  }
  void expect_sound() {
    const auto checked = verify_journal(disk_, kFolder);
    ASSERT_TRUE(checked) << checked.error().text;
    EXPECT_THAT(checked->damages, IsEmpty());
    EXPECT_THAT(checked->checkpoint_faults, IsEmpty());
    EXPECT_EQ(checked->retired_segments, first_segment() - 1);
  }

  FakeDisk disk_;
  JournalOptions options_{
      .folder = kFolder, .durability = Durability::Sync, .segment_bytes = kSegmentBytes};
};

// A checkpoint that is larger than a segment is made when the log has grown by several of it.
TEST_F(JournalRetention, with_more_sessions_than_a_segment_could_tell_of_segments_go_too) {
  options_.retention = {.keep_bytes = kSegmentBytes, .even_current = true};
  const OpenedJournal journal = open();
  for (int i = 0; i < 100; ++i) open_session(*journal.store, "SESSION " + std::to_string(i));
  for (int round = 0; round < 20; ++round) fill(*journal.store, 50);
  EXPECT_GT(first_segment(), 50U);
  expect_sound();
}

TEST_F(JournalRetention, nothing_is_retired_unless_it_is_wanted) {
  const OpenedJournal journal = open();
  fill(*journal.store, 60);
  reset_all(*journal.store);
  fill(*journal.store, 60);
  EXPECT_EQ(first_segment(), 1U);
}

TEST_F(JournalRetention, by_size_only_what_no_current_epoch_needs) {
  options_.retention.keep_bytes = 4 * kSegmentBytes;
  const OpenedJournal journal = open();
  fill(*journal.store, 100);
  EXPECT_EQ(first_segment(), 1U);
  EXPECT_EQ(journal.store->retired_until(0), 0U);
  reset_all(*journal.store);
  fill(*journal.store, 60);
  EXPECT_GT(first_segment(), 4U);
  EXPECT_EQ(journal.store->retired_until(0), 0U);
  EXPECT_EQ(read_all(*journal.store, 0).size(), 60U);
  expect_sound();
}

TEST_F(JournalRetention, by_size_even_a_current_epoch_when_the_operator_says_so) {
  options_.retention = {.keep_bytes = 4 * kSegmentBytes, .even_current = true};
  std::vector<KeptMessage> kept;
  std::uint64_t until = 0;
  {
    const OpenedJournal journal = open();
    fill(*journal.store, 120);
    kept = read_all(*journal.store, 0);
    until = journal.store->retired_until(0);
    EXPECT_EQ(journal.store->retired_until(1), 0U);  // it had no messages
    EXPECT_LT(scan_all(*journal.store).size(), 120U);
  }
  ASSERT_FALSE(kept.empty());
  EXPECT_GT(kept.front().number, 20U);
  EXPECT_EQ(kept.back().number, 120U);
  EXPECT_EQ(until, kept.front().number - 1);
  std::uint64_t bytes = 0;
  for (std::uint64_t number = first_segment(); disk_.exists(segment_path(number)); ++number) {
    bytes += disk_.contents(segment_path(number)).size();
  }
  EXPECT_GE(bytes, 4 * kSegmentBytes);
  EXPECT_LE(bytes, 10 * kSegmentBytes);
  expect_sound();
  for (const bool checks_all : {false, true}) {
    options_.checks_all = checks_all;
    const OpenedJournal again = open();
    EXPECT_EQ(read_all(*again.store, 0), kept);
    EXPECT_EQ(again.store->retired_until(0), until);
    EXPECT_EQ(again.store->session(0).next_outbound, 121U);
    EXPECT_EQ(again.store->session(1).next_outbound, 121U);
  }
  const auto looked = inspect_journal(disk_, kFolder);
  ASSERT_TRUE(looked) << looked.error().text;
  EXPECT_EQ(read_all(*looked->store, 0), kept);
}

TEST_F(JournalRetention, what_was_retired_of_an_epoch_says_nothing_of_the_next_one) {
  options_.retention = {.keep_bytes = 4 * kSegmentBytes, .even_current = true};
  {
    const OpenedJournal journal = open();
    fill(*journal.store, 120);
    ASSERT_GT(journal.store->retired_until(0), 20U);
    ASSERT_TRUE(append(*journal.store, [](Transaction& t) { t.reset(0); }));
    EXPECT_EQ(journal.store->retired_until(0), 0U);
    fill(*journal.store, 5);
    EXPECT_EQ(journal.store->retired_until(0), 0U);
    EXPECT_EQ(read_all(*journal.store, 0).size(), 5U);
  }
  const OpenedJournal again = open();
  EXPECT_EQ(again.store->retired_until(0), 0U);
}

// Reading everything makes no fence where segments end: what lies on both sides of what was retired
// stands in one group of a checkpoint's list.
TEST_F(JournalRetention, what_is_left_is_found_from_a_checkpoint_after_an_opening_that_read_all) {
  {
    const OpenedJournal journal = open();
    fill(*journal.store, 60);
  }
  options_.checks_all = true;
  options_.retention = {.keep_bytes = 4 * kSegmentBytes, .even_current = true};
  {
    const OpenedJournal journal = open();
    fill(*journal.store, 20);
  }
  ASSERT_GT(first_segment(), 2U);
  std::uint64_t until = 0;
  std::vector<KeptMessage> kept;
  {
    const OpenedJournal journal = open();
    until = journal.store->retired_until(0);
    kept = read_all(*journal.store, 0);
  }
  ASSERT_FALSE(kept.empty());
  EXPECT_EQ(kept.front().number, until + 1);
  options_.checks_all = false;
  const OpenedJournal journal = open();
  EXPECT_LT(journal.report.scanned_bytes, journal.report.bytes);
  EXPECT_EQ(journal.store->retired_until(0), until);
  EXPECT_EQ(read_all(*journal.store, 0), kept);
}

// An opening that has read all lists all in its next checkpoint, without what is retired; and that
// may stay.
TEST_F(JournalRetention, what_could_not_be_removed_is_read_where_the_rules_are_now_stricter) {
  options_.retention = {
      .keep_bytes = kSegmentBytes, .even_current = true, .retired = RetiredSegments::Keep};
  disk_.set_contents(retired_folder(kFolder) + '/' + segment_file_name(1), "in the way");
  for (const bool checks_all : {false, true}) {
    options_.checks_all = checks_all;
    const OpenedJournal journal = open();
    fill(*journal.store, 60);
    ASSERT_GT(journal.store->retired_until(0), 1U);
  }
  ASSERT_EQ(first_segment(), 1U);
  options_.checks_all = false;
  options_.retention = {};
  const OpenedJournal journal = open();
  EXPECT_EQ(journal.store->retired_until(0), 0U);
  EXPECT_EQ(read_all(*journal.store, 0).size(), 120U);
  EXPECT_EQ(scan_all(*journal.store).size(), 120U);
  expect_sound();
}

TEST_F(JournalRetention, what_was_planned_and_is_no_longer_wanted_makes_no_later_opening_slow) {
  options_.retention = {
      .keep_bytes = kSegmentBytes, .even_current = true, .retired = RetiredSegments::Keep};
  disk_.set_contents(retired_folder(kFolder) + '/' + segment_file_name(1), "in the way");
  for (const bool checks_all : {false, true}) {
    options_.checks_all = checks_all;
    const OpenedJournal journal = open();
    fill(*journal.store, 60);
  }
  options_.checks_all = false;
  options_.retention = {};
  for (int i = 0; i < 2; ++i) {
    const OpenedJournal journal = open();
    fill(*journal.store, 60);
  }
  const OpenedJournal journal = open();
  EXPECT_LT(journal.report.scanned_bytes, journal.report.bytes);
  EXPECT_EQ(read_all(*journal.store, 0).size(), 240U);
}

TEST_F(JournalRetention, opening_tells_what_of_the_log_was_retired) {
  options_.retention = {.keep_bytes = 4 * kSegmentBytes, .even_current = true};
  {
    const OpenedJournal journal = open();
    fill(*journal.store, 120);
  }
  const auto looked = inspect_journal(disk_, kFolder);
  ASSERT_TRUE(looked) << looked.error().text;
  const JournalReport& report = looked->report;
  EXPECT_EQ(report.retired_segments, first_segment() - 1);
  EXPECT_EQ(report.messages, 120U);
  EXPECT_EQ(report.messages - report.retired_messages, scan_all(*looked->store).size());
  const auto checked = verify_journal(disk_, kFolder);
  ASSERT_TRUE(checked) << checked.error().text;
  EXPECT_EQ(report.records - report.retired_records, checked->records);
  EXPECT_EQ(report.bytes - report.retired_bytes, checked->bytes);
}

TEST_F(JournalRetention, a_scan_knows_the_epochs_of_what_is_left) {
  options_.retention.keep_bytes = 1;
  const OpenedJournal journal = open();
  fill(*journal.store, 60);
  reset_all(*journal.store);
  reset_all(*journal.store);
  fill(*journal.store, 60);
  ASSERT_GT(first_segment(), 2U);
  const auto scanned = scan_all(*journal.store);
  EXPECT_EQ(scanned.back().epoch, 3U);
  EXPECT_EQ(scanned.back().number, 60U);
}

TEST_F(JournalRetention, by_age_what_was_written_longer_ago) {
  options_.retention = {.keep_for = std::chrono::seconds{1'000}, .even_current = true};
  const OpenedJournal journal = open();
  fill(*journal.store, 60, at_second(1'000));
  EXPECT_EQ(first_segment(), 1U);
  fill(*journal.store, 60, at_second(1'900));
  EXPECT_EQ(first_segment(), 1U);
  fill(*journal.store, 60, at_second(2'100));
  EXPECT_GT(first_segment(), 4U);
  EXPECT_LE(read_all(*journal.store, 0).front().number, 61U);
}

// close() asks no clock, so that a segment which it begins does not say when that was.
TEST_F(JournalRetention, by_age_nothing_goes_early_because_closing_began_a_segment) {
  options_.retention = {.keep_for = std::chrono::seconds{1'000}, .even_current = true};
  {
    const OpenedJournal journal = open(at_second(5'000));
    fill(*journal.store, 3, at_second(5'000));
    fill_segment(*journal.store, at_second(5'000));
    const std::uint64_t last = last_segment();
    ASSERT_TRUE(journal.store->close());
    ASSERT_EQ(last_segment(), last + 1);
  }
  const OpenedJournal journal = open(at_second(5'100));
  fill(*journal.store, 100, at_second(5'900));
  EXPECT_EQ(first_segment(), 1U);
  EXPECT_EQ(read_all(*journal.store, 0).front().number, 1U);
  fill(*journal.store, 60, at_second(7'000));
  EXPECT_GT(first_segment(), 2U);
  expect_sound();
}

TEST_F(JournalRetention, a_reset_lets_go_of_what_was_before_it) {
  options_.retention.keep_bytes = 1;
  const OpenedJournal journal = open();
  fill(*journal.store, 60);
  EXPECT_EQ(first_segment(), 1U);
  ASSERT_TRUE(append(*journal.store, [&](Transaction& t) { t.reset(0); }));
  fill(*journal.store, 60);
  EXPECT_GT(first_segment(), 4U);
  EXPECT_EQ(read_all(*journal.store, 0).size(), 60U);
  expect_sound();
}

TEST_F(JournalRetention, nothing_is_retired_while_damage_is_known) {
  options_.retention = {.keep_bytes = kSegmentBytes, .even_current = true};
  {
    JournalOptions without = options_;
    without.retention = {};
    const OpenedJournal journal = open_or_fail(disk_, without);
    fill(*journal.store, 100);
  }
  std::string damaged = disk_.contents(segment_path(3));
  damaged[damaged.size() - 10] ^= 1;
  disk_.set_contents(segment_path(3), damaged);
  options_.checks_all = true;
  const OpenedJournal journal = open();
  EXPECT_EQ(journal.report.damages.size(), 1U);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(append(*journal.store, [&](Transaction& t) {
      for (int n = 0; n < 8; ++n) t.inbound_progress(0, 2);
    }));
    ASSERT_TRUE(journal.store->flush());
  }
  EXPECT_EQ(first_segment(), 1U);
}

// An engine is started each morning and writes little: each start begins a segment.
TEST_F(JournalRetention, what_opening_plans_is_recorded_by_the_segment_that_it_opens) {
  {
    const OpenedJournal journal = open();
    fill(*journal.store, 60);
    reset_all(*journal.store);
  }
  options_.retention.keep_bytes = 1;
  options_.segment_bytes = 64U << 10U;  // never filled
  for (int start = 1; start <= 2; ++start) {
    EXPECT_EQ(first_segment(), 1U);
    disk_.reboot();
    const OpenedJournal journal = open();
    fill(*journal.store, 20);
  }
  EXPECT_GT(first_segment(), 2U);
  expect_sound();
}

// Restarted each day, and no day fills more than one segment.
TEST_F(JournalRetention, lives_that_begin_one_segment_each_retire_as_many_as_a_long_one) {
  options_.retention = {.keep_bytes = 2 * kSegmentBytes, .even_current = true};
  for (const bool maps : {false, true}) {
    disk_ = {};
    disk_.set_mapping(maps);
    options_.durability = Durability::Process;
    for (int day = 1; day <= 20; ++day) {
      const OpenedJournal journal = open();
      fill(*journal.store, 8);
    }
    EXPECT_GT(first_segment(), 8U) << maps;
    expect_sound();
  }
}

TEST_F(JournalRetention, lives_of_changing_durability_retire_too) {
  options_.retention = {.keep_bytes = 2 * kSegmentBytes, .even_current = true};
  for (int day = 1; day <= 20; ++day) {
    options_.durability = day % 2 == 0 ? Durability::Group : Durability::Sync;
    const OpenedJournal journal = open();
    fill(*journal.store, 8);
  }
  EXPECT_GT(first_segment(), 12U);
  expect_sound();
}

TEST_F(JournalRetention, on_a_real_disk_what_a_thread_was_to_take_away_is_gone_when_it_is_closed) {
  const testing::TemporaryFolder folder;
  PosixDisk disk;
  options_.folder = folder.file("journal");
  options_.retention = {.keep_bytes = 2 * kSegmentBytes, .even_current = true};
  for (int day = 1; day <= 12; ++day) {
    options_.durability = day % 2 == 0 ? Durability::Group : Durability::Sync;
    const OpenedJournal journal = open_or_fail(disk, options_);
    fill(*journal.store, 8);
    ASSERT_TRUE(journal.store->close());
  }
  EXPECT_FALSE(disk.open(options_.folder + '/' + segment_file_name(1), OpenMode::Read));
}

TEST_F(JournalRetention, what_the_last_checkpoint_tells_goes_when_the_journal_is_closed) {
  options_.retention = {.keep_bytes = kSegmentBytes, .even_current = true};
  options_.durability = Durability::Process;
  const OpenedJournal journal = open();
  fill(*journal.store, 100);
  const std::uint64_t first = first_segment();
  ASSERT_TRUE(journal.store->close());
  EXPECT_EQ(first_segment(), first + 1);
  expect_sound();
}

TEST_F(JournalRetention, what_checkpoints_on_the_disk_tell_stays_where_the_rules_are_now_stricter) {
  options_.retention = {.keep_bytes = kSegmentBytes, .even_current = true};
  options_.durability = Durability::Process;
  {
    const OpenedJournal journal = open();
    fill(*journal.store, 100);
  }
  const std::uint64_t first = first_segment();
  options_.retention.keep_bytes = 100 * kSegmentBytes;
  {
    open();
  }
  EXPECT_EQ(first_segment(), first);
  options_.retention.keep_bytes = kSegmentBytes;
  {
    open();
  }
  EXPECT_EQ(first_segment(), first + 1);
}

TEST_F(JournalRetention, retired_segments_are_kept_aside_if_that_is_wanted) {
  options_.retention = {
      .keep_bytes = kSegmentBytes, .even_current = true, .retired = RetiredSegments::Keep};
  const OpenedJournal journal = open();
  fill(*journal.store, 100);
  const std::uint64_t first = first_segment();
  ASSERT_GT(first, 3U);
  for (std::uint64_t number = 1; number < first; ++number) {
    EXPECT_TRUE(disk_.exists(retired_folder(kFolder) + '/' + segment_file_name(number)));
  }
  expect_sound();
}

TEST_F(JournalRetention, a_segment_that_a_loss_of_power_left_under_both_names_is_moved) {
  {
    const OpenedJournal journal = open();
    fill(*journal.store, 60);
    ASSERT_TRUE(journal.store->close());
  }
  const std::string moved = retired_folder(kFolder) + '/' + segment_file_name(1);
  disk_.set_contents(moved, disk_.contents(segment_path(1)));
  options_.retention = {
      .keep_bytes = kSegmentBytes, .even_current = true, .retired = RetiredSegments::Keep};
  const OpenedJournal journal = open();
  fill(*journal.store, 60);
  EXPECT_GT(first_segment(), 3U);
  EXPECT_TRUE(disk_.exists(moved));
  while (const auto event = journal.store->next_event()) {
    EXPECT_EQ(event->id, EventId::SegmentsRetired) << event->text;
  }
  expect_sound();
}

// The maker of the copy may not have synced it.
TEST_F(JournalRetention, a_segment_under_both_names_is_on_the_disk_before_one_is_removed) {
  {
    const OpenedJournal journal = open();
    fill(*journal.store, 60);
    ASSERT_TRUE(journal.store->close());
  }
  const std::string moved = retired_folder(kFolder) + '/' + segment_file_name(1);
  const std::string bytes = disk_.contents(segment_path(1));
  {
    ASSERT_TRUE(disk_.make_directories(retired_folder(kFolder)));
    const auto copy = disk_.open(moved, OpenMode::Create);
    ASSERT_TRUE(copy);
    ASSERT_TRUE((*copy)->write_at(0, bytes));
  }
  options_.retention = {
      .keep_bytes = kSegmentBytes, .even_current = true, .retired = RetiredSegments::Keep};
  {
    const OpenedJournal journal = open();
    fill(*journal.store, 60);
  }
  disk_.power_loss();
  EXPECT_FALSE(disk_.exists(segment_path(1)));
  EXPECT_TRUE(disk_.contents(moved) == bytes);
}

TEST_F(JournalRetention, a_missing_first_segment_that_was_not_retired_is_damage) {
  {
    const OpenedJournal journal = open();
    fill(*journal.store, 60);
  }
  ASSERT_TRUE(disk_.remove(segment_path(1)));
  const auto opened = open_journal(disk_, options_, at_second(60));
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().text, HasSubstr("0000000001.journal is missing"));
  const auto checked = verify_journal(disk_, kFolder);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().text, HasSubstr("0000000001.journal is missing"));
}

TEST_F(JournalRetention, a_hole_after_what_was_retired_is_damage) {
  options_.retention = {.keep_bytes = 6 * kSegmentBytes, .even_current = true};
  {
    const OpenedJournal journal = open();
    fill(*journal.store, 100);
  }
  const std::uint64_t first = first_segment();
  ASSERT_GT(first, 2U);
  // As if the last ones that were retired had gone, and one more.
  ASSERT_TRUE(disk_.remove(segment_path(first)));
  ASSERT_TRUE(disk_.remove(segment_path(first + 1)));
  ASSERT_TRUE(disk_.remove(segment_path(first + 2)));
  const auto opened = open_journal(disk_, options_, at_second(60));
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().text, HasSubstr("is missing"));
}

TEST_F(JournalRetention, a_damaged_checkpoint_does_not_make_the_rest_unreadable) {
  options_.retention = {.keep_bytes = 4 * kSegmentBytes, .even_current = true};
  std::vector<KeptMessage> kept;
  {
    const OpenedJournal journal = open();
    fill(*journal.store, 100);
    kept = read_all(*journal.store, 0);
  }
  options_.retention = {};
  const std::uint64_t first = first_segment();
  for (std::uint64_t number = first; disk_.exists(segment_path(number)); ++number) {
    const std::string whole = disk_.contents(segment_path(number));
    std::string damaged = whole;
    damaged[kSegmentHeaderBytes + 30] ^= 1;
    disk_.set_contents(segment_path(number), damaged);
    const auto opened = open_journal(disk_, options_, at_second(60));
    ASSERT_TRUE(opened) << opened.error().text;
    EXPECT_EQ(opened->store->session(0).next_outbound, 101U);
    EXPECT_EQ(opened->report.checkpoint_faults.size(), 1U) << number;
    EXPECT_EQ(read_all(*opened->store, 0), kept);
    disk_.set_contents(segment_path(number), whole);
  }
}

// A loss of power between two files leaves a first one whose checkpoint is torn, or that has none:
// a caller that is asked for what is gone must still be able to say so.
TEST_F(JournalRetention, what_was_retired_is_known_from_a_later_checkpoint_too) {
  options_.retention = {.keep_bytes = 8 * kSegmentBytes, .even_current = true};
  std::vector<KeptMessage> kept;
  {
    const OpenedJournal journal = open();
    fill(*journal.store, 200);
    kept = read_all(*journal.store, 0);
    ASSERT_GT(kept.front().number, 1U);
  }
  options_.retention = {};
  const std::string path = segment_path(first_segment());
  std::string bytes = disk_.contents(path);
  bytes[kSegmentHeaderBytes + 30] ^= 1;
  disk_.set_contents(path, bytes);
  const OpenedJournal journal = open();
  EXPECT_EQ(read_all(*journal.store, 0), kept);
  EXPECT_EQ(journal.store->retired_until(0), kept.front().number - 1);
  // It had no message, and its next number is all that is known.
  EXPECT_GE(journal.store->retired_until(1), kept.front().number - 1);
}

// What is left begins with a checkpoint that cannot be used.
class JournalWithoutItsStart : public JournalRetention {
 protected:
  void SetUp() override {
    options_.retention = {.keep_bytes = 8 * kSegmentBytes, .even_current = true};
    {
      const OpenedJournal journal = open();
      for (int reset = 1; reset <= 30; ++reset) {  // some of them in each segment
        fill(*journal.store, 5);
        ASSERT_TRUE(append(*journal.store, [&](Transaction& t) { t.reset(0); }));
      }
      fill(*journal.store, 30);
      kept_ = read_all(*journal.store, 0);
      scanned_ = scan_all(*journal.store);
    }
    first_ = first_segment();
    ASSERT_GT(first_, 2U);
    flip(kSegmentHeaderBytes + 30);
    fault_ =
        segment_path(first_) + ": the checkpoint at offset " + std::to_string(kSegmentHeaderBytes);
  }
  void flip(std::size_t offset) {
    std::string bytes = disk_.contents(segment_path(first_));
    bytes[offset] ^= 1;
    disk_.set_contents(segment_path(first_), bytes);
  }
  void expect_all_is_there() {
    options_.checks_all = true;  // as an application wants it that rebuilds itself
    const OpenedJournal journal = open();
    EXPECT_EQ(read_all(*journal.store, 0), kept_);
    EXPECT_EQ(scan_all(*journal.store), scanned_);
    EXPECT_EQ(journal.store->session(0).epoch, 31U);
    EXPECT_EQ(journal.store->session(1).next_outbound, 181U);
  }

  std::vector<KeptMessage> kept_;
  std::vector<ScannedMessage> scanned_;
  std::uint64_t first_ = 0;
  std::string fault_;
};

TEST_F(JournalWithoutItsStart, nor_its_header_names_that_file_and_no_other) {
  flip(20);
  flip(30);
  const std::string fault = segment_path(first_) + ": at offset 0 is no intact segment header";
  const auto opened = open_journal(disk_, options_, at_second(60));
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().text, HasSubstr(fault));
  const auto looked = inspect_journal(disk_, kFolder);
  ASSERT_FALSE(looked);
  EXPECT_THAT(looked.error().text, HasSubstr(fault));
  const auto checked = verify_journal(disk_, kFolder);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().text, HasSubstr(fault));
}

TEST_F(JournalWithoutItsStart, is_checked_and_the_fault_reported_with_its_place) {
  const auto checked = verify_journal(disk_, kFolder);
  ASSERT_TRUE(checked) << checked.error().text;
  ASSERT_EQ(checked->checkpoint_faults.size(), 1U);
  EXPECT_THAT(checked->checkpoint_faults[0], HasSubstr(fault_));
  EXPECT_THAT(checked->damages, IsEmpty());
  EXPECT_EQ(checked->retired_segments, first_ - 1);
  EXPECT_EQ(checked->messages, scanned_.size());
  ASSERT_EQ(checked->sessions.size(), 2U);
  EXPECT_EQ(checked->sessions[0].messages, scanned_.size());
  EXPECT_EQ(checked->sessions[0].record.epoch, 31U);
}

TEST_F(JournalWithoutItsStart, gives_every_message_with_its_epoch_and_says_so) {
  const auto looked = inspect_journal(disk_, kFolder);
  ASSERT_TRUE(looked) << looked.error().text;
  ASSERT_EQ(looked->report.checkpoint_faults.size(), 1U);
  EXPECT_THAT(looked->report.checkpoint_faults[0], HasSubstr(fault_));
  EXPECT_EQ(scan_all(*looked->store), scanned_);
  expect_all_is_there();
}

TEST_F(JournalWithoutItsStart, is_repaired) {
  RepairOptions request{.folder = kFolder, .mode = RepairMode::Plan, .text = "anna", .names = {}};
  const auto plan = repair_journal(disk_, request, at_second(70));
  ASSERT_TRUE(plan) << plan.error().text;
  ASSERT_EQ(plan->steps.size(), 1U);
  EXPECT_THAT(plan->steps[0], HasSubstr(segment_path(first_) + ": the checkpoint is removed"));
  EXPECT_THAT(plan->alarms, IsEmpty());
  request.mode = RepairMode::Carry;
  ASSERT_TRUE(repair_journal(disk_, request, at_second(70)));
  expect_sound();
  const auto again = repair_journal(disk_, request, at_second(80));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_THAT(again->steps, IsEmpty());
  expect_all_is_there();
}

TEST_F(JournalWithoutItsStart, with_damaged_records_after_it_is_repaired_and_keeps_its_numbers) {
  const std::string bytes = disk_.contents(segment_path(first_));
  const auto header =
      decode_segment_header(std::span<const char>{bytes}.first(kSegmentHeaderBytes));
  ASSERT_TRUE(header);
  flip(header->records_at() + 30);
  const auto checked = verify_journal(disk_, kFolder);
  ASSERT_TRUE(checked) << checked.error().text;
  ASSERT_EQ(checked->damages.size(), 1U);
  ASSERT_EQ(checked->damages[0].losses.size(), 1U);
  EXPECT_THAT(checked->damages[0].losses[0], HasSubstr("messages may be lost"));
  const RepairOptions request{
      .folder = kFolder, .mode = RepairMode::Carry, .text = "anna", .names = {}};
  const auto done = repair_journal(disk_, request, at_second(70));
  ASSERT_TRUE(done) << done.error().text;
  EXPECT_EQ(done->alarms.size(), 1U);
  expect_sound();
  const OpenedJournal journal = open();
  EXPECT_GE(scan_all(*journal.store).size() + 1, scanned_.size());
  EXPECT_EQ(journal.store->session(0).next_outbound, 31U);
}

TEST_F(JournalWithoutItsStart, and_no_other_checkpoint_is_refused_by_all_with_the_place) {
  for (std::uint64_t number = first_ + 1; disk_.exists(segment_path(number)); ++number) {
    std::string bytes = disk_.contents(segment_path(number));
    bytes[kSegmentHeaderBytes + 30] ^= 1;
    disk_.set_contents(segment_path(number), bytes);
  }
  const auto checked = verify_journal(disk_, kFolder);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().text, HasSubstr(segment_file_name(first_)));
  EXPECT_THAT(checked.error().text, HasSubstr("offset 128"));
  const auto opened = open_journal(disk_, options_, at_second(60));
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().text, HasSubstr(fault_));
}

TEST_F(JournalWithoutItsStart, nor_the_checkpoint_after_is_not_said_to_be_repaired) {
  std::string bytes = disk_.contents(segment_path(first_ + 1));
  bytes[kSegmentHeaderBytes + 30] ^= 1;
  disk_.set_contents(segment_path(first_ + 1), bytes);
  const auto checked = verify_journal(disk_, kFolder);
  ASSERT_TRUE(checked) << checked.error().text;
  EXPECT_EQ(checked->checkpoint_faults.size(), 2U);
  const RepairOptions request{
      .folder = kFolder, .mode = RepairMode::Carry, .text = "anna", .names = {}};
  const auto done = repair_journal(disk_, request, at_second(70));
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().text, HasSubstr(segment_file_name(first_)));
}

TEST_F(JournalRetention, segments_that_cannot_be_removed_are_reported_and_tried_again) {
  options_.retention = {.keep_bytes = kSegmentBytes, .even_current = true};
  const OpenedJournal journal = open();
  disk_.fail(testing::DiskCall::Remove, 1, EACCES);
  std::optional<StoreEvent> warning;
  for (int i = 0; i < 100 && !warning; ++i) {
    fill(*journal.store, 1);
    warning = journal.store->next_event();
  }
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->id, EventId::RetirementFailed);
  EXPECT_THAT(warning->text, HasSubstr("could not be removed"));
  EXPECT_FALSE(journal.store->next_event());
  fill(*journal.store, 20);
  EXPECT_EQ(journal.store->session(0).next_outbound, read_all(*journal.store, 0).back().number + 1);
}

TEST_F(JournalRetention, what_is_retired_is_reported) {
  for (const RetiredSegments what : {RetiredSegments::Delete, RetiredSegments::Keep}) {
    disk_ = FakeDisk{};
    options_.retention = {.keep_bytes = kSegmentBytes, .even_current = true, .retired = what};
    const OpenedJournal journal = open();
    std::optional<StoreEvent> event;
    for (int i = 0; i < 100 && !event; ++i) {
      fill(*journal.store, 1);
      event = journal.store->next_event();
    }
    ASSERT_TRUE(event);
    EXPECT_EQ(event->id, EventId::SegmentsRetired);
    EXPECT_EQ(event->text, "journal " + std::string{kFolder} + ": 1 old segment was " +
                               (what == RetiredSegments::Keep ? "moved to retired/" : "deleted") +
                               ", up to " + segment_file_name(1));
    EXPECT_FALSE(disk_.exists(segment_path(1)));
    EXPECT_TRUE(disk_.exists(segment_path(2)));
  }
}

// Power is lost at any call; whatever is left opens, and has every message that was not retired.
TEST_F(JournalRetention, an_interruption_anywhere_leaves_a_log_that_opens) {
  options_.retention = {
      .keep_bytes = 2 * kSegmentBytes, .even_current = true, .retired = RetiredSegments::Keep};
  for (std::uint64_t seed = 1; seed <= 400; seed += case_step(5)) {
    disk_ = FakeDisk{};
    options_.retention.retired = seed % 2 == 0 ? RetiredSegments::Keep : RetiredSegments::Delete;
    SeededRandom random{seed};
    std::uint64_t flushed = 0;
    {
      auto journal = open();
      disk_.fail_any(static_cast<unsigned>(100 + seed * 3 / 2), EIO);
      const SessionKey key = open_session(*journal.store, "A");
      for (std::uint64_t number = 1; number <= 150; ++number) {
        if (!append_message(*journal.store, key, number, std::string(90, 'm'))) break;
        if (!journal.store->flush()) break;
        flushed = number;
      }
    }
    disk_.power_loss_by_sectors(random);
    auto opened = open_journal(disk_, options_, at_second(60));
    ASSERT_TRUE(opened) << seed << ": " << opened.error().text;
    ASSERT_GE(opened->store->session(0).next_outbound, flushed + 1) << seed;
    const auto kept = read_all(*opened->store, 0);
    ASSERT_FALSE(kept.empty());
    EXPECT_GE(kept.back().number, flushed);
    EXPECT_LE(kept.front().number, opened->store->retired_until(0) + 1) << seed;
    EXPECT_EQ(kept.size(), kept.back().number - kept.front().number + 1) << seed;
    opened->store.reset();
    const auto checked = verify_journal(disk_, kFolder);
    ASSERT_TRUE(checked) << seed << ": " << checked.error().text;
    EXPECT_THAT(checked->damages, IsEmpty()) << seed;
  }
}

}  // namespace
}  // namespace nexusfix::store
