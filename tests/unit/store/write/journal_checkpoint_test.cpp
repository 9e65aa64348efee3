// Opening from a checkpoint finds what reading everything finds; a checkpoint that cannot be
// trusted costs time, and is reported.
#include <cerrno>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "journal/api/journal_tools.hpp"
#include "store/api/journal.hpp"
#include "store/api/journal_format.hpp"
#include "store/state/checkpoint.hpp"
#include "store/write/tail_marker.hpp"
#include "support/disks/fake_disk.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using ::testing::AllOf;
using testing::FakeDisk;
using ::testing::HasSubstr;

const std::string kFolder = "/journal";
constexpr std::uint64_t kSegmentBytes = 1'500;

std::string segment_path(std::uint64_t number) { return kFolder + '/' + segment_file_name(number); }

JournalOptions options_with(Durability durability) {
  return {.folder = kFolder, .durability = durability, .segment_bytes = kSegmentBytes};
}

// What a store answers: sessions, lost numbers, messages.
struct Answers {
  std::vector<std::string> names;
  std::vector<SessionRecord> records;
  std::vector<std::vector<NumberRange>> lost;
  std::vector<std::vector<KeptMessage>> messages;
  friend bool operator==(const Answers&, const Answers&) = default;
};

Answers answers_of(Store& store) {
  Answers answers;
  for (SessionKey key = 0; key < store.session_count(); ++key) {
    answers.names.emplace_back(store.session_name(key));
    answers.records.push_back(store.session(key));
    const auto lost = store.lost_numbers(key);
    answers.lost.emplace_back(lost.begin(), lost.end());
    answers.messages.push_back(read_all(store, key));
  }
  return answers;
}

// A log of several segments: three sessions, one of them reset twice, one with lost numbers.
void fill(Store& store, unsigned rounds) {
  const SessionKey a = open_session(store, "A");
  const SessionKey b = open_session(store, "B");
  const SessionKey c = open_session(store, "C");
  for (unsigned round = 1; round <= rounds; ++round) {
    ASSERT_TRUE(append(store, [&](Transaction& t) {
      t.inbound_progress(a, store.session(a).next_inbound + 1);
      t.outbound_message(a, store.session(a).next_outbound,
                         "a message to A " + std::string(60, 'x'));
      if (round == rounds / 3 || round == rounds / 2) t.reset(b);
      if (round == 5) t.messages_lost(c, 3, 4);
    }));
    ASSERT_TRUE(append(store, [&](Transaction& t) {
      t.outbound_message(b, store.session(b).next_outbound, "to B");
      t.outbound_number(c, store.session(c).next_outbound);
      if (round % 7 == 0) t.outbound_message(c, store.session(c).next_outbound + 1, "to C");
    }));
    ASSERT_TRUE(store.flush());
  }
}

std::uint64_t last_segment(const FakeDisk& disk) {
  std::uint64_t number = 1;
  while (disk.exists(segment_path(number + 1))) ++number;
  return number;
}

SegmentHeader header_of(const FakeDisk& disk, std::uint64_t number) {
  return decode_segment_header(disk.contents(segment_path(number))).value();
}

class JournalCheckpoint : public ::testing::Test {
 protected:
  void make(Durability durability, unsigned rounds = 60) {
    options_ = options_with(durability);
    OpenedJournal journal = open_or_fail(disk_, options_);
    fill(*journal.store, rounds);
    expected_ = answers_of(*journal.store);
  }
  OpenedJournal open() { return open_or_fail(disk_, options_); }
  void flip(std::uint64_t segment, std::size_t at) {
    std::string bytes = disk_.contents(segment_path(segment));
    bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
    disk_.set_contents(segment_path(segment), bytes);
  }
  // Segments with a checkpoint, the newest last.
  std::vector<std::uint64_t> checkpoints() const {
    std::vector<std::uint64_t> found;
    for (std::uint64_t number = 1; disk_.exists(segment_path(number)); ++number) {
      if (header_of(disk_, number).has_checkpoint()) found.push_back(number);
    }
    return found;
  }

  FakeDisk disk_;
  JournalOptions options_ = options_with(Durability::Sync);
  Answers expected_;
};

