// What only a journal does: files, segments, the lock, limits, and stopping after an error.
#include <cerrno>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/stat.h>

#include "store/api/journal_format.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/disks/temporary_folder.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using ::testing::AllOf;
using testing::DiskCall;
using testing::FakeDisk;
using ::testing::HasSubstr;

const std::string kFolder = "/journal";
const std::string kFirst = "/journal/0000000001.journal";
const std::string kSecond = "/journal/0000000002.journal";

class JournalTest : public ::testing::Test {
 protected:
  OpenedJournal open() { return open_or_fail(disk_, options_); }
  StoreError open_refused() {
    auto opened = open_journal(disk_, options_, at_second(50));
    EXPECT_FALSE(opened);
    return opened ? StoreError{} : opened.error();
  }

  FakeDisk disk_;
  JournalOptions options_{.folder = kFolder};
};

class JournalSyncTest : public JournalTest {
 protected:
  JournalSyncTest() { options_.durability = Durability::Sync; }
};

TEST_F(JournalTest, a_new_folder_holds_a_lock_and_an_empty_segment) {
  const OpenedJournal journal = open();
  EXPECT_EQ(disk_.list(kFolder).value(),
            (std::vector<std::string>{"0000000001.journal", "lock", "owner"}));
  EXPECT_EQ(disk_.contents(kFirst).size(), kSegmentHeaderBytes);
  EXPECT_EQ(journal.report.records, 0U);
  EXPECT_EQ(journal.report.torn_bytes, 0U);
}

TEST_F(JournalTest, the_report_counts_what_was_found) {
  {
    const OpenedJournal journal = open();
    const SessionKey key = open_session(*journal.store, "A");
    for (std::uint64_t n = 1; n <= 5; ++n) {
      ASSERT_TRUE(append(*journal.store, [&](Transaction& t) {
        t.outbound_message(key, 2 * n, "x");
        t.outbound_message(key, 2 * n + 1, "y");
      }));
    }
    ASSERT_TRUE(journal.store->flush());
  }
  const OpenedJournal journal = open();
  EXPECT_EQ(journal.report.records, 6U);
  EXPECT_EQ(journal.report.messages, 10U);
  EXPECT_EQ(journal.report.bytes, disk_.contents(kFirst).size());
}

TEST_F(JournalTest, appending_does_not_touch_the_disk_and_a_flush_is_one_write) {
  const OpenedJournal journal = open();
  const SessionKey key = open_session(*journal.store, "A");
  ASSERT_TRUE(journal.store->flush());
  const unsigned calls = disk_.calls();
  for (std::uint64_t n = 1; n <= 100; ++n) {
    ASSERT_TRUE(append_message(*journal.store, key, n, "message"));
  }
  EXPECT_EQ(disk_.calls(), calls);
  ASSERT_TRUE(journal.store->flush());
  // One read shows whether the folder is still of this journal.
  EXPECT_EQ(disk_.calls(), calls + 2);
  ASSERT_TRUE(journal.store->flush());
  EXPECT_EQ(disk_.calls(), calls + 2);
}

TEST_F(JournalSyncTest, a_flush_is_one_write_and_one_sync) {
  const OpenedJournal journal = open();
  const SessionKey key = open_session(*journal.store, "A");
  const unsigned calls = disk_.calls();
  const unsigned syncs = disk_.calls(DiskCall::Sync);
  ASSERT_TRUE(append_message(*journal.store, key, 1, "message"));
  ASSERT_TRUE(journal.store->flush());
  EXPECT_EQ(disk_.calls(), calls + 3);
  EXPECT_EQ(disk_.calls(DiskCall::Sync), syncs + 1);
}

