// Looking at a journal: everything is shown, and nothing in the folder changes.
#include <array>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "journal/api/journal_tools.hpp"
#include "store/api/journal.hpp"
#include "store/api/journal_format.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/sanitized.hpp"
#include "unit/store/store_fixture.hpp"

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

TEST_F(JournalInspectTest, a_torn_end_is_reported_and_left_where_it_is) {
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
    ASSERT_TRUE(disk_.remove("/journal/owner"));
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

TEST_F(JournalInspectTest, damage_in_the_middle_is_reported_here_too) {
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

TEST_F(JournalInspectTest, an_owner_may_start_while_the_journal_is_read) {
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

// Its owner writes after each piece of a segment that is read: what was read first is older than
// what is read next.
class BusyDisk final : public Disk {
 public:
  BusyDisk(FakeDisk& disk, std::function<void()> write) : disk_{disk}, write_{std::move(write)} {}

  DiskResult<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    auto file = disk_.open(path, mode);
    if (!file) return file;
    return std::make_unique<BusyFile>(std::move(*file), write_);
  }
  DiskResult<void> make_directories(const std::string& path) override {
    return disk_.make_directories(path);
  }
  DiskResult<std::vector<std::string>> list(const std::string& path) override {
    return disk_.list(path);
  }
  DiskResult<void> remove(const std::string& path) override { return disk_.remove(path); }
  DiskResult<void> sync_directory(const std::string& path) override {
    return disk_.sync_directory(path);
  }
  std::string boot_id() override { return disk_.boot_id(); }

 private:
  class BusyFile final : public File {
   public:
    BusyFile(std::unique_ptr<File> file, std::function<void()>& write)
        : file_{std::move(file)}, write_{write} {}
    DiskResult<void> write_at(std::uint64_t offset, std::span<const char> bytes) override {
      return file_->write_at(offset, bytes);
    }
    DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
      auto got = file_->read_at(offset, bytes);
      write_();
      return got;
    }
    DiskResult<void> sync() override { return file_->sync(); }
    DiskResult<std::uint64_t> size() override { return file_->size(); }
    DiskResult<void> truncate(std::uint64_t bytes) override { return file_->truncate(bytes); }
    DiskResult<bool> try_lock() override { return file_->try_lock(); }

   private:
    std::unique_ptr<File> file_;
    std::function<void()>& write_;
  };

  FakeDisk& disk_;
  std::function<void()> write_;
};

TEST_F(JournalInspectTest, beside_a_busy_owner_no_damage_is_reported_that_is_none) {
  disk_.set_mapping(true);
  constexpr std::size_t kMessageBytes = 1'000;
  for (const std::uint64_t segment_bytes : {8U << 20U, 600U << 10U}) {
    for (std::uint64_t seed = 1; seed <= 12; seed += case_step(3)) {
      SeededRandom random{seed};
      options_.folder = "/journal" + std::to_string(segment_bytes + seed);
      options_.segment_bytes = segment_bytes;
      const OpenedJournal owner = open_or_fail(disk_, options_);
      const SessionKey key = open_session(*owner.store, "A");
      unsigned written = 0;
      const auto write = [&] {
        // More than is read at a time, now and then.
        const std::uint64_t count = random.below(3) == 0 ? random.below(700) : random.below(2);
        for (std::uint64_t i = 0; i < count && written < 6'000; ++i, ++written) {
          ASSERT_TRUE(
              append_message(*owner.store, key, written + 1, std::string(kMessageBytes, 'm')));
        }
      };
      write();
      BusyDisk busy{disk_, write};
      for (int look = 0; look < 3; ++look) {
        const auto found = inspect_journal(busy, options_.folder);
        ASSERT_TRUE(found) << found.error().text;
        EXPECT_EQ(found->report.damages, std::vector<std::string>{}) << seed;
        EXPECT_EQ(found->report.checkpoint_faults, std::vector<std::string>{}) << seed;
        const auto checked = verify_journal(busy, options_.folder);
        ASSERT_TRUE(checked) << checked.error().text;
        EXPECT_TRUE(checked->damages.empty()) << seed;
        EXPECT_TRUE(checked->checkpoint_faults.empty()) << seed;
        EXPECT_TRUE(checked->unused.empty()) << seed;
      }
    }
  }
}

TEST_F(JournalInspectTest, real_damage_is_reported_beside_a_busy_owner_too) {
  disk_.set_mapping(true);
  const OpenedJournal owner = open_or_fail(disk_, options_);
  const SessionKey key = open_session(*owner.store, "A");
  std::uint64_t next = 1;
  const auto write = [&] {
    for (int i = 0; i < 3; ++i, ++next) {
      ASSERT_TRUE(append_message(*owner.store, key, next, "message"));
    }
  };
  write();
  const auto file = disk_.open(kFirst, OpenMode::ReadWrite).value();
  const std::string bytes = disk_.contents(kFirst);
  const std::size_t at = bytes.find("message");
  const char damaged[] = {'M'};
  ASSERT_TRUE(file->write_at(at, damaged));
  BusyDisk busy{disk_, write};
  const auto found = inspect_journal(busy, kFolder);
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->report.damages.size(), 1U);
  const auto checked = verify_journal(busy, kFolder);
  ASSERT_TRUE(checked) << checked.error().text;
  EXPECT_EQ(checked->damages.size(), 1U);
}

TEST(JournalInspectOnPosixDisk, a_folder_that_is_not_there_is_not_made) {
  const testing::TemporaryFolder folder;
  PosixDisk disk;
  const auto found = inspect_journal(disk, folder.file("none"));
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().text, HasSubstr("No such file or directory"));
  EXPECT_FALSE(disk.list(folder.file("none")));
}

TEST(JournalInspectOnPosixDisk, a_journal_in_use_is_distinguished_from_one_that_is_not) {
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
