// The end of a log that is missing is noticed, where its owner noted that it was there: no number
// is used for a second message. A note is a lower bound, and no crash makes more of it.
#include <algorithm>
#include <array>
#include <cerrno>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "journal/api/journal_tools.hpp"
#include "store/api/journal.hpp"
#include "store/api/journal_format.hpp"
#include "store/journal/ownership.hpp"
#include "store/write/tail_marker.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/random_runs.hpp"
#include "support/sanitized.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using ::testing::AllOf;
using testing::FakeDisk;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kFolder = "/journal";
const std::string kOwner = kFolder + "/owner";

std::string segment_path(std::uint64_t number) { return kFolder + '/' + segment_file_name(number); }

using Files = std::map<std::string, std::string>;

class JournalEnd : public ::testing::Test {
 protected:
  JournalOptions options_{
      .folder = kFolder, .durability = Durability::Sync, .segment_bytes = 1'500};

  // Sends messages as A and B; returns nothing but what is on the disk then.
  void run(FakeDisk& disk, unsigned messages, bool closes) {
    const OpenedJournal opened = open_or_fail(disk, options_);
    ASSERT_TRUE(opened.store);
    send(*opened.store, messages);
    if (closes) {
      ASSERT_TRUE(opened.store->close());
    }
  }
  static void send(Store& store, unsigned messages) {
    const SessionKey a = open_session(store, "A");
    const SessionKey b = open_session(store, "B");
    for (unsigned i = 0; i < messages; ++i) {
      const SessionKey key = i % 3 == 0 ? b : a;
      const std::uint64_t next = store.session(key).next_outbound;
      ASSERT_TRUE(append_message(store, key, next, "message " + std::string(40, '.')));
      ASSERT_TRUE(store.flush());
    }
  }
  static std::vector<std::uint64_t> next_numbers(Disk& disk) {
    const auto looked = inspect_journal(disk, kFolder);
    EXPECT_TRUE(looked) << looked.error().text;
    return looked ? next_numbers(*looked->store) : std::vector<std::uint64_t>{};
  }
  static std::vector<std::uint64_t> next_numbers(Store& store) {
    std::vector<std::uint64_t> next;
    for (SessionKey key = 0; key < store.session_count(); ++key) {
      next.push_back(store.session(key).next_outbound);
    }
    return next;
  }
  static std::uint64_t last_segment(const FakeDisk& disk) {
    std::uint64_t number = 1;
    while (disk.exists(segment_path(number + 1))) ++number;
    return number;
  }
  static Files files_of(const FakeDisk& disk) {
    Files files;
    for (std::uint64_t number = 1; disk.exists(segment_path(number)); ++number) {
      files[segment_path(number)] = disk.contents(segment_path(number));
    }
    files[kOwner] = disk.contents(kOwner);
    return files;
  }
  static void put(FakeDisk& disk, const Files& files) {
    for (const auto& [path, bytes] : files) disk.set_contents(path, bytes);
  }
  StoreResult<RepairReport> repair(Disk& disk, RepairMode mode = RepairMode::Carry) {
    return repair_journal(disk,
                          {.folder = kFolder, .mode = mode, .text = "anna, a copy", .names = {}},
                          at_second(70));
  }

  // Everybody who looks sees it, and nothing is changed by looking.
  void expect_refused(FakeDisk& disk) {
    const Files before = files_of(disk);
    const auto opened = open_journal(disk, options_, at_second(60));
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, StoreErrorCode::Corrupt);
    EXPECT_THAT(opened.error().text, AllOf(HasSubstr(kFolder), HasSubstr("owner"),
                                           HasSubstr("nexusfix journal repair " + kFolder)));
    const auto checked = verify_journal(disk, kFolder);
    ASSERT_TRUE(checked) << checked.error().text;
    EXPECT_THAT(checked->lost_end, HasSubstr("The end of the log is missing"));
    const auto looked = inspect_journal(disk, kFolder);
    ASSERT_TRUE(looked) << looked.error().text;
    EXPECT_THAT(looked->report.lost_end, HasSubstr("The end of the log is missing"));
    const auto planned = repair(disk, RepairMode::Plan);
    ASSERT_TRUE(planned) << planned.error().text;
    EXPECT_THAT(planned->steps, Contains(HasSubstr(checked->lost_end)));
    Files after = files_of(disk);
    after[kOwner].replace(0, kTailMarkerAt, before.at(kOwner).substr(0, kTailMarkerAt));
    EXPECT_EQ(after, before);
  }

