// Looking at a journal: everything is shown, and nothing in the folder changes.
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "store/journal_format.hpp"
#include "store_fixture.hpp"
#include "support/fake_disk.hpp"
#include "support/temporary_folder.hpp"

namespace nexusfix::store {
namespace {

using testing::DiskCall;
using testing::FakeDisk;
using ::testing::HasSubstr;

const std::string kFolder = "/journal";
const std::string kFirst = "/journal/0000000001.journal";
const std::string kSecond = "/journal/0000000002.journal";

class JournalInspectTest : public ::testing::Test {
 protected:
  // Sessions A, which says nothing, and B with the messages 1 to count.
  void write(std::uint64_t count) {
    const OpenedJournal journal = open_or_fail(disk_, options_);
    open_session(*journal.store, "A");
    const SessionKey key = open_session(*journal.store, "B");
    for (std::uint64_t n = 1; n <= count; ++n) {
      ASSERT_TRUE(append_message(*journal.store, key, n, "message " + std::to_string(n)));
    }
    ASSERT_TRUE(journal.store->flush());
  }

  [[nodiscard]] std::map<std::string, std::string> files() {
    std::map<std::string, std::string> all;
    const std::vector<std::string> names = disk_.list(kFolder).value();
    for (const std::string& name : names) {
      all[name] = disk_.contents(kFolder + '/' + name);
    }
    return all;
  }

  // The look itself, and that it has left the disk alone.
  [[nodiscard]] StoreResult<OpenedJournal> inspect() {
    const auto before = files();
    const unsigned changes = changing_calls();
    auto found = inspect_journal(disk_, kFolder);
    if (found) {
      static_cast<void>(scan_all(*found->store));
      found->store->flush().value();
    }
    EXPECT_EQ(changing_calls(), changes);
    EXPECT_EQ(files(), before);
    return found;
  }
  [[nodiscard]] OpenedJournal inspect_or_fail() {
    auto found = inspect();
    EXPECT_TRUE(found) << found.error().text;
    return found ? std::move(*found) : OpenedJournal{};
  }
  [[nodiscard]] unsigned changing_calls() const {
    unsigned calls = 0;
    for (const DiskCall call :
         {DiskCall::Write, DiskCall::Truncate, DiskCall::Sync, DiskCall::Remove,
          DiskCall::MakeDirectories, DiskCall::SyncDirectory}) {
      calls += disk_.calls(call);
    }
    return calls;
  }