TEST_F(JournalSyncTest, much_without_a_flush_is_written_in_pieces_but_not_called_durable) {
  const OpenedJournal journal = open();
  const SessionKey key = open_session(*journal.store, "A");
  const LogPosition durable = journal.store->durable();
  const unsigned syncs = disk_.calls(DiskCall::Sync);
  const std::string message(10'000, 'm');
  for (std::uint64_t n = 1; n <= 500; ++n) {
    ASSERT_TRUE(append_message(*journal.store, key, n, message));
  }
  EXPECT_GT(disk_.contents(kFirst).size(), 3'000'000U);
  EXPECT_EQ(journal.store->durable(), durable);
  EXPECT_EQ(disk_.calls(DiskCall::Sync), syncs);
  EXPECT_EQ(read_all(*journal.store, key).size(), 500U);
  EXPECT_EQ(journal.store->flush(), journal.store->appended());
  EXPECT_EQ(disk_.calls(DiskCall::Sync), syncs + 1);
}

TEST_F(JournalTest, bytes_once_flushed_are_never_written_again) {
  options_.segment_bytes = 2000;
  const OpenedJournal journal = open();
  const SessionKey key = open_session(*journal.store, "A");
  std::string before = disk_.contents(kFirst);
  for (std::uint64_t n = 1; n <= 20; ++n) {
    ASSERT_TRUE(append_message(*journal.store, key, n, "message"));
    ASSERT_TRUE(journal.store->flush());
    const std::string after = disk_.contents(kFirst);
    ASSERT_TRUE(after.starts_with(before));
    before = after;
  }
}

TEST_F(JournalTest, a_full_segment_is_followed_by_the_next) {
  options_.segment_bytes = 600;
  {
    const OpenedJournal journal = open();
    const SessionKey key = open_session(*journal.store, "A");
    for (std::uint64_t n = 1; n <= 40; ++n) {
      ASSERT_TRUE(append_message(*journal.store, key, n, std::string(50, 'm')));
    }
    ASSERT_TRUE(journal.store->flush());
  }
  const std::vector<std::string> names = disk_.list(kFolder).value();
  EXPECT_GT(names.size(), 5U);
  for (const std::string& name : names) {
    if (!name.ends_with(".journal")) continue;
    EXPECT_LE(disk_.contents(kFolder + '/' + name).size(), 600U);
  }
  const OpenedJournal journal = open();
  EXPECT_EQ(read_all(*journal.store, open_session(*journal.store, "A")).size(), 40U);
}

// Which may be larger than a segment should be: a record still follows it.
TEST_F(JournalTest, a_segment_holds_its_checkpoint_and_a_record_at_least) {
  options_.segment_bytes = 300;
  const OpenedJournal journal = open();
  const SessionKey key = open_session(*journal.store, "A");
  for (std::uint64_t n = 1; n <= 20; ++n) {
    ASSERT_TRUE(append_message(*journal.store, key, n, std::string(50, 'm')));
    ASSERT_TRUE(journal.store->flush());
  }
  const std::size_t record_bytes = kRecordHeaderBytes + 17 + 50;
  bool has_larger = false;
  const std::vector<std::string> names = disk_.list(kFolder).value();
  for (const std::string& name : names) {
    const std::string bytes = disk_.contents(kFolder + '/' + name);
    if (!name.ends_with(".journal") || bytes.size() <= 300) continue;
    has_larger = true;
    const auto header = decode_segment_header(bytes);
    ASSERT_TRUE(header);
    EXPECT_LE(bytes.size(), header->records_at() + record_bytes + 100);
  }
  EXPECT_TRUE(has_larger);
  EXPECT_EQ(read_all(*journal.store, key).size(), 20U);
}

TEST_F(JournalTest, a_segment_is_filled_to_its_last_byte) {
  // Header, the session's name and one message fill the segment exactly.
  const std::size_t name_record = kRecordHeaderBytes + 17 + 1;
  const std::size_t message_record = kRecordHeaderBytes + 17 + 10;
  options_.segment_bytes = kSegmentHeaderBytes + name_record + message_record;
  {
    const OpenedJournal journal = open();
    const SessionKey key = open_session(*journal.store, "A");
    ASSERT_TRUE(append_message(*journal.store, key, 1, "0123456789"));
    ASSERT_TRUE(journal.store->flush());
    EXPECT_FALSE(disk_.exists(kSecond));
    ASSERT_TRUE(append_message(*journal.store, key, 2, ""));
    EXPECT_TRUE(disk_.exists(kSecond));
    ASSERT_TRUE(journal.store->flush());
  }
  const OpenedJournal journal = open();
  EXPECT_EQ(read_all(*journal.store, 0), (std::vector<KeptMessage>{{1, "0123456789"}, {2, ""}}));
}

TEST_F(JournalTest, a_record_above_its_limit_is_refused_at_the_exact_byte) {
  options_.record_bytes_max = 100;
  const OpenedJournal journal = open();
  const SessionKey key = open_session(*journal.store, "A");
  const std::size_t fits = 100 - kRecordHeaderBytes - 17;
  const auto refused = append_message(*journal.store, key, 1, std::string(fits + 1, 'x'));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StoreErrorCode::TooLarge);
  EXPECT_THAT(refused.error().text, AllOf(HasSubstr("101 bytes"), HasSubstr("limit of 100")));
  EXPECT_TRUE(append_message(*journal.store, key, 1, std::string(fits, 'x')));
}

