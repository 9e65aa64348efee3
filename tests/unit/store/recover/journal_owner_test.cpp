// One owner: a second process is refused and learns the owner; one that opens the journal all the
// same ends the first one's writing.
#include <array>
#include <csignal>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "store/api/entry.hpp"
#include "store/api/journal_format.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/disks/gated_disk.hpp"
#include "support/disks/temporary_folder.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using ::testing::HasSubstr;

TEST(JournalOwner, the_epoch_grows_with_each_opening) {
  testing::FakeDisk disk;
  for (const char* epoch : {"epoch 00000000000000000001 ", "epoch 00000000000000000002 "}) {
    open_or_fail(disk, {.folder = "/journal"});
    EXPECT_THAT(disk.contents("/journal/owner"), ::testing::StartsWith(epoch));
  }
}

TEST(JournalOwner, the_log_tells_who_wrote_it_last) {
  testing::FakeDisk disk;
  const auto written_by = [&] {
    const auto looked = inspect_journal(disk, "/journal");
    return looked ? looked->report.owner_epoch : 0;
  };
  // The first begins the segment, the next ones go on in it.
  for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
    const OpenedJournal opened = open_or_fail(disk, {.folder = "/journal"});
    EXPECT_EQ(opened.report.owner_epoch, epoch - 1);
    const SessionKey key = open_session(*opened.store, "A");
    ASSERT_TRUE(append_message(*opened.store, key, epoch, "one"));
    ASSERT_TRUE(append_message(*opened.store, key, epoch + 10, "one")) << "reported once";
    ASSERT_TRUE(append(*opened.store, [&](Transaction& t) { t.reset(key); }));
    ASSERT_TRUE(opened.store->flush());
    EXPECT_EQ(written_by(), epoch);
  }
  EXPECT_FALSE(disk.open("/journal/0000000002.journal", OpenMode::Read)) << "in one segment";
}

TEST(JournalOwner, the_epoch_grows_on_where_its_file_was_lost) {
  testing::FakeDisk disk;
  for (int opening = 0; opening < 3; ++opening) {
    const OpenedJournal opened = open_or_fail(disk, {.folder = "/journal"});
    open_session(*opened.store, "A" + std::to_string(opening));
    ASSERT_TRUE(opened.store->flush());
  }
  disk.set_contents("/journal/owner", "garbage");
  const OpenedJournal after_garbage = open_or_fail(disk, {.folder = "/journal"});
  EXPECT_THAT(disk.contents("/journal/owner"), ::testing::StartsWith("epoch 00000000000000000004"));
  ASSERT_TRUE(append(*after_garbage.store, [](Transaction& t) { t.reset(0); }))
      << "it is the owner by its new epoch";
  ASSERT_TRUE(after_garbage.store->close());
}

// Above it no owner's epoch could be higher.
TEST(JournalOwner, a_header_with_an_epoch_that_no_owner_can_have_does_not_check) {
  SegmentHeader header;
  std::array<char, kSegmentHeaderBytes> bytes{};
  header.owner_epoch = kNumberMax;
  encode_segment_header(header, bytes);
  EXPECT_TRUE(decode_segment_header(bytes));
  ++header.owner_epoch;
  encode_segment_header(header, bytes);
  EXPECT_EQ(decode_segment_header(bytes).error(), SegmentHeaderFault::Checksum);
}

