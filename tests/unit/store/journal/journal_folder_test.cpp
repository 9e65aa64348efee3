// The folder of an open journal is deleted, renamed or replaced, or a file in it is: the store
// stops by itself, in every mode, and no second process begins beside it. A folder that is a copy
// is recognised when it is opened.
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "store/api/journal_format.hpp"
#include "store/write/tail_marker.hpp"
#include "support/disks/temporary_folder.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
namespace files = std::filesystem;

constexpr std::uint64_t kSegmentBytes = 64U << 10U;

class FolderTest : public ::testing::Test {
 protected:
  [[nodiscard]] JournalOptions options(Durability mode) {
    return {.folder = journal_,
            .durability = mode,
            .segment_bytes = kSegmentBytes,
            .watch_interval = std::chrono::milliseconds{1},
            .on_durable = settler_.wake()};
  }
  void open(Durability mode) {
    store_ = open_or_fail(disk_, options(mode)).store;
    ASSERT_NE(store_, nullptr);
    key_ = open_session(*store_, "A");
    send(1);
  }
  void send(unsigned messages) {
    for (unsigned i = 0; i < messages; ++i) {
      ASSERT_TRUE(append_message(*store_, key_, store_->session(key_).next_outbound,
                                 std::string(1000, 'm')));
      ASSERT_TRUE(settler_.settle(*store_));
    }
  }
  // Nothing is appended meanwhile: the store has to find it by itself, and to wake its user. It may
  // have said before that the next segment cannot be prepared.
  StoreEvent wait_for_stop() {
    for (;;) {
      const std::uint64_t before = settler_.wakes();
      while (auto event = store_->next_event()) {
        if (event->id == EventId::StoreFailed) return *event;
      }
      settler_.wait(before);
    }
  }
  void expect_stopped(const std::string& what) {
    const StoreEvent event = wait_for_stop();
    EXPECT_THAT(event.text, AllOf(HasSubstr(journal_), HasSubstr(what)));
    const auto appended =
        append_message(*store_, key_, store_->session(key_).next_outbound, "too late");
    ASSERT_FALSE(appended);
    EXPECT_THAT(appended.error().text, HasSubstr(what));
    EXPECT_FALSE(store_->flush());
    EXPECT_FALSE(store_->close());
  }
  // While it is open a thread may create the next segment in it.
  void delete_journal() const {
    std::error_code error;
    do files::remove_all(journal_, error);
    while (error == std::errc::directory_not_empty);
    ASSERT_FALSE(error) << error.message();
  }
  [[nodiscard]] std::string segment(std::uint64_t number) const {
    return journal_ + '/' + segment_file_name(number);
  }

  testing::TemporaryFolder folder_;
  std::string journal_ = folder_.file("journal");
  PosixDisk disk_;
  Settler settler_;
  std::unique_ptr<Store> store_;
  SessionKey key_ = 0;
};

class JournalFolder : public FolderTest, public ::testing::WithParamInterface<Durability> {};

TEST_P(JournalFolder, that_is_deleted_stops_the_store) {
  open(GetParam());
  delete_journal();
  expect_stopped(journal_);
}

TEST_P(JournalFolder, that_is_renamed_stops_the_store) {
  open(GetParam());
  files::rename(journal_, journal_ + ".old");
  expect_stopped("renamed");
}

TEST_P(JournalFolder, that_is_replaced_by_its_own_copy_stops_the_store) {
  open(GetParam());
  const std::string copy = journal_ + ".copy";
  files::copy(journal_, copy);
  // One step: between two renames the store may find that the folder is absent.
  ASSERT_EQ(::renameat2(AT_FDCWD, copy.c_str(), AT_FDCWD, journal_.c_str(), RENAME_EXCHANGE), 0);
  expect_stopped("is another one than is open");
}

TEST_P(JournalFolder, whose_segment_is_unlinked_stops_the_store) {
  for (const std::uint64_t number : {1U, 2U, 3U}) {
    SCOPED_TRACE(number);
    open(GetParam());
    send(150);  // the third one is in use
    ASSERT_EQ(::unlink(segment(number).c_str()), 0);
    expect_stopped(segment_file_name(number));
    store_.reset();
    delete_journal();
  }
}