TEST_F(JournalCheckpoint, opening_reads_only_what_lies_after_the_newest) {
  for (const Durability durability : {Durability::Sync, Durability::Process, Durability::None}) {
    disk_ = FakeDisk{};
    make(durability);
    const OpenedJournal opened = open();
    EXPECT_LE(opened.report.scanned_bytes, kSegmentBytes);
    EXPECT_GT(opened.report.bytes, 8 * kSegmentBytes);
    EXPECT_THAT(opened.report.checkpoint_faults, ::testing::IsEmpty());
    EXPECT_EQ(answers_of(*opened.store), expected_);
    const OpenedJournal scanned = *inspect_journal(disk_, kFolder);
    EXPECT_EQ(scanned.report.scanned_bytes, scanned.report.bytes);
    EXPECT_EQ(opened.report.records, scanned.report.records);
    EXPECT_EQ(opened.report.messages, scanned.report.messages);
    EXPECT_EQ(opened.report.bytes, scanned.report.bytes);
    EXPECT_EQ(answers_of(*scanned.store), expected_);
  }
}

TEST_F(JournalCheckpoint, all_is_read_when_that_is_wanted) {
  make(Durability::Sync);
  options_.checks_all = true;
  const OpenedJournal opened = open();
  EXPECT_EQ(opened.report.scanned_bytes, opened.report.bytes);
  EXPECT_EQ(answers_of(*opened.store), expected_);
}

TEST_F(JournalCheckpoint, goes_on_being_right_over_many_openings) {
  make(Durability::Sync, 20);
  for (int opening = 0; opening < 12; ++opening) {
    if (opening % 5 == 4) disk_.reboot();
    OpenedJournal journal = open();
    fill(*journal.store, 9);
    expected_ = answers_of(*journal.store);
    journal.store.reset();
    EXPECT_EQ(answers_of(*inspect_journal(disk_, kFolder)->store), expected_);
    EXPECT_EQ(answers_of(*open().store), expected_);
    const auto checked = verify_journal(disk_, kFolder);
    ASSERT_TRUE(checked);
    EXPECT_THAT(checked->checkpoint_faults, ::testing::IsEmpty());
  }
}

TEST_F(JournalCheckpoint, is_trusted_after_a_start_of_the_machine_if_the_log_says_it_was_synced) {
  make(Durability::Sync);
  disk_.reboot();
  const OpenedJournal opened = open();
  EXPECT_TRUE(opened.report.power_lost);
  EXPECT_LT(opened.report.scanned_bytes, 4 * kSegmentBytes);
  EXPECT_EQ(answers_of(*opened.store), expected_);
}

TEST_F(JournalCheckpoint, is_not_trusted_when_what_lies_before_it_may_be_gone) {
  make(Durability::None);  // whose files are never synced
  disk_.reboot();
  const OpenedJournal opened = open();
  EXPECT_EQ(opened.report.scanned_bytes, opened.report.bytes);
  EXPECT_EQ(answers_of(*opened.store), expected_);
}

TEST_F(JournalCheckpoint, of_a_log_that_lost_power_never_hides_what_is_lost) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    disk_ = FakeDisk{};
    make(Durability::Process, 40);
    SeededRandom random{seed};
    disk_.power_loss_by_sectors(random);
    const auto scanned = inspect_journal(disk_, kFolder);
    const auto opened = open_journal(disk_, options_, at_second(50));
    ASSERT_EQ(opened.has_value(), scanned.has_value()) << seed;
    if (!opened) continue;
    EXPECT_EQ(opened->report.cut_bytes, scanned->report.cut_bytes) << seed;
    EXPECT_EQ(scan_all(*opened->store), scan_all(*scanned->store)) << seed;
  }
}

TEST_F(JournalCheckpoint, a_damaged_byte_anywhere_in_one_costs_time_and_nothing_else) {
  make(Durability::Sync);
  for (const std::uint64_t segment : {checkpoints().back(), checkpoints()[2]}) {
    const std::size_t end = header_of(disk_, segment).records_at();
    for (std::size_t at = kSegmentHeaderBytes; at < end; ++at) {
      flip(segment, at);
      const OpenedJournal opened = open();
      ASSERT_EQ(answers_of(*opened.store), expected_) << at;
      ASSERT_THAT(opened.report.damages, ::testing::IsEmpty());
      ASSERT_EQ(opened.report.checkpoint_faults.size(), 1U);
      EXPECT_THAT(opened.report.checkpoint_faults[0],
                  AllOf(HasSubstr(segment_path(segment)), HasSubstr("offset 128")));
      EXPECT_GT(opened.report.scanned_bytes, kSegmentBytes);
      const auto checked = verify_journal(disk_, kFolder);
      ASSERT_TRUE(checked);
      ASSERT_EQ(checked->checkpoint_faults, opened.report.checkpoint_faults);
      flip(segment, at);
    }
  }
}

