// Files that were prepared and never begun, which the disk has damaged (catalogue D8, D15): nothing
// is lost by that, and nothing that was begun is taken for one of them.
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "journal/api/journal_tools.hpp"
#include "store/api/journal.hpp"
#include "store/api/journal_format.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/sanitized.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using ::testing::AllOf;
using testing::FakeDisk;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kFolder = "/journal";

std::string path_of(std::uint64_t number) { return kFolder + '/' + segment_file_name(number); }

class PreparedSegment : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kLast = 3;  // of those that were begun

  PreparedSegment() {
    options_.folder = kFolder;
    options_.segment_bytes = 400;
    FakeDisk disk;
    {
      const OpenedJournal journal = open_or_fail(disk, options_);
      const SessionKey key = open_session(*journal.store, "A");
      for (std::uint64_t number = 1; !disk.exists(path_of(kLast)); ++number) {
        EXPECT_TRUE(append_message(*journal.store, key, number, std::string(60, 'm')));
        EXPECT_TRUE(journal.store->flush());
      }
      messages_ = scan_all(*journal.store);
    }
    for (std::uint64_t number = 1; number <= kLast; ++number) {
      files_.push_back(disk.contents(path_of(number)));
    }
  }

  [[nodiscard]] FakeDisk disk_with(const std::vector<std::string>& more) const {
    FakeDisk disk;
    EXPECT_TRUE(disk.make_directories(kFolder));
    std::uint64_t number = 0;
    for (const std::string& file : files_) disk.set_contents(path_of(++number), file);
    for (const std::string& file : more) disk.set_contents(path_of(++number), file);
    return disk;
  }

  // Nothing is missing, however it is looked at, and the journal goes on.
  void expect_all(FakeDisk disk) const {
    const auto looked = inspect_journal(disk, kFolder);
    ASSERT_TRUE(looked) << looked.error().text;
    EXPECT_EQ(scan_all(*looked->store), messages_);
    const auto checked = verify_journal(disk, kFolder);
    ASSERT_TRUE(checked) << checked.error().text;
    EXPECT_THAT(checked->damages, IsEmpty());
    EXPECT_EQ(checked->messages, messages_.size());
    {
      const auto opened = open_journal(disk, options_, at_second(60));
      ASSERT_TRUE(opened) << opened.error().text;
      EXPECT_EQ(scan_all(*opened->store), messages_);
      for (int i = 0; i < 12; ++i) {
        ASSERT_TRUE(append_message(*opened->store, 0, opened->store->session(0).next_outbound,
                                   std::string(60, 'n')));
      }
      ASSERT_TRUE(opened->store->flush());
    }
    disk.process_death();
    const OpenedJournal opened = open_or_fail(disk, options_);
    EXPECT_EQ(scan_all(*opened.store).size(), messages_.size() + 12);
  }

  JournalOptions options_;
  std::vector<std::string> files_;
  std::vector<ScannedMessage> messages_;
};