TEST_P(JournalFolder, whose_segment_is_cut_stops_the_store) {
  for (const std::uint64_t number : {1U, 3U}) {
    SCOPED_TRACE(number);
    open(GetParam());
    send(150);
    ASSERT_EQ(::truncate(segment(number).c_str(), 1000), 0);
    expect_stopped("was cut to 1000 bytes");
    store_.reset();
    delete_journal();
  }
}

TEST_P(JournalFolder, whose_lock_or_owner_is_replaced_stops_the_store) {
  for (const std::string name : {"lock", "owner"}) {
    SCOPED_TRACE(name);
    open(GetParam());
    const std::string path = journal_ + '/' + name;
    files::copy(path, path + ".copy");
    files::rename(path + ".copy", path);
    expect_stopped(path);
    store_.reset();
    delete_journal();
  }
}

TEST_P(JournalFolder, that_is_not_changed_stops_nothing) {
  open(GetParam());
  send(200);
  // What else is in the folder, and who else reads it, is none of the store's business.
  files::copy(segment(1), journal_ + "/backup");
  files::create_hard_link(segment(2), journal_ + "/link");
  ASSERT_EQ(::chmod(segment(1).c_str(), 0640), 0);
  send(100);
  EXPECT_FALSE(store_->next_event());
  EXPECT_TRUE(store_->close());
}

TEST_P(JournalFolder, keeps_the_next_one_of_its_name_out_while_it_is_open) {
  open(GetParam());
  const std::string elsewhere = journal_ + ".old";
  files::rename(journal_, elsewhere);
  JournalOptions next = options(GetParam());
  for (const std::string& folder : {journal_, elsewhere, journal_ + '/'}) {
    next.folder = folder;
    const auto second = open_journal(disk_, next, at_second(60));
    ASSERT_FALSE(second) << folder;
    EXPECT_EQ(second.error().code, StoreErrorCode::Locked);
    EXPECT_THAT(second.error().text, HasSubstr("another process has"));
  }
  store_.reset();
  next.folder = journal_;
  EXPECT_TRUE(open_journal(disk_, next, at_second(60)));
}

INSTANTIATE_TEST_SUITE_P(Modes, JournalFolder,
                         ::testing::Values(Durability::None, Durability::Process, Durability::Group,
                                           Durability::Sync),
                         [](const auto& one) { return std::string{to_string(one.param)}; });

TEST_F(FolderTest, neighbours_of_an_open_journal_are_opened) {
  open(Durability::Process);
  Settler settler;
  for (const char* name : {"journal2", "journa", "j"}) {
    JournalOptions other = options(Durability::Process);
    other.folder = folder_.file(name);
    other.on_durable = settler.wake();
    EXPECT_NE(open_or_fail(disk_, other).store, nullptr);
  }
}

// Where no thread is woken, the appending thread writes, syncs and looks.
TEST_F(FolderTest, a_store_without_threads_looks_with_what_is_appended) {
  for (const Durability mode : {Durability::Process, Durability::Sync}) {
    SCOPED_TRACE(to_string(mode));
    JournalOptions alone = options(mode);
    alone.background = false;
    alone.on_durable = {};
    alone.segment_bytes = 4096;
    store_ = open_or_fail(disk_, alone).store;
    key_ = open_session(*store_, "A");
    files::rename(journal_, journal_ + ".old");
    bool is_stopped = false;
    for (int i = 0; i < 20 && !is_stopped; ++i) {
      const std::uint64_t next = store_->session(key_).next_outbound;
      is_stopped = !append(
                       *store_, [&](Transaction& t) { t.outbound_message(key_, next, "m"); },
                       at_second(100 + i)) ||
                   !store_->flush();
      if (mode == Durability::Process && i == 10) {
        ASSERT_TRUE(append(*store_, [&](Transaction& t) { t.reset(key_); })) << "waits for a sync";
      }
    }
    EXPECT_TRUE(is_stopped);
    store_.reset();
    files::remove_all(journal_ + ".old");
  }
}