TEST_F(JournalTest, records_above_a_lowered_limit_are_still_read) {
  {
    const OpenedJournal journal = open();
    const SessionKey key = open_session(*journal.store, "A");
    ASSERT_TRUE(append_message(*journal.store, key, 1, std::string(5000, 'x')));
    ASSERT_TRUE(journal.store->flush());
  }
  options_.record_bytes_max = 100;
  EXPECT_EQ(read_all(*open().store, 0).size(), 1U);
}

TEST_F(JournalTest, a_second_opener_is_kept_out_until_the_first_is_gone) {
  OpenedJournal first = open();
  const StoreError error = open_refused();
  EXPECT_EQ(error.code, StoreErrorCode::Locked);
  EXPECT_THAT(error.text, AllOf(HasSubstr(kFolder), HasSubstr("another process")));
  first.store.reset();
  open();
}

TEST_F(JournalTest, the_lock_falls_with_a_killed_process) {
  const OpenedJournal first = open();
  disk_.process_death();
  open();
}

TEST_F(JournalTest, an_unflushed_append_is_not_written_by_destruction) {
  {
    const OpenedJournal journal = open();
    const SessionKey key = open_session(*journal.store, "A");
    ASSERT_TRUE(append_message(*journal.store, key, 1, "never flushed"));
  }
  EXPECT_EQ(open().report.messages, 0U);
}

TEST_F(JournalTest, files_that_are_not_ours_are_left_alone) {
  disk_.set_contents(kFolder + "/notes.txt", "hello");
  disk_.set_contents(kFolder + "/0000000001.journal.bak", "copy");
  open();
  EXPECT_EQ(disk_.contents(kFolder + "/notes.txt"), "hello");
  EXPECT_EQ(disk_.contents(kFolder + "/0000000001.journal.bak"), "copy");
}

TEST_F(JournalTest, a_write_error_stops_the_store_for_good) {
  const OpenedJournal journal = open();
  Store& store = *journal.store;
  const SessionKey key = open_session(store, "A");
  const LogPosition durable = store.durable();
  ASSERT_TRUE(append_message(store, key, 1, "lost"));
  disk_.fail(DiskCall::Write, 1, ENOSPC);
  const auto flushed = store.flush();
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().code, StoreErrorCode::Disk);
  EXPECT_EQ(flushed.error().text,
            "journal /journal: write " + kFirst + ": No space left on device");
  EXPECT_EQ(store.durable(), durable);
  const unsigned calls = disk_.calls();
  for (const auto& refused :
       {store.flush().error(), append_message(store, key, 2, "x").error(),
        store.open_session("B", at_second(1)).error(),
        store.scan([](const Store::LogMessage&) {}).error(),
        store.read(key, 1, 2, [](std::uint64_t, std::string_view) { return true; }).error()}) {
    EXPECT_EQ(refused.code, StoreErrorCode::Failed);
    EXPECT_THAT(refused.text, HasSubstr("No space left on device"));
  }
  EXPECT_EQ(disk_.calls(), calls);
}

TEST_F(JournalSyncTest, a_failed_sync_is_never_repeated) {
  const OpenedJournal journal = open();
  const SessionKey key = open_session(*journal.store, "A");
  const LogPosition durable = journal.store->durable();
  ASSERT_TRUE(append_message(*journal.store, key, 1, "x"));
  disk_.fail(DiskCall::Sync, 1, EIO);
  EXPECT_EQ(journal.store->flush().error().code, StoreErrorCode::Disk);
  const unsigned syncs = disk_.calls(DiskCall::Sync);
  EXPECT_EQ(journal.store->flush().error().code, StoreErrorCode::Failed);
  EXPECT_EQ(disk_.calls(DiskCall::Sync), syncs);
  EXPECT_EQ(journal.store->durable(), durable);
}