  FakeDisk disk_;
  JournalOptions options_{.folder = kFolder};
};

TEST_F(JournalInspectTest, everything_is_there_over_several_segments) {
  options_.segment_bytes = 300;
  write(20);
  ASSERT_TRUE(disk_.exists(kSecond));
  const OpenedJournal found = inspect_or_fail();
  EXPECT_EQ(found.report.messages, 20U);
  EXPECT_EQ(found.report.torn_bytes, 0U);
  EXPECT_FALSE(found.report.in_use);
  ASSERT_EQ(found.store->session_count(), 2U);
  EXPECT_EQ(found.store->session_name(0), "A");
  EXPECT_EQ(found.store->session(1).next_outbound, 21U);
  EXPECT_EQ(read_all(*found.store, 1, 7, 8),
            (std::vector<KeptMessage>{{7, "message 7"}, {8, "message 8"}}));
  EXPECT_EQ(scan_all(*found.store).size(), 20U);
}

TEST_F(JournalInspectTest, a_torn_end_is_told_and_left_where_it_is) {
  write(3);
  const std::string whole = disk_.contents(kFirst);
  disk_.set_contents(kFirst, std::string_view{whole}.substr(0, whole.size() - 5));
  const OpenedJournal found = inspect_or_fail();
  EXPECT_EQ(found.report.messages, 2U);
  EXPECT_GT(found.report.torn_bytes, 0U);
  EXPECT_EQ(scan_all(*found.store).size(), 2U);
}

TEST_F(JournalInspectTest, a_segment_that_was_being_created_is_passed_over) {
  for (const std::size_t header_bytes : {std::size_t{0}, kSegmentHeaderBytes - 1}) {
    write(3);
    SegmentHeader second;
    second.number = 2;
    std::array<char, kSegmentHeaderBytes> header{};
    encode_segment_header(second, header);
    disk_.set_contents(kSecond, std::string{header.data(), header_bytes});
    const OpenedJournal found = inspect_or_fail();
    EXPECT_EQ(found.report.messages, 3U);
    EXPECT_EQ(found.report.torn_bytes, header_bytes);
    EXPECT_EQ(scan_all(*found.store).size(), 3U);
    ASSERT_TRUE(disk_.remove(kSecond));
    ASSERT_TRUE(disk_.remove(kFirst));
  }
}

TEST_F(JournalInspectTest, a_journal_whose_first_segment_was_being_created_is_empty) {
  write(0);
  disk_.set_contents(kFirst, "NXFX");
  const OpenedJournal found = inspect_or_fail();
  EXPECT_EQ(found.report.torn_bytes, 4U);
  EXPECT_EQ(found.store->session_count(), 0U);
  EXPECT_TRUE(scan_all(*found.store).empty());
}

TEST_F(JournalInspectTest, a_folder_without_a_segment_is_no_journal) {
  ASSERT_TRUE(disk_.make_directories(kFolder));
  disk_.set_contents(kFolder + "/thesis.txt", "mine");
  const auto found = inspect();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, StoreErrorCode::Missing);
  EXPECT_THAT(found.error().text, HasSubstr("there is no journal in this folder"));
}

TEST_F(JournalInspectTest, damage_in_the_middle_is_told_here_too) {
  write(3);
  std::string bytes = disk_.contents(kFirst);
  bytes[kSegmentHeaderBytes + 20] ^= 1;
  disk_.set_contents(kFirst, bytes);
  const OpenedJournal found = inspect_or_fail();
  EXPECT_EQ(found.report.damages.size(), 1U);
  EXPECT_EQ(found.report.refused.size(), 1U);
  EXPECT_EQ(disk_.contents(kFirst), bytes);
}

TEST_F(JournalInspectTest, a_journal_in_use_is_shown_and_its_owner_not_disturbed) {
  const OpenedJournal owner = open_or_fail(disk_, options_);
  const SessionKey key = open_session(*owner.store, "A");
  ASSERT_TRUE(append_message(*owner.store, key, 1, "one"));
  ASSERT_TRUE(owner.store->flush());
  const OpenedJournal found = inspect_or_fail();
  EXPECT_TRUE(found.report.in_use);
  ASSERT_TRUE(append_message(*owner.store, key, 2, "two"));
  ASSERT_TRUE(owner.store->flush());
  EXPECT_EQ(scan_all(*found.store).size(), 1U);
}

TEST_F(JournalInspectTest, an_owner_may_start_while_the_journal_is_looked_at) {
  write(1);
  const OpenedJournal found = inspect_or_fail();
  open_or_fail(disk_, options_);
}

TEST_F(JournalInspectTest, what_would_change_it_is_refused) {
  write(1);
  const OpenedJournal found = inspect_or_fail();
  EXPECT_EQ(found.store->open_session("B", at_second(9)), SessionKey{1});
  const auto opened = found.store->open_session("new", at_second(9));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, StoreErrorCode::Refused);
  const auto appended = append_message(*found.store, 1, 2, "two");
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().code, StoreErrorCode::Refused);
  EXPECT_EQ(found.store->session(1).next_outbound, 2U);
}

TEST(JournalInspectOnPosixDisk, a_folder_that_is_not_there_is_not_made) {
  const testing::TemporaryFolder folder;
  PosixDisk disk;
  const auto found = inspect_journal(disk, folder.file("none"));
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().text, HasSubstr("No such file or directory"));
  EXPECT_FALSE(disk.list(folder.file("none")));
}

TEST(JournalInspectOnPosixDisk, a_journal_in_use_is_told_from_one_that_is_not) {
  const testing::TemporaryFolder folder;
  PosixDisk disk;
  const std::string path = folder.file("journal");
  {
    const OpenedJournal owner = open_or_fail(disk, {.folder = path});
    const auto found = inspect_journal(disk, path);
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_TRUE(found->report.in_use);
  }
  const auto found = inspect_journal(disk, path);
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_FALSE(found->report.in_use);
}

}  // namespace
}  // namespace nexusfix::store