TEST_F(JournalCheckpoint, that_is_damaged_is_taken_out_by_a_repair) {
  make(Durability::Sync);
  flip(checkpoints().back(), kSegmentHeaderBytes + 20);
  const auto repaired = repair_journal(
      disk_, {.folder = kFolder, .mode = RepairMode::Carry, .text = "me", .names = {}},
      at_second(70));
  ASSERT_TRUE(repaired) << repaired.error().text;
  EXPECT_EQ(repaired->steps.size(), 1U);
  EXPECT_THAT(repaired->alarms, ::testing::IsEmpty());
  const OpenedJournal opened = open();
  EXPECT_THAT(opened.report.checkpoint_faults, ::testing::IsEmpty());
  EXPECT_LT(opened.report.scanned_bytes, opened.report.bytes);
  EXPECT_EQ(answers_of(*opened.store), expected_);
}

TEST_F(JournalCheckpoint, damage_before_it_is_found_when_it_is_read_and_by_a_check) {
  make(Durability::Sync);
  flip(2, header_of(disk_, 2).records_at() + 30);
  {
    const OpenedJournal opened = open();
    EXPECT_THAT(opened.report.damages, ::testing::IsEmpty());
    EXPECT_EQ(opened.store->session(0), expected_.records[0]);
    std::string text;
    for (SessionKey key = 0; key < 3; ++key) {
      const auto read = opened.store->read(key, 1, UINT64_MAX,
                                           [](std::uint64_t, std::string_view) { return true; });
      if (!read) text = read.error().text;
    }
    EXPECT_THAT(text, AllOf(HasSubstr(segment_path(2)), HasSubstr("offset")));
  }
  EXPECT_EQ(verify_journal(disk_, kFolder)->damages.size(), 1U);
  options_.checks_all = true;
  EXPECT_EQ(open().report.damages.size(), 1U);
}

TEST_F(JournalCheckpoint, is_not_made_while_damage_must_be_found_again) {
  make(Durability::Sync);
  flip(2, header_of(disk_, 2).records_at() + 30);
  options_.checks_all = true;
  const std::size_t before = checkpoints().size();
  {
    const OpenedJournal opened = open();
    ASSERT_FALSE(opened.report.refused.empty());
    for (SessionKey key = 0; key < 3; ++key) {
      const auto session =
          opened.store->open_session(opened.store->session_name(key), at_second(60));
      if (!session) continue;
      for (int i = 0; i < 200; ++i) {
        const std::uint64_t next = opened.store->session(key).next_outbound;
        ASSERT_TRUE(append_message(*opened.store, key, next, "goes on"));
      }
    }
    ASSERT_TRUE(opened.store->flush());
  }
  EXPECT_EQ(checkpoints().size(), before);
  EXPECT_FALSE(open().report.refused.empty());
}

TEST_F(JournalCheckpoint, after_damage_is_not_trusted_once_it_is_repaired) {
  make(Durability::Sync);
  flip(2, header_of(disk_, 2).records_at() + 30);
  const auto repaired = repair_journal(
      disk_, {.folder = kFolder, .mode = RepairMode::Carry, .text = "me", .names = {}},
      at_second(70));
  ASSERT_TRUE(repaired) << repaired.error().text;
  const auto checked = verify_journal(disk_, kFolder);
  ASSERT_TRUE(checked);
  EXPECT_THAT(checked->damages, ::testing::IsEmpty());
  EXPECT_THAT(checked->checkpoint_faults, ::testing::IsEmpty());
  const Answers scanned = answers_of(*inspect_journal(disk_, kFolder)->store);
  const OpenedJournal opened = open();
  EXPECT_EQ(answers_of(*opened.store), scanned);
  EXPECT_FALSE(opened.store->lost_numbers(0).empty() && opened.store->lost_numbers(1).empty());
}