  // A repair accepts the loss, and the sessions that are left use no number of these again.
  void expect_repaired(FakeDisk& disk, const std::vector<std::uint64_t>& used) {
    const auto repaired = repair(disk);
    ASSERT_TRUE(repaired) << repaired.error().text;
    EXPECT_THAT(repaired->alarms, Not(IsEmpty()));
    EXPECT_TRUE(disk.exists(repaired->copy_folder + "/owner"));
    OpenedJournal opened = open_or_fail(disk, options_);
    ASSERT_TRUE(opened.store);
    const auto next = next_numbers(*opened.store);
    for (std::size_t key = 0; key < next.size(); ++key) EXPECT_GE(next[key], used[key]);
    for (SessionKey key = 0; key < next.size(); ++key) {
      EXPECT_THAT(opened.store->lost_numbers(key), Not(IsEmpty()));
      EXPECT_TRUE(append_message(*opened.store, key, next[key], "goes on"));
    }
    ASSERT_TRUE(opened.store->close());
    opened.store.reset();
    EXPECT_THAT(verify_journal(disk, kFolder)->lost_end, IsEmpty());
    const auto again = repair(disk);
    ASSERT_TRUE(again) << again.error().text;
    EXPECT_THAT(again->steps, IsEmpty());
  }
};

TEST_F(JournalEnd, last_segments_that_were_removed_are_noticed_and_no_number_is_used_again) {
  for (const bool closes : {false, true}) {
    FakeDisk whole;
    run(whole, 60, closes);
    const auto used = next_numbers(whole);
    const std::uint64_t last = last_segment(whole);
    ASSERT_GE(last, 4U);
    for (std::uint64_t kept = last - 1; kept > 0; --kept) {
      FakeDisk disk;
      Files files = files_of(whole);
      for (std::uint64_t gone = kept + 1; gone <= last; ++gone) files.erase(segment_path(gone));
      put(disk, files);
      expect_refused(disk);
      EXPECT_THAT(verify_journal(disk, kFolder)->lost_end,
                  AllOf(HasSubstr(segment_path(kept)), HasSubstr(segment_file_name(last))));
      expect_repaired(disk, used);
    }
  }
}

TEST_F(JournalEnd, a_journal_whose_segments_are_all_gone_does_not_begin_at_1) {
  for (const bool closes : {false, true}) {
    FakeDisk disk;
    run(disk, 3, closes);
    ASSERT_EQ(last_segment(disk), 1U);
    ASSERT_TRUE(disk.remove(segment_path(1)));
    const auto opened = open_journal(disk, options_, at_second(60));
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, StoreErrorCode::Corrupt);
    EXPECT_THAT(opened.error().text,
                AllOf(HasSubstr("there is no segment"), HasSubstr(segment_file_name(1)),
                      HasSubstr("nexusfix journal repair " + kFolder)));
    EXPECT_FALSE(disk.exists(segment_path(1)));
    for (const auto& error :
         {inspect_journal(disk, kFolder).error(), verify_journal(disk, kFolder).error()}) {
      EXPECT_EQ(error.code, StoreErrorCode::Missing);
      EXPECT_THAT(error.text, HasSubstr(segment_file_name(1)));
    }
    ASSERT_EQ(repair(disk, RepairMode::Plan)->steps.size(), 1U);
    EXPECT_FALSE(open_journal(disk, options_, at_second(60)));
    const auto repaired = repair(disk);
    ASSERT_TRUE(repaired) << repaired.error().text;
    EXPECT_THAT(repaired->alarms, Contains(HasSubstr("all sessions")));
    EXPECT_EQ(open_or_fail(disk, options_).store->session_count(), 0U);
  }
}