// Catalogue D5. The kernel takes for clean what it could not write: it can be read, and a sync
// alone does not bring it to the disk.
TEST_F(JournalSyncTest, what_a_failed_sync_has_left_to_be_read_is_on_the_disk_once_it_was_opened) {
  options_.segment_bytes = 1'000;
  {
    const OpenedJournal journal = open();
    const SessionKey key = open_session(*journal.store, "A");
    ASSERT_TRUE(append_message(*journal.store, key, 1, "one"));
    ASSERT_TRUE(journal.store->flush());
    // Into the next segment as well.
    for (std::uint64_t n = 2; n <= 12; ++n) {
      ASSERT_TRUE(append_message(*journal.store, key, n, std::string(60, 'x')));
    }
    disk_.fail(DiskCall::Sync, 1, EIO);
    ASSERT_FALSE(journal.store->flush());
    disk_.process_death();
  }
  std::uint64_t next_outbound = 0;
  std::vector<KeptMessage> kept;
  {
    const OpenedJournal journal = open();
    const SessionKey key = open_session(*journal.store, "A");
    next_outbound = journal.store->session(key).next_outbound;
    kept = read_all(*journal.store, key);
    EXPECT_GT(kept.size(), 1U);
    disk_.power_loss();
  }
  const OpenedJournal journal = open();
  const SessionKey key = open_session(*journal.store, "A");
  EXPECT_EQ(journal.store->session(key).next_outbound, next_outbound);
  EXPECT_EQ(read_all(*journal.store, key), kept);
}

TEST_F(JournalTest, an_error_while_a_segment_is_changed_stops_the_store) {
  options_.segment_bytes = 200;
  const OpenedJournal journal = open();
  const SessionKey key = open_session(*journal.store, "A");
  ASSERT_TRUE(append_message(*journal.store, key, 1, std::string(100, 'x')));
  disk_.fail(DiskCall::Open, 1, EMFILE);
  const auto refused = append_message(*journal.store, key, 2, "x");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("Too many open files"));
  EXPECT_EQ(journal.store->session(key).next_outbound, 2U);
  EXPECT_EQ(append_message(*journal.store, key, 2, "x").error().code, StoreErrorCode::Failed);
}

TEST_F(JournalTest, a_read_error_is_reported_and_the_store_goes_on) {
  const OpenedJournal journal = open();
  const SessionKey key = open_session(*journal.store, "A");
  ASSERT_TRUE(append_message(*journal.store, key, 1, "one"));
  ASSERT_TRUE(journal.store->flush());
  disk_.fail(DiskCall::Read, 1, EIO);
  const auto read =
      journal.store->read(key, 1, 1, [](std::uint64_t, std::string_view) { return true; });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, StoreErrorCode::Disk);
  EXPECT_EQ(read_all(*journal.store, key).size(), 1U);
  EXPECT_TRUE(append_message(*journal.store, key, 2, "two"));
}

TEST_F(JournalTest, a_short_read_is_continued_and_a_file_that_shrank_is_reported) {
  const OpenedJournal journal = open();
  const SessionKey key = open_session(*journal.store, "A");
  ASSERT_TRUE(append_message(*journal.store, key, 1, "one"));
  ASSERT_TRUE(journal.store->flush());
  disk_.shorten_read(1);
  EXPECT_EQ(read_all(*journal.store, key), (std::vector<KeptMessage>{{1, "one"}}));
  const std::string bytes = disk_.contents(kFirst);
  disk_.set_contents(kFirst, std::string_view{bytes}.substr(0, bytes.size() - 5));
  const auto read =
      journal.store->read(key, 1, 1, [](std::uint64_t, std::string_view) { return true; });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, StoreErrorCode::Disk);
}