TEST_F(JournalCheckpoint, a_segment_whose_start_was_interrupted_is_opened_again) {
  make(Durability::Sync);
  const std::uint64_t last = last_segment(disk_);
  const std::uint64_t segment = checkpoints().back();
  ASSERT_GE(segment, last - 1);
  for (std::uint64_t number = segment + 1; number <= last; ++number) {
    ASSERT_TRUE(disk_.remove(segment_path(number)));
  }
  const std::string whole = disk_.contents(segment_path(segment));
  const std::string before = disk_.contents(segment_path(segment - 1));
  const std::size_t start = header_of(disk_, segment).records_at();
  for (std::size_t length = 0; length < start; length += 3) {
    for (const bool has_zeros : {false, true}) {
      std::string cut = whole.substr(0, length);
      if (has_zeros) cut.resize(kSegmentBytes, '\0');
      disk_.set_contents(segment_path(segment), cut);
      // Before the tail marker names the segment.
      disk_.set_contents(kFolder + "/owner",
                         disk_.contents(kFolder + "/owner").substr(0, kTailMarkerAt));
      const OpenedJournal opened = open();
      ASSERT_THAT(opened.report.damages, ::testing::IsEmpty()) << length;
      ASSERT_THAT(opened.report.checkpoint_faults, ::testing::IsEmpty()) << length;
      const std::uint64_t next = opened.store->session(0).next_outbound;
      ASSERT_TRUE(append_message(*opened.store, 0, next, std::string(kSegmentBytes, 'n')));
      ASSERT_TRUE(opened.store->flush());
      const Answers expected = answers_of(*opened.store);
      ASSERT_EQ(answers_of(*inspect_journal(disk_, kFolder)->store), expected) << length;
      ASSERT_TRUE(verify_journal(disk_, kFolder)->damages.empty());
      // As it was, for the next length.
      for (std::uint64_t number = segment; disk_.exists(segment_path(number)); ++number) {
        ASSERT_TRUE(disk_.remove(segment_path(number)));
      }
      disk_.set_contents(segment_path(segment - 1), before);
    }
  }
}

// A disk that does not give what lies in a part of one file.
class UnreadableDisk final : public Disk {
 public:
  FakeDisk disk;
  std::string path;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  DiskResult<std::unique_ptr<File>> open(const std::string& name, OpenMode mode) override {
    auto file = disk.open(name, mode);
    if (!file || name != path) return file;
    return std::make_unique<UnreadableFile>(*this, std::move(*file));
  }
  DiskResult<void> make_directories(const std::string& folder) override {
    return disk.make_directories(folder);
  }
  DiskResult<std::vector<std::string>> list(const std::string& folder) override {
    return disk.list(folder);
  }
  DiskResult<void> remove(const std::string& name) override { return disk.remove(name); }
  DiskResult<void> sync_directory(const std::string& folder) override {
    return disk.sync_directory(folder);
  }
  std::string boot_id() override { return disk.boot_id(); }

 private:
  class UnreadableFile final : public File {
   public:
    UnreadableFile(const UnreadableDisk& disk, std::unique_ptr<File> file)
        : disk_{disk}, file_{std::move(file)} {}
    DiskResult<void> write_at(std::uint64_t offset, std::span<const char> bytes) override {
      return file_->write_at(offset, bytes);
    }
    DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
      if (offset < disk_.end && disk_.begin < offset + bytes.size()) {
        return std::unexpected{
            DiskError{.path = disk_.path, .operation = "read", .error_number = EIO}};
      }
      return file_->read_at(offset, bytes);
    }
    DiskResult<void> sync() override { return file_->sync(); }
    DiskResult<std::uint64_t> size() override { return file_->size(); }
    DiskResult<void> truncate(std::uint64_t bytes) override { return file_->truncate(bytes); }
    DiskResult<bool> try_lock() override { return file_->try_lock(); }

   private:
    const UnreadableDisk& disk_;
    std::unique_ptr<File> file_;
  };
};