// A thread records the end of the log while no call of the store is made.
TEST_F(FolderTest, what_was_written_is_recorded_while_the_engine_runs) {
  for (const Durability mode : {Durability::Process, Durability::Group, Durability::Sync}) {
    SCOPED_TRACE(to_string(mode));
    open(mode);
    send(10);
    const LogPosition end = store_->appended();
    FoundTailMarker found;
    do found = read_tail_marker(disk_, journal_);
    while (!found.marker || found.marker->written < end);
    EXPECT_FALSE(found.marker->is_closed());
    store_.reset();  // killed
    const std::uint64_t in_segment = end - (found.marker->written - end) - 1;
    ASSERT_EQ(::truncate(segment(1).c_str(), static_cast<off_t>(in_segment)), 0);
    const auto opened = open_journal(disk_, options(mode), at_second(60));
    // What the disk is known to have had is refused; the rest is a loss of power.
    if (opened) {
      EXPECT_EQ(opened->report.loss, LossCause::LogCut);
      EXPECT_GT(opened->store->session(0).next_outbound, 10'000U);
    } else {
      EXPECT_THAT(opened.error().text, HasSubstr("The end of the log is missing"));
    }
    delete_journal();
  }
  EXPECT_LE(JournalOptions{}.watch_interval, std::chrono::milliseconds{500});
}

class JournalCopy : public FolderTest, public ::testing::WithParamInterface<Durability> {
 protected:
  void run(bool closes) {
    open(GetParam());
    send(9);
    if (closes) {
      ASSERT_TRUE(store_->close());
    }
    store_.reset();
  }
  void expect_copy(const std::string& folder) {
    JournalOptions of_copy = options(GetParam());
    of_copy.folder = folder;
    const auto looked = inspect_journal(disk_, folder);
    ASSERT_TRUE(looked) << looked.error().text;
    EXPECT_EQ(looked->report.loss, LossCause::FolderCopied);
    {
      const OpenedJournal opened = open_or_fail(disk_, of_copy);
      EXPECT_EQ(opened.report.loss, LossCause::FolderCopied);
      ASSERT_EQ(opened.report.skipped.size(), 1U);
      EXPECT_EQ(opened.report.skipped[0].first, 11U);
      EXPECT_EQ(opened.store->session(0).next_outbound, 11U + of_copy.numbers_ahead_max);
      EXPECT_EQ(read_all(*opened.store, 0).size(), 10U);
    }
    // It is the journal from now on.
    EXPECT_EQ(open_or_fail(disk_, of_copy).report.loss, LossCause::None);
  }
};

TEST_P(JournalCopy, that_comes_back_is_recognised) {
  for (const bool closes : {true, false}) {
    SCOPED_TRACE(closes ? "closed in order" : "killed");
    run(closes);
    files::copy(journal_, journal_ + ".copy", files::copy_options::recursive);
    expect_copy(journal_ + ".copy");
    // And in the place of what it is a copy of, whose inodes may be used again.
    files::remove_all(journal_ + ".copy");
    files::copy(journal_, journal_ + ".copy", files::copy_options::recursive);
    delete_journal();
    files::copy(journal_ + ".copy", journal_, files::copy_options::recursive);
    expect_copy(journal_);
    delete_journal();
    files::remove_all(journal_ + ".copy");
  }
}

TEST_P(JournalCopy, is_no_folder_that_was_moved_there_and_back) {
  for (const bool closes : {true, false}) {
    SCOPED_TRACE(closes ? "closed in order" : "killed");
    run(closes);
    files::rename(journal_, journal_ + ".elsewhere");
    JournalOptions moved = options(GetParam());
    moved.folder = journal_ + ".elsewhere";
    EXPECT_EQ(open_or_fail(disk_, moved).report.loss, LossCause::None);
    files::rename(journal_ + ".elsewhere", journal_);
    const OpenedJournal opened = open_or_fail(disk_, options(GetParam()));
    EXPECT_EQ(opened.report.loss, LossCause::None);
    EXPECT_EQ(opened.store->session(0).next_outbound, 11U);
    delete_journal();
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, JournalCopy,
                         ::testing::Values(Durability::Process, Durability::Group,
                                           Durability::Sync),
                         [](const auto& one) { return std::string{to_string(one.param)}; });

}  // namespace
}  // namespace nexusfix::store