// Catalogue D8, D21.
TEST_F(JournalTest, a_message_damaged_since_it_was_written_is_passed_over_and_reported) {
  const OpenedJournal journal = open();
  const SessionKey key = open_session(*journal.store, "A");
  const SessionKey other = open_session(*journal.store, "B");
  for (std::uint64_t number = 1; number <= 6; ++number) {
    ASSERT_TRUE(append_message(*journal.store, key, number, "own " + std::to_string(number)));
    ASSERT_TRUE(append_message(*journal.store, other, number, "other"));
  }
  ASSERT_TRUE(journal.store->flush());
  const std::string sound = disk_.contents(kFirst);
  const auto damaged_read = [&](std::uint64_t last, auto&&... texts) {
    std::string bytes = sound;
    for (const std::string_view text : {std::string_view{texts}...}) bytes[bytes.find(text)] ^= 1;
    disk_.set_contents(kFirst, bytes);
    std::vector<std::uint64_t> seen;
    const auto read =
        journal.store->read(key, 1, last, [&](std::uint64_t number, std::string_view text) {
          EXPECT_EQ(text, "own " + std::to_string(number));
          seen.push_back(number);
          return true;
        });
    const StoreError error = read ? StoreError{} : read.error();
    EXPECT_EQ(error.code, StoreErrorCode::Corrupt);
    return std::pair{seen, error.text};
  };
  using Numbers = std::vector<std::uint64_t>;
  const auto [without_3, told_3] = damaged_read(6, "own 3");
  EXPECT_EQ(without_3, (Numbers{1, 2, 4, 5, 6}));
  EXPECT_THAT(told_3, AllOf(HasSubstr(kFirst), HasSubstr("damaged at offset"),
                            HasSubstr("numbers 3 to 3 cannot be read")));
  const auto [ends, told_ends] = damaged_read(6, "own 1", "own 4", "own 5", "own 6");
  EXPECT_EQ(ends, (Numbers{2, 3}));
  EXPECT_THAT(told_ends, AllOf(HasSubstr("in 3 more places"),
                               HasSubstr("numbers 1 to 1, 4 to 6 cannot be read")));
  const auto [all, told_none] = damaged_read(5, "other");
  EXPECT_EQ(all, (Numbers{1, 2, 3, 4, 5}));
  EXPECT_THAT(told_none, HasSubstr("No message of numbers 1 to 5 is missing"));
  // An application that rebuilds itself from the log must not do so from a part of it.
  EXPECT_FALSE(journal.store->scan([](const Store::LogMessage&) {}));
  EXPECT_TRUE(append_message(*journal.store, key, 7, "the store goes on"));
}

TEST_F(JournalTest, a_bit_flipped_at_any_offset_lets_no_other_message_be_missed) {
  // Catalogue D8: while the journal is open.
  const OpenedJournal journal = open();
  const SessionKey key = open_session(*journal.store, "A");
  for (std::uint64_t number = 1; number <= 8; ++number) {
    ASSERT_TRUE(append_message(*journal.store, key, number, std::string(number * 5, 'm')));
  }
  ASSERT_TRUE(journal.store->flush());
  const std::string sound = disk_.contents(kFirst);
  for (std::size_t offset = 128; offset < sound.size(); ++offset) {
    std::string bytes = sound;
    bytes[offset] = static_cast<char>(bytes[offset] ^ (1 << offset % 8));
    disk_.set_contents(kFirst, bytes);
    std::size_t passed = 0;
    const auto read =
        journal.store->read(key, 1, 8, [&](std::uint64_t number, std::string_view text) {
          EXPECT_EQ(text, std::string(number * 5, 'm')) << offset;
          ++passed;
          return true;
        });
    // The first record opens the session: no message is missing, and none is requested.
    EXPECT_EQ(passed, read ? 8U : 7U) << offset;
  }
}

TEST_F(JournalSyncTest, what_a_killed_process_did_not_sync_is_synced_before_it_is_called_durable) {
  {
    JournalOptions unsynced = options_;
    unsynced.durability = Durability::Process;
    unsynced.segment_bytes = 300;
    const OpenedJournal journal = open_or_fail(disk_, unsynced);
    const SessionKey key = open_session(*journal.store, "A");
    for (std::uint64_t n = 1; n <= 20; ++n) {
      ASSERT_TRUE(append_message(*journal.store, key, n, std::string(50, 'm')));
    }
    ASSERT_TRUE(journal.store->flush());
    disk_.process_death();
  }
  EXPECT_EQ(read_all(*open().store, 0).size(), 20U);
  disk_.power_loss();
  EXPECT_EQ(read_all(*open().store, 0).size(), 20U);
}

TEST(JournalOnPosixDisk, files_are_for_the_owner_alone_and_a_blocked_folder_is_reported) {
  const testing::TemporaryFolder folder;
  PosixDisk disk;
  const std::string path = folder.file("deep/journal");
  open_or_fail(disk, {.folder = path});
  struct stat status{};
  ASSERT_EQ(::stat((path + "/0000000001.journal").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  const auto refused = open_journal(disk, {.folder = path + "/lock/below"}, at_second(1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StoreErrorCode::Disk);
  EXPECT_THAT(refused.error().text, HasSubstr("Not a directory"));
}

}  // namespace
}  // namespace nexusfix::store
