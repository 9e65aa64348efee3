// Retired segments become archives that are read like segments. A damaged archive is reported, and
// no segment is removed before its archive was read back.
#include "nexusfix/journal/archive/journal_archive.hpp"

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
#include "store/api/journal_cursor.hpp"
#include "support/disks/fake_disk.hpp"

namespace nexusfix::command {
namespace {

using testing::FakeDisk;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kFolder = "/journal";
const std::string kFirst = kFolder + "/retired/0000000001.journal";
const std::string kSecond = kFolder + "/retired/0000000002.journal";
constexpr unsigned kMessages = 100;

class JournalArchive : public ::testing::Test {
 protected:
  JournalArchive() {
    const store::JournalOptions options{
        .folder = kFolder,
        .durability = store::Durability::Sync,
        .segment_bytes = 1'500,
        .retention = {
            .keep_bytes = 3'000, .even_current = true, .retired = store::RetiredSegments::Keep}};
    const auto journal = store::open_journal(disk_, options, WallTime{});
    EXPECT_TRUE(journal);
    const auto key = journal->store->open_session("A", WallTime{});
    store::Transaction transaction;
    for (unsigned number = 1; number <= kMessages; ++number) {
      transaction.clear();
      transaction.outbound_message(*key, number,
                                   "message " + std::to_string(number) + std::string(80, '.'));
      EXPECT_TRUE(journal->store->append(transaction, WallTime{}));
      EXPECT_TRUE(journal->store->flush());
    }
    EXPECT_TRUE(journal->store->close());
  }
  // The number of messages that a reader of the whole log finds.
  std::uint64_t messages_of_all() {
    WholeJournalDisk whole{disk_, kFolder};
    const auto checked = store::verify_journal(whole, kFolder);
    EXPECT_TRUE(checked) << checked.error().text;
    if (!checked) return 0;
    EXPECT_THAT(checked->damages, IsEmpty());
    EXPECT_THAT(checked->checkpoint_faults, IsEmpty());
    return checked->messages;
  }

  // The error of reading the first segment from an archive with these bytes; empty: none.
  std::string fault_of(const std::string& archive) {
    disk_.set_contents(kFirst + ".zst", archive);
    WholeJournalDisk whole{disk_, kFolder};
    const auto file = whole.open(kFolder + "/0000000001.journal", OpenMode::Read);
    return file ? std::string{} : file.error().what();
  }

  FakeDisk disk_;
};

TEST_F(JournalArchive, retired_segments_are_packed_and_the_whole_log_is_read_from_the_archives) {
  ASSERT_TRUE(disk_.exists(kFirst));
  EXPECT_LT(store::verify_journal(disk_, kFolder)->messages, kMessages);
  EXPECT_EQ(messages_of_all(), kMessages);
  const auto done = archive_retired(disk_, kFolder);
  ASSERT_TRUE(done) << done.error();
  ASSERT_GT(done->size(), 3U);
  EXPECT_LT(done->front().archive_bytes, done->front().bytes);
  EXPECT_FALSE(disk_.exists(kFirst));
  EXPECT_TRUE(disk_.exists(kFirst + ".zst"));
  EXPECT_EQ(messages_of_all(), kMessages);
  WholeJournalDisk whole{disk_, kFolder};
  const auto journal = store::inspect_journal(whole, kFolder);
  ASSERT_TRUE(journal) << journal.error().text;
  std::uint64_t read = 0;
  ASSERT_TRUE(journal->store->read(0, 1, kMessages, [&](std::uint64_t, std::string_view) {
    ++read;
    return true;
  }));
  EXPECT_EQ(read, kMessages);
  EXPECT_THAT(*archive_retired(disk_, kFolder), IsEmpty());
}

TEST_F(JournalArchive, old_archives_are_removed_without_a_gap_in_what_stays) {
  const auto done = archive_retired(disk_, kFolder);
  ASSERT_TRUE(done) << done.error();
  ASSERT_GT(done->size(), 3U);
  const WallTime now{std::chrono::days{20'000}};
  for (const ArchivedSegment& one : *done) disk_.set_written_at(one.file, now);
  disk_.set_written_at((*done)[0].file, now - std::chrono::days{31});
  disk_.set_written_at((*done)[2].file, now - std::chrono::days{31});
  const auto removed = remove_old_archives(disk_, kFolder, now - std::chrono::days{30});
  ASSERT_TRUE(removed) << removed.error();
  EXPECT_EQ(removed->paths, std::vector{(*done)[0].file});
  EXPECT_EQ(removed->held, "");
  EXPECT_FALSE(disk_.exists((*done)[0].file));
  EXPECT_TRUE(disk_.exists((*done)[2].file));
  EXPECT_GT(messages_of_all(), 0U);
}

TEST_F(JournalArchive, an_old_archive_stays_until_each_cursor_has_passed_it) {
  const auto done = archive_retired(disk_, kFolder);
  ASSERT_TRUE(done) << done.error();
  ASSERT_GT(done->size(), 3U);
  const WallTime now{std::chrono::days{20'000}};
  for (const ArchivedSegment& one : *done) disk_.set_written_at(one.file, now);
  auto cursor = store::CursorFile::open(disk_, kFolder, "kafka");
  ASSERT_TRUE(cursor) << cursor.error();
  ASSERT_TRUE(cursor->save({.segment = 2}));
  const auto removed = remove_old_archives(disk_, kFolder, now + std::chrono::days{1});
  ASSERT_TRUE(removed) << removed.error();
  EXPECT_EQ(removed->paths, std::vector{(*done)[0].file});
  EXPECT_THAT(removed->held, HasSubstr("0000000002.journal.zst stays: the cursor kafka"));
  EXPECT_TRUE(disk_.exists((*done)[1].file));
}

TEST_F(JournalArchive, a_flipped_bit_anywhere_in_an_archive_is_reported) {
  ASSERT_TRUE(archive_retired(disk_, kFolder));
  const std::string archive = disk_.contents(kFirst + ".zst");
  for (std::size_t at = 0; at < archive.size(); ++at) {
    std::string damaged = archive;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    disk_.set_contents(kFirst + ".zst", damaged);
    WholeJournalDisk whole{disk_, kFolder};
    const auto checked = store::verify_journal(whole, kFolder);
    // One bit of the frame's header is unused, so that the bytes may still be correct.
    if (checked) {
      ASSERT_EQ(checked->messages, kMessages) << at;
      ASSERT_THAT(checked->damages, IsEmpty()) << at;
    } else {
      ASSERT_THAT(checked.error().text, HasSubstr("0000000001.journal.zst")) << at;
    }
  }
}

TEST_F(JournalArchive, an_archive_cut_anywhere_is_reported) {
  ASSERT_TRUE(archive_retired(disk_, kFolder));
  const std::string archive = disk_.contents(kFirst + ".zst");
  for (std::size_t size = 0; size < archive.size(); ++size) {
    EXPECT_THAT(fault_of(archive.substr(0, size)), HasSubstr("unpack (")) << size;
  }
  EXPECT_THAT(fault_of(archive + "more"), HasSubstr("unpack (something follows it)"));
}

TEST_F(JournalArchive, an_archive_of_something_else_or_for_too_much_memory_is_refused) {
  ASSERT_TRUE(archive_retired(disk_, kFolder));
  const auto zeros = pack(std::vector<char>(16U << 20U, '\0'));
  ASSERT_TRUE(zeros);
  EXPECT_THAT(fault_of({zeros->begin(), zeros->end()}), HasSubstr("holds no segment"));
  // The header of a frame whose window is its whole content, with the content's size.
  const auto frame = [](std::uint64_t size) {
    std::string bytes{'\x28', '\xB5', '\x2F', '\xFD', '\xE0'};
    for (unsigned byte = 0; byte < 8; ++byte) {
      bytes += static_cast<char>((size >> (8 * byte)) & 0xFF);
    }
    return bytes + std::string{'\x01', '\x00', '\x00'};  // an empty last block
  };
  EXPECT_THAT(fault_of(frame(std::uint64_t{4} << 30U)), HasSubstr("larger than a segment"));
  EXPECT_THAT(fault_of(frame(std::uint64_t{2} << 30U)), HasSubstr("too much memory"));
  EXPECT_THAT(fault_of(frame(1000)), HasSubstr("unpack ("));
}

TEST_F(JournalArchive, a_large_archive_is_read_at_any_place) {
  std::string segment = disk_.contents(kFirst);
  SeededRandom random{7};
  while (segment.size() < (6U << 20U)) segment += static_cast<char>(random.next());
  disk_.set_contents(kFirst, segment);
  ASSERT_TRUE(archive_retired(disk_, kFolder));
  WholeJournalDisk whole{disk_, kFolder};
  const auto file = whole.open(kFolder + "/0000000001.journal", OpenMode::Read);
  ASSERT_TRUE(file) << file.error().what();
  EXPECT_EQ((*file)->size(), segment.size());
  std::string part(300'000, '\0');
  for (int i = 0; i < 60; ++i) {
    const std::size_t at = static_cast<std::size_t>(random.next()) % segment.size();
    const auto got = (*file)->read_at(at, part);
    ASSERT_TRUE(got) << got.error().what();
    ASSERT_EQ(part.substr(0, *got), segment.substr(at, part.size())) << at;
  }
}

TEST_F(JournalArchive, an_error_anywhere_loses_nothing_and_archiving_can_be_repeated) {
  for (unsigned nth = 1; nth < 40; ++nth) {
    const unsigned faults = disk_.faults_hit();
    disk_.fail_any(nth, EIO);
    const auto done = archive_retired(disk_, kFolder);
    if (disk_.faults_hit() == faults) break;  // there are fewer calls than nth
    ASSERT_FALSE(done) << nth;
    EXPECT_THAT(done.error(), HasSubstr("Input/output error")) << nth;
    EXPECT_EQ(messages_of_all(), kMessages) << nth;
  }
}

TEST_F(JournalArchive, says_where_segments_would_be_if_none_were_retired) {
  FakeDisk empty;
  const auto done = archive_retired(empty, "/other");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error(), HasSubstr("JournalRetired=keep"));
}

TEST_F(JournalArchive, an_existing_archive_is_never_overwritten) {
  const std::string other_segment = disk_.contents(kSecond);
  ASSERT_TRUE(archive_retired(disk_, kFolder));
  const std::string archive = kFirst + ".zst";
  const std::string before = disk_.contents(archive);
  disk_.set_contents(kFirst, "");
  const auto empty = archive_retired(disk_, kFolder);
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error(), HasSubstr("is not a segment of a journal"));
  disk_.set_contents(kFirst, other_segment);
  const auto other = archive_retired(disk_, kFolder);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error(), HasSubstr("exists and has other contents"));
  EXPECT_EQ(disk_.contents(archive), before);
  EXPECT_EQ(disk_.contents(kFirst), other_segment);
}

TEST_F(JournalArchive, a_run_that_was_interrupted_after_the_archive_is_completed) {
  const std::string segment = disk_.contents(kFirst);
  ASSERT_TRUE(archive_retired(disk_, kFolder));
  disk_.set_contents(kFirst, segment);
  ASSERT_TRUE(archive_retired(disk_, kFolder));
  EXPECT_EQ(messages_of_all(), kMessages);
  EXPECT_FALSE(disk_.exists(kFirst));
}

}  // namespace
}  // namespace nexusfix::command