// An interrupted copy: where a record ends, a log that was not closed could have ended as well.
TEST_F(JournalEnd, a_closed_log_that_is_truncated_at_any_length_is_refused) {
  FakeDisk whole;
  run(whole, 8, true);
  const auto used = next_numbers(whole);
  const std::uint64_t last = last_segment(whole);
  const std::string bytes = whole.contents(segment_path(last));
  for (std::size_t length = 0; length < bytes.size(); length += case_step(5)) {
    SCOPED_TRACE(length);
    FakeDisk disk;
    Files files = files_of(whole);
    files[segment_path(last)].resize(length);
    put(disk, files);
    expect_refused(disk);
    expect_repaired(disk, used);
    if (HasFailure()) return;
  }
  FakeDisk disk;
  put(disk, files_of(whole));
  EXPECT_TRUE(open_journal(disk, options_, at_second(60)));
}

TEST_F(JournalEnd, a_closed_journal_needs_only_the_space_of_its_records) {
  FakeDisk disk;
  disk.set_mapping(true);
  options_.segment_bytes = 1U << 16U;
  const OpenedJournal journal = open_or_fail(disk, options_);
  const SessionKey key = open_session(*journal.store, "A");
  ASSERT_TRUE(append_message(*journal.store, key, 1, "message"));
  EXPECT_EQ(disk.contents(segment_path(1)).size(), options_.segment_bytes) << "while it is open";
  ASSERT_TRUE(journal.store->close());
  EXPECT_LT(disk.contents(segment_path(1)).size(), 1'000U);
}

TEST_F(JournalEnd, a_flipped_bit_in_the_last_record_of_a_closed_log_is_no_torn_write) {
  FakeDisk disk;
  run(disk, 2, true);
  std::string bytes = disk.contents(segment_path(1));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  disk.set_contents(segment_path(1), bytes);
  expect_refused(disk);
  expect_repaired(disk, {3, 3});
}

TEST_F(JournalEnd, what_follows_a_close_may_be_cut_by_a_crash) {
  FakeDisk disk;
  run(disk, 5, true);
  const std::string closed = disk.contents(segment_path(1));
  run(disk, 1, false);
  ASSERT_GT(disk.contents(segment_path(1)).size(), closed.size());
  disk.set_contents(segment_path(1), closed);
  EXPECT_TRUE(open_journal(disk, options_, at_second(60)));
}

TEST_F(JournalEnd,
       a_folder_that_is_brought_back_whole_is_opened_and_its_old_segments_alone_are_not) {
  FakeDisk disk;
  run(disk, 20, true);
  const Files copy = files_of(disk);
  run(disk, 40, true);
  FakeDisk restored;
  put(restored, copy);
  EXPECT_TRUE(open_journal(restored, options_, at_second(60)));

  FakeDisk mixed;
  Files files = copy;
  files[kOwner] = disk.contents(kOwner);
  put(mixed, files);
  expect_refused(mixed);
}

TEST_F(JournalEnd, a_journal_without_a_note_is_opened_as_it_is) {
  FakeDisk disk;
  run(disk, 60, true);
  ASSERT_TRUE(disk.remove(segment_path(last_segment(disk))));
  // As an older program leaves it.
  disk.set_contents(kOwner, disk.contents(kOwner).substr(0, kTailMarkerAt));
  {
    const OpenedJournal opened = open_or_fail(disk, options_);
    ASSERT_TRUE(opened.store);
    EXPECT_FALSE(opened.store->next_event());
  }
  EXPECT_TRUE(read_tail_marker(disk, kFolder).marker) << "from now on it has one";
}

TEST_F(JournalEnd, a_note_that_does_not_check_is_reported_and_is_none) {
  FakeDisk whole;
  run(whole, 4, true);
  for (std::size_t at = kTailMarkerAt; at < kTailMarkerAt + kTailMarkerBytes; at += 3) {
    FakeDisk disk;
    Files files = files_of(whole);
    files[segment_path(1)].resize(kSegmentHeaderBytes);
    files[kOwner][at] = static_cast<char>(files[kOwner][at] ^ 1);
    put(disk, files);
    EXPECT_THAT(verify_journal(disk, kFolder)->record_fault, HasSubstr(kOwner));
    const OpenedJournal opened = open_or_fail(disk, options_);
    ASSERT_TRUE(opened.store) << at;
    const auto event = opened.store->next_event();
    ASSERT_TRUE(event) << at;
    EXPECT_EQ(event->id, EventId::JournalFilesDoubtful);
    EXPECT_THAT(event->text, AllOf(HasSubstr(kOwner), HasSubstr("does not check")));
    EXPECT_FALSE(opened.store->next_event());
    EXPECT_EQ(read_tail_marker(disk, kFolder).fault, "");
  }
}

TEST_F(JournalEnd, nothing_is_recorded_where_nothing_is_brought_to_the_disk) {
  FakeDisk disk;
  options_.durability = Durability::None;
  run(disk, 60, true);
  EXPECT_FALSE(read_tail_marker(disk, kFolder).marker);
  EXPECT_EQ(read_tail_marker(disk, kFolder).fault, "");
}

TEST_F(JournalEnd, a_note_that_cannot_be_written_is_reported_once_and_stops_nothing) {
  for (const testing::DiskCall call : {testing::DiskCall::Write, testing::DiskCall::Sync}) {
    FakeDisk disk;
    ASSERT_TRUE(disk.make_directories(kFolder));
    auto owner = Ownership::take(disk, kFolder, at_second(1));
    ASSERT_TRUE(owner);
    EventQueue events;
    TailMarkerWriter markers{&*owner, kFolder, events};
    const TailMarker first{.segment = 1, .position = 500, .segment_bytes = 1'500};
    markers.put(first);
    EXPECT_EQ(read_tail_marker(disk, kFolder).marker, first);
    markers.put({.segment = 1, .position = 400, .segment_bytes = 1'500});
    EXPECT_EQ(read_tail_marker(disk, kFolder).marker, first) << "a later one is there";
    disk.fail(call, 1, EIO);
    markers.put({.segment = 2, .position = 900, .segment_bytes = 1'500});
    const auto event = events.take();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->id, EventId::OwnerFileNotWritten);
    EXPECT_THAT(event->text, AllOf(HasSubstr(kFolder), HasSubstr("owner")));
    const FoundTailMarker there = read_tail_marker(disk, kFolder);
    markers.put({.segment = 3, .position = 1'900, .segment_bytes = 1'500});
    EXPECT_EQ(read_tail_marker(disk, kFolder).marker, there.marker)
        << "a failed sync is not repeated";
    EXPECT_FALSE(events.take());
  }
}

TEST_F(JournalEnd, who_was_replaced_notes_nothing) {
  FakeDisk disk;
  ASSERT_TRUE(disk.make_directories(kFolder));
  auto first = Ownership::take(disk, kFolder, at_second(1));
  ASSERT_TRUE(first);
  ASSERT_TRUE(disk.remove(kFolder + "/lock"));
  const auto second = Ownership::take(disk, kFolder, at_second(2));
  ASSERT_TRUE(second);
  EventQueue events;
  TailMarkerWriter{&*first, kFolder, events}.put(
      {.segment = 1, .position = 500, .segment_bytes = 1'500});
  EXPECT_FALSE(read_tail_marker(disk, kFolder).marker);
}

TEST_F(JournalEnd, a_repair_that_is_interrupted_anywhere_can_be_done_again) {
  FakeDisk whole;
  run(whole, 30, false);
  const auto used = next_numbers(whole);
  for (unsigned nth = 1;; ++nth) {
    SCOPED_TRACE(nth);
    FakeDisk disk;
    Files files = files_of(whole);
    files.erase(segment_path(last_segment(whole)));
    put(disk, files);
    disk.fail_any(nth, EIO);
    const auto repaired = repair(disk);
    // A marker that cannot be read counts as none.
    const bool is_done = repaired && !repaired->steps.empty();
    const bool had_fault = disk.faults_hit() > 0;
    disk.power_loss();
    // Otherwise it is refused as before; if not, the next opening is above what was used.
    if (const auto opened = open_journal(disk, options_, at_second(80))) {
      const auto next = next_numbers(*opened->store);
      for (std::size_t key = 0; key < next.size(); ++key) EXPECT_GE(next[key], used[key]);
    } else {
      EXPECT_FALSE(is_done) << opened.error().text;
      expect_repaired(disk, used);
    }
    if (HasFailure() || !had_fault) return;
  }
}

// What the marker named is there, whatever a crash has taken.
TEST_F(JournalEnd, no_crash_leaves_a_note_that_is_not_true) {
  const std::uint64_t runs = testing::random_runs(400 / case_step(4));
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random{seed};
    FakeDisk disk;
    disk.set_mapping(random.below(2) == 0);
    constexpr std::array kModes{Durability::None, Durability::Process, Durability::Group,
                                Durability::Sync};
    for (int life = 0; life < 6; ++life) {
      // A mode that syncs nothing may not be believed: it only ever follows others here.
      options_.durability = kModes[random.below(kModes.size())];
      options_.numbers_ahead_max = 8;
      const auto opened = open_journal(disk, options_, at_second(50 + life));
      ASSERT_TRUE(opened) << opened.error().text;
      disk.fail_any(static_cast<unsigned>(random.below(300)) + 1, EIO);
      Store& store = *opened->store;
      for (std::uint64_t left = random.below(40); left > 0; --left) {
        const auto key = store.open_session("A", at_second(60));
        if (!key || !append_message(store, *key, store.session(*key).next_outbound,
                                    std::string(random.below(200), 'm'))) {
          break;
        }
        if (random.below(3) == 0 && !store.flush()) break;
      }
      if (random.below(3) == 0) static_cast<void>(store.close());
      // In `none` a loss of power promises nothing, not even a log that can be opened.
      if (options_.durability == Durability::None || random.below(2) == 0) {
        disk.process_death();
      } else {
        disk.power_loss_by_sectors(random);
      }
      disk.fail_any(1U << 30U, EIO);
    }
    if (HasFailure()) return;
  }
}

TEST(TailMarker, is_text_that_comes_back_as_it_went) {
  for (const TailMarker& note :
       {TailMarker{.segment = 1, .position = 128, .segment_bytes = 64U << 20U},
        TailMarker{.segment = 4'000'000'000'000,
                   .position = std::uint64_t{1} << 62U,
                   .segment_bytes = 0,
                   .state = TailMarker::State::Closed}}) {
    const std::string text = encode_tail_marker(note);
    EXPECT_EQ(text.size(), kTailMarkerBytes);
    EXPECT_EQ(text.back(), '\n');
    EXPECT_EQ(decode_tail_marker(text), note);
    EXPECT_FALSE(decode_tail_marker(text.substr(1)));
  }
  EXPECT_FALSE(decode_tail_marker(encode_tail_marker(
      {.segment = 1, .position = (std::uint64_t{1} << 62U) + 1, .segment_bytes = 0})));
}

}  // namespace
}  // namespace nexusfix::store