// Catalogue D4: an opening must not fail for what it can read from the log.
TEST_F(JournalCheckpoint, one_that_the_disk_does_not_give_is_reported_and_the_log_is_read_instead) {
  make(Durability::Sync);
  for (const std::uint64_t segment : checkpoints()) {
    UnreadableDisk disk;
    for (std::uint64_t number = 1; number <= last_segment(disk_); ++number) {
      disk.disk.set_contents(segment_path(number), disk_.contents(segment_path(number)));
    }
    disk.disk.set_contents(kFolder + "/owner",
                           disk_.contents(kFolder + "/owner").substr(0, kTailMarkerAt));
    const SegmentHeader header = header_of(disk_, segment);
    disk.path = segment_path(segment);
    disk.begin = header.header_bytes();
    disk.end = header.records_at();
    const OpenedJournal opened = open_or_fail(disk, options_);
    ASSERT_TRUE(opened.store) << segment;
    EXPECT_EQ(answers_of(*opened.store), expected_);
    const bool is_read = segment == checkpoints().back();
    if (is_read) {
      EXPECT_THAT(opened.report.checkpoint_faults,
                  ElementsAre(AllOf(HasSubstr(segment_path(segment)), HasSubstr("read"))));
    }
    EXPECT_THAT(opened.report.damages, ::testing::IsEmpty());
    EXPECT_TRUE(append_message(*opened.store, 0, opened.store->session(0).next_outbound, "next"));
    EXPECT_TRUE(opened.store->close());
  }
}

// A loss of power may keep later sectors of what was being written and not the earlier ones.
TEST_F(JournalCheckpoint, a_segment_of_which_only_torn_parts_reached_the_disk_is_removed) {
  make(Durability::Sync);
  const std::uint64_t segment = checkpoints().back();
  for (std::uint64_t number = last_segment(disk_); number > segment; --number) {
    ASSERT_TRUE(disk_.remove(segment_path(number)));
  }
  // Before the tail marker names the segment.
  disk_.set_contents(kFolder + "/owner",
                     disk_.contents(kFolder + "/owner").substr(0, kTailMarkerAt));
  const SegmentHeader header = header_of(disk_, segment);
  std::string bytes = disk_.contents(segment_path(segment)).substr(0, header.records_at());
  for (std::size_t at = header.header_bytes() + 40; at < bytes.size(); ++at) bytes[at] = '\0';
  disk_.set_contents(segment_path(segment), bytes + "the end of a record");
  disk_.reboot();
  const auto scanned = inspect_journal(disk_, kFolder);
  ASSERT_TRUE(scanned) << scanned.error().text;
  const OpenedJournal opened = open();
  EXPECT_GT(opened.report.cut_bytes, 0U);
  EXPECT_THAT(opened.report.damages, ::testing::IsEmpty());
  EXPECT_THAT(opened.report.checkpoint_faults, ::testing::IsEmpty());
  EXPECT_EQ(answers_of(*opened.store), answers_of(*scanned->store));
  const auto checked = verify_journal(disk_, kFolder);
  ASSERT_TRUE(checked) << checked.error().text;
  EXPECT_THAT(checked->checkpoint_faults, ::testing::IsEmpty());
  EXPECT_THAT(checked->damages, ::testing::IsEmpty());
}

TEST_F(JournalCheckpoint, a_check_sees_one_that_is_whole_and_wrong) {
  make(Durability::Sync);
  const std::uint64_t segment = checkpoints().back();
  const SegmentHeader header = header_of(disk_, segment);
  std::string bytes = disk_.contents(segment_path(segment));
  const std::size_t content_at = kSegmentHeaderBytes + kRecordHeaderBytes;
  // The count of records, which opening cannot know to be wrong.
  bytes[content_at + 26] = static_cast<char>(bytes[content_at + 26] + 1);
  std::vector<char> again;
  append_record(again, RecordSeed{header}, kSegmentHeaderBytes, at_second(1),
                std::span{bytes}.subspan(content_at, header.records_at() - content_at));
  bytes.replace(kSegmentHeaderBytes, again.size(), again.data(), again.size());
  disk_.set_contents(segment_path(segment), bytes);
  EXPECT_THAT(open().report.checkpoint_faults, ::testing::IsEmpty());
  const auto checked = verify_journal(disk_, kFolder);
  ASSERT_TRUE(checked);
  ASSERT_EQ(checked->checkpoint_faults.size(), 1U);
  EXPECT_THAT(checked->checkpoint_faults[0], HasSubstr("counts other records"));
}

}  // namespace
}  // namespace nexusfix::store