TEST(JournalOwner, an_epoch_that_is_recorded_in_a_checkpointed_log_is_found) {
  testing::FakeDisk disk;
  for (int opening = 0; opening < 3; ++opening) {
    const OpenedJournal opened = open_or_fail(disk, {.folder = "/journal", .segment_bytes = 4'096});
    const SessionKey key = open_session(*opened.store, "A");
    for (std::uint64_t number = 1; number <= 100; ++number) {
      ASSERT_TRUE(append_message(*opened.store, key, number, std::string(100, 'x')));
    }
    ASSERT_TRUE(append(*opened.store, [&](Transaction& t) { t.reset(key); }));
    ASSERT_TRUE(opened.store->close());
  }
  ASSERT_TRUE(disk.remove("/journal/owner"));
  open_or_fail(disk, {.folder = "/journal", .segment_bytes = 4'096});
  EXPECT_THAT(disk.contents("/journal/owner"), ::testing::StartsWith("epoch 00000000000000000004"));
}

TEST(JournalOwner, an_owner_that_was_replaced_can_make_nothing_durable) {
  testing::FakeDisk disk;
  OpenedJournal first = open_or_fail(disk, {.folder = "/journal"});
  const SessionKey key = open_session(*first.store, "A");
  ASSERT_TRUE(append_message(*first.store, key, 1, "one"));
  ASSERT_TRUE(first.store->flush());
  ASSERT_TRUE(disk.remove("/journal/lock"));
  const auto second = open_journal(disk, {.folder = "/journal"}, at_second(60));
  ASSERT_TRUE(second) << second.error().text;
  ASSERT_TRUE(append_message(*first.store, key, 2, "two"));
  const auto flushed = first.store->flush();
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().code, StoreErrorCode::Locked);
  EXPECT_THAT(flushed.error().text, HasSubstr("has taken it over"));
  EXPECT_FALSE(append_message(*first.store, key, 3, "three"));
  EXPECT_EQ(read_all(*second->store, key).size(), 1U);
}

TEST(JournalOwner, files_that_are_removed_admit_no_engine) {
  const testing::TemporaryFolder temporary;
  const std::string folder = temporary.file("journal");
  PosixDisk disk;
  {
    const OpenedJournal first = open_or_fail(disk, {.folder = folder});
    ASSERT_TRUE(disk.remove(folder + "/lock"));
    ASSERT_TRUE(disk.remove(folder + "/owner"));
    const auto second = open_journal(disk, {.folder = folder}, at_second(60));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, StoreErrorCode::Locked);
    EXPECT_THAT(second.error().text, HasSubstr(folder + " is locked"));
    const auto looked = inspect_journal(disk, folder);
    ASSERT_TRUE(looked) << looked.error().text;
    EXPECT_TRUE(looked->report.in_use);
  }
  EXPECT_NE(open_or_fail(disk, {.folder = folder}).store, nullptr);
}

// The first process: opens, says so, waits for a word, appends, and ends with what became of it.
[[noreturn]] void be_the_first(const std::string& folder, int say, int hear) {
  testing::GatedDisk disk;
  auto opened = open_journal(disk, {.folder = folder}, at_second(50));
  if (!opened) std::_Exit(10);
  const auto key = opened->store->open_session("A", at_second(50));
  char word = 'o';
  if (!key || ::write(say, &word, 1) != 1) std::_Exit(11);
  if (::read(hear, &word, 1) != 1) std::_Exit(12);
  Transaction transaction;
  transaction.outbound_message(*key, 1, "stale");
  if (!opened->store->append(transaction, at_second(51))) std::_Exit(1);
  std::_Exit(opened->store->flush() ? 0 : 1);
}

TEST(JournalOwner, a_stopped_process_keeps_the_next_one_out_and_cannot_write_once_it_is_replaced) {
  const testing::TemporaryFolder temporary;
  const std::string folder = temporary.file("journal");
  std::array<int, 2> from_child{};
  std::array<int, 2> to_child{};
  ASSERT_EQ(::pipe(from_child.data()), 0);
  ASSERT_EQ(::pipe(to_child.data()), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) be_the_first(folder, from_child[1], to_child[0]);
  char word = 0;
  ASSERT_EQ(::read(from_child[0], &word, 1), 1);
  ASSERT_EQ(::kill(child, SIGSTOP), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status));

  testing::GatedDisk disk;
  const auto kept_out = open_journal(disk, {.folder = folder}, at_second(60));
  ASSERT_FALSE(kept_out);
  EXPECT_EQ(kept_out.error().code, StoreErrorCode::Locked);
  EXPECT_THAT(kept_out.error().text, HasSubstr("pid " + std::to_string(child) + " on "));

  // As on a file system that locks no folders.
  ASSERT_TRUE(disk.remove(folder + "/lock"));
  const auto second = open_journal(disk, {.folder = folder}, at_second(60));
  ASSERT_TRUE(second) << second.error().text;
  ASSERT_TRUE(append_message(*second->store, 0, 1, "ours"));
  ASSERT_TRUE(second->store->flush());

  ASSERT_EQ(::kill(child, SIGCONT), 0);
  ASSERT_EQ(::write(to_child[1], &word, 1), 1);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1) << "the first process went on";
  const auto found = inspect_journal(disk, folder);
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(read_all(*found->store, 0), (std::vector<KeptMessage>{{1, "ours"}}));
  for (const int pipe : {from_child[0], from_child[1], to_child[0], to_child[1]}) ::close(pipe);
}

}  // namespace
}  // namespace nexusfix::store