TEST_F(PreparedSegment, any_damaged_byte_costs_nothing) {
  for (const std::size_t size : {std::size_t{128}, std::size_t{300}}) {
    for (std::size_t offset = 0; offset < size; offset += case_step(5)) {
      for (const char byte : {'\1', '\x80', '\xff', "NXFXJRNL\3\0\0\0"[offset % 12]}) {
        std::string file(size, '\0');
        file[offset] = byte;
        SCOPED_TRACE(::testing::Message() << size << ' ' << offset << ' ' << int{byte});
        expect_all(disk_with({file}));
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(PreparedSegment, so_it_is_with_several_of_them_and_with_a_word) {
  for (std::size_t offset = 0; offset < 300; offset += 3) {
    std::string file(300, '\0');
    for (std::size_t at = offset; at < std::min<std::size_t>(offset + 8, 300); ++at) file[at] = 'x';
    const std::string zeros(300, '\0');
    SCOPED_TRACE(offset);
    expect_all(disk_with({file, zeros}));
    expect_all(disk_with({zeros, file}));
    expect_all(disk_with({file, file}));
    if (HasFailure()) return;
  }
}

TEST_F(PreparedSegment, any_truncation_costs_nothing) {
  for (std::size_t size = 0; size < 300; ++size) {
    std::string file(size, '\0');
    expect_all(disk_with({file}));
    if (size >= kSegmentHeaderBytes) {
      file[size / 2] = 'x';
      expect_all(disk_with({file}));
    }
    if (HasFailure()) return;
  }
}

TEST_F(PreparedSegment, the_first_of_all_may_be_damaged) {
  for (std::size_t offset = 0; offset < 300; ++offset) {
    FakeDisk disk;
    ASSERT_TRUE(disk.make_directories(kFolder));
    std::string file(300, '\0');
    file[offset] = 'x';
    disk.set_contents(path_of(1), file);
    EXPECT_TRUE(inspect_journal(disk, kFolder)) << offset;
    EXPECT_TRUE(verify_journal(disk, kFolder)) << offset;
    const auto opened = open_journal(disk, options_, at_second(60));
    ASSERT_TRUE(opened) << offset << ' ' << opened.error().text;
    EXPECT_TRUE(opened->store->open_session("A", at_second(60)));
  }
}

TEST_F(PreparedSegment, damage_in_it_is_reported_and_it_is_emptied) {
  std::string file(300, '\0');
  file[200] = 'x';
  FakeDisk disk = disk_with({file});
  const auto checked = verify_journal(disk, kFolder);
  ASSERT_TRUE(checked);
  ASSERT_EQ(checked->unused.size(), 1U);
  EXPECT_EQ(checked->unused[0].file, path_of(kLast + 1));
  EXPECT_EQ(checked->unused[0].offset, 200U);
  FakeDisk other = disk_with({file});
  // By the opening.
  const OpenedJournal opened = open_or_fail(disk, options_);
  const auto event = opened.store->next_event();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->id, EventId::JournalFilesDoubtful);
  EXPECT_THAT(event->text,
              AllOf(HasSubstr(path_of(kLast + 1)), HasSubstr("prepared and never begun"),
                    HasSubstr("offset 200"), HasSubstr("nothing is lost")));
  EXPECT_FALSE(opened.store->next_event());
  // By a repair.
  const auto repaired = repair_journal(
      other, {.folder = kFolder, .mode = RepairMode::Carry, .text = "anna", .names = {}},
      at_second(70));
  ASSERT_TRUE(repaired) << repaired.error().text;
  ASSERT_EQ(repaired->steps.size(), 1U);
  EXPECT_THAT(repaired->steps[0], AllOf(HasSubstr("never begun"), HasSubstr("emptied")));
  EXPECT_THAT(repaired->alarms, IsEmpty());
  EXPECT_EQ(other.contents(path_of(kLast + 1)), "");
  EXPECT_EQ(other.contents(repaired->copy_folder + '/' + segment_file_name(kLast + 1)), file);
  expect_all(other);
}

// What was begun and has lost its front is no prepared file: its records would be lost in silence.
TEST_F(PreparedSegment, a_segment_that_was_opened_is_never_taken_for_one) {
  const std::string whole = files_.back();
  const auto header = decode_segment_header(std::span{whole}.first(kSegmentHeaderBytes));
  ASSERT_TRUE(header);
  ASSERT_GT(whole.size(), header->records_at());
  for (std::size_t zeros = 1; zeros <= header->records_at(); ++zeros) {
    files_.back() = std::string(zeros, '\0') + whole.substr(zeros);
    FakeDisk disk = disk_with({});
    const auto opened = open_journal(disk, options_, at_second(60));
    ASSERT_FALSE(opened) << zeros;
    EXPECT_EQ(opened.error().code, StoreErrorCode::Corrupt) << zeros;
    EXPECT_EQ(disk.contents(path_of(kLast)), files_.back()) << zeros;
  }
  for (std::size_t offset = 0; offset < header->records_at(); ++offset) {
    files_.back() = whole;
    files_.back()[offset] = static_cast<char>(whole[offset] ^ 0x55);
    FakeDisk disk = disk_with({});
    const auto opened = open_journal(disk, options_, at_second(60));
    if (!opened) continue;  // a header; a checkpoint's damage costs nothing
    EXPECT_EQ(scan_all(*opened->store), messages_) << offset;
  }
}

// What is no longer than a header may be what is left of a segment that was begun.
TEST_F(PreparedSegment, a_short_file_that_is_no_zeros_is_not_passed_over) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{8}, std::size_t{127}}) {
    std::string file(size, '\0');
    file[size - 1] = 'x';
    FakeDisk disk = disk_with({file});
    const auto opened = open_journal(disk, options_, at_second(60));
    if (opened) {
      // As always: a part of a header, of which the rest did not reach the disk.
      EXPECT_TRUE(may_be_torn_header(file)) << size;
      EXPECT_EQ(scan_all(*opened->store), messages_) << size;
    }
  }
}

// Nine bytes may be what is left of a header.
TEST_F(PreparedSegment, more_than_a_word_is_not_passed_over) {
  std::string file(300, '\0');
  for (std::size_t at = 200; at < 209; ++at) file[at] = 'x';
  FakeDisk disk = disk_with({file});
  const auto opened = open_journal(disk, options_, at_second(60));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, StoreErrorCode::Corrupt);
}

}  // namespace
}  // namespace nexusfix::store
