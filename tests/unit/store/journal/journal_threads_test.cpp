// A journal with threads of its own, on the real disk: a disk that does not answer, fails or is
// full, and a file that is cut under its mapping.
#include <cerrno>
#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <sched.h>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "store/api/journal_format.hpp"
#include "store/write/committer.hpp"
#include "store/write/tail_marker.hpp"
#include "support/disks/gated_disk.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/sanitized.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using ::testing::AllOf;
using testing::GatedDisk;
using ::testing::HasSubstr;

constexpr std::int64_t kSegmentBytes = 64 << 10;

class JournalThreads : public ::testing::Test {
 protected:
  void TearDown() override {
    disk_.release_folder_syncs();
    disk_.release_syncs();
    disk_.release_removes();
  }

  void open(Durability durability, std::uint32_t numbers_ahead_max = 1000) {
    JournalOptions options;
    options.numbers_ahead_max = numbers_ahead_max;
    options.folder = folder_.file("journal");
    options.durability = durability;
    options.segment_bytes = kSegmentBytes;
    options.sync_interval = std::chrono::hours{1};  // only when it is asked for
    if (is_woken_) options.on_durable = settler_.wake();
    options.retention = retention_;
    store_ = open_or_fail(disk_, options).store;
    ASSERT_NE(store_, nullptr);
    key_ = open_session(*store_, "A");
    ASSERT_TRUE(settler_.settle(*store_));
  }
  StoreResult<LogPosition> append_next(std::string_view bytes = "message") {
    return append_message(*store_, key_, store_->session(key_).next_outbound, bytes);
  }
  [[nodiscard]] std::string segment(std::uint64_t number) const {
    return folder_.file("journal") + '/' + segment_file_name(number);
  }

  testing::TemporaryFolder folder_;
  GatedDisk disk_;
  Settler settler_;
  Retention retention_;
  bool is_woken_ = true;
  std::unique_ptr<Store> store_;
  SessionKey key_ = 0;
};

// With a caller that is woken when the disk has the bytes: catalogue D16.
class JournalRing : public JournalThreads, public ::testing::WithParamInterface<Durability> {};
INSTANTIATE_TEST_SUITE_P(Modes, JournalRing, ::testing::Values(Durability::Group, Durability::Sync),
                         [](const auto& info) { return std::string{to_string(info.param)}; });

TEST_P(JournalRing, a_flush_does_not_wait_for_a_disk_that_does_not_answer) {
  open(GetParam());
  const LogPosition before = store_->durable();
  disk_.hold_syncs();
  ASSERT_TRUE(append_next());
  EXPECT_EQ(store_->flush(), before);
  disk_.wait_for_held_sync();
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(append_next());
  EXPECT_EQ(store_->flush(), before);
  EXPECT_EQ(read_all(*store_, key_).size(), 1001U);
  const std::uint64_t wakes = settler_.wakes();
  disk_.release_syncs();
  EXPECT_EQ(settler_.settle(*store_), store_->appended());
  EXPECT_GT(settler_.wakes(), wakes);
}

TEST_F(JournalThreads, a_segment_that_was_opened_and_is_removed_is_noticed) {
  for (const Durability durability : {Durability::Process, Durability::Group, Durability::Sync}) {
    const std::string folder = folder_.file("journal");
    open(durability);
    while (!disk_.open(segment(3), OpenMode::Read))
      ASSERT_TRUE(append_next(std::string(1000, 'm')));
    // Each append, or the end of each flush, may be the one that finds the segment on the disk;
    // what notes it is another thread. In process mode an engine never flushes.
    const auto marked_segment = [&] {
      const FoundTailMarker found = read_tail_marker(disk_, folder);
      return found.marker ? found.marker->segment : 0;
    };
    while (marked_segment() < 2) {
      ASSERT_TRUE(append_next());
      if (durability == Durability::Process) {
        std::this_thread::yield();
      } else {
        ASSERT_TRUE(settler_.settle(*store_));
      }
    }
    store_.reset();
    for (std::uint64_t number = 2; disk_.open(segment(number), OpenMode::Read); ++number) {
      ASSERT_TRUE(disk_.remove(segment(number)));
    }
    const auto opened =
        open_journal(disk_, {.folder = folder, .durability = durability}, at_second(60));
    ASSERT_FALSE(opened) << to_string(durability);
    EXPECT_THAT(opened.error().text, HasSubstr("The end of the log is missing"));
    ASSERT_TRUE(disk_.remove(segment(1)));
    ASSERT_TRUE(disk_.remove(folder + "/owner"));
  }
}

TEST_F(JournalThreads, a_sync_flush_without_a_wake_callback_returns_when_the_disk_has_it) {
  is_woken_ = false;
  open(Durability::Sync);
  for (int i = 0; i < 20; ++i) {
    const unsigned syncs = disk_.syncs(segment(1));
    ASSERT_TRUE(append_next());
    ASSERT_TRUE(append_next());
    ASSERT_EQ(store_->flush(), store_->appended());
    ASSERT_EQ(disk_.syncs(segment(1)), syncs + 1);
  }
}

TEST_F(JournalThreads, in_sync_mode_what_comes_during_a_sync_shares_the_next_one) {
  open(Durability::Sync);
  while (disk_.syncs(segment(2)) == 0) std::this_thread::yield();  // that of its zeros
  disk_.hold_syncs();
  ASSERT_TRUE(append_next("held"));
  ASSERT_TRUE(store_->flush());
  disk_.wait_for_held_sync();
  const unsigned syncs = disk_.syncs(segment(1));
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(append_next());
    ASSERT_TRUE(store_->flush());
  }
  disk_.release_syncs();
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(disk_.syncs(segment(1)) - syncs, 1U);
}

TEST_F(JournalThreads, in_sync_mode_a_record_waits_for_no_other) {
  open(Durability::Sync);
  for (int i = 0; i < 20; ++i) {
    const unsigned syncs = disk_.syncs(segment(1));
    ASSERT_TRUE(append_next());
    ASSERT_TRUE(settler_.settle(*store_));
    ASSERT_EQ(disk_.syncs(segment(1)) - syncs, 1U);
  }
}

TEST_F(JournalThreads, in_sync_mode_what_waits_while_a_segment_ends_is_read_back) {
  open(Durability::Sync);
  const std::string message(1000, 'm');
  while (store_->appended() <= kSegmentBytes - 6000) {
    ASSERT_TRUE(append_next(message));
    ASSERT_TRUE(settler_.settle(*store_));
  }
  while (disk_.syncs(segment(2)) == 0) std::this_thread::yield();  // that of its zeros
  disk_.hold_syncs();
  ASSERT_TRUE(append_next("held"));
  ASSERT_TRUE(store_->flush());
  disk_.wait_for_held_sync();
  constexpr unsigned kWaiting = 12;
  for (unsigned i = 0; i < kWaiting; ++i) ASSERT_TRUE(append_next(message));
  ASSERT_TRUE(store_->flush());
  disk_.release_syncs();
  ASSERT_TRUE(settler_.settle(*store_));
  const std::uint64_t messages = store_->session(key_).next_outbound - 1;
  store_.reset();  // as if killed
  open(Durability::Sync);
  EXPECT_EQ(read_all(*store_, key_).size(), messages);
}

TEST_F(JournalThreads, one_sync_covers_what_has_gathered) {
  open(Durability::Group);
  disk_.hold_syncs();
  ASSERT_TRUE(append_next());
  ASSERT_TRUE(store_->flush());
  disk_.wait_for_held_sync();
  const unsigned syncs = disk_.syncs();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(append_next());
    ASSERT_TRUE(store_->flush());
  }
  disk_.release_syncs();
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_LE(disk_.syncs() - syncs, 2U);  // one of them may be of a segment that is prepared
}

TEST_P(JournalRing, much_more_than_the_ring_holds_waits_in_memory_and_arrives) {
  open(GetParam());
  disk_.hold_syncs();
  const std::string large(1U << 20U, 'L');
  ASSERT_TRUE(append_next("first"));
  ASSERT_TRUE(store_->flush());
  disk_.wait_for_held_sync();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(append_next(large));
  ASSERT_TRUE(store_->flush());
  EXPECT_EQ(read_all(*store_, key_, 21, 21), (std::vector<KeptMessage>{{21, large}}));
  disk_.release_syncs();
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(read_all(*store_, key_).size(), 21U);
}

// On one CPU, with all threads that it starts.
class OnOneCpu {
 public:
  OnOneCpu() {
    ::sched_getaffinity(0, sizeof before_, &before_);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &before_)) ++cpu;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ::sched_setaffinity(0, sizeof one, &one);
  }
  ~OnOneCpu() { ::sched_setaffinity(0, sizeof before_, &before_); }
  OnOneCpu(const OnOneCpu&) = delete;
  OnOneCpu& operator=(const OnOneCpu&) = delete;

 private:
  cpu_set_t before_{};
};

// Also if the committer's thread has brought all that flush() puts into the ring to the disk before
// flush() asks for a wake. So that it nearly always has, the thread that flushes gets a CPU only
// while the committer's thread sleeps.
TEST_F(JournalThreads, what_a_flush_leaves_out_of_the_ring_is_followed_by_a_wake) {
  constexpr std::size_t kRounds = 2;
  const OnOneCpu one_cpu;
  disk_.skip_syncs();
  open(Durability::Group);
  const std::string large(1U << 20U, 'L');
  for (std::size_t round = 0; round < kRounds; round += case_step(kRounds)) {
    disk_.hold_syncs();
    ASSERT_TRUE(append_next("first"));
    ASSERT_TRUE(store_->flush());
    disk_.wait_for_held_sync();
    LogPosition in_ring = 0;
    for (std::size_t bytes = 0; bytes < 2 * Committer::kRingBytes; bytes += large.size()) {
      ASSERT_TRUE(append_next(large));
      if (bytes + 2 * large.size() <= Committer::kRingBytes) in_ring = store_->appended();
    }
    std::uint64_t wakes = 0;
    std::thread flusher{[&] {
      const sched_param none{};
      ::sched_setscheduler(0, SCHED_IDLE, &none);
      disk_.release_syncs();
      while (store_->durable() < in_ring) std::this_thread::yield();
      wakes = settler_.wakes();
      EXPECT_TRUE(store_->flush());
    }};
    flusher.join();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    while (settler_.wakes() == wakes) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "no thread wakes the caller";
      std::this_thread::yield();
    }
    ASSERT_TRUE(settler_.settle(*store_));
  }
}

TEST_P(JournalRing, records_larger_than_the_ring_arrive) {
  open(GetParam());
  const std::string large(Committer::kRingBytes + 1000, 'L');
  ASSERT_TRUE(append_next("first"));
  ASSERT_TRUE(append_next(large));
  ASSERT_TRUE(append_next("between"));
  ASSERT_TRUE(append_next(large));
  ASSERT_TRUE(append_next("last"));
  ASSERT_TRUE(settler_.settle(*store_));
  const std::vector<KeptMessage> kept{{2, large}, {3, "between"}, {4, large}, {5, "last"}};
  EXPECT_EQ(read_all(*store_, key_, 2, 5), kept);
  store_.reset();
  open(GetParam());
  EXPECT_EQ(read_all(*store_, key_, 2, 5), kept);
}

TEST_F(JournalThreads, a_process_journal_goes_on_without_the_disk_up_to_its_limit) {
  open(Durability::Process, 100);
  disk_.hold_syncs();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(append_next());
    ASSERT_EQ(store_->durable(), store_->appended());
  }
  const LogPosition before = store_->durable();
  ASSERT_TRUE(append_next());
  EXPECT_EQ(store_->durable(), before);
  EXPECT_EQ(store_->flush(), before);
  disk_.release_syncs();
  EXPECT_EQ(settler_.settle(*store_), store_->appended());
}

TEST_F(JournalThreads, a_failed_sync_stops_the_store_and_is_never_repeated) {
  std::uint64_t number = 0;  // another mode begins another segment
  for (const Durability durability : {Durability::Process, Durability::Group, Durability::Sync}) {
    open(durability, 1);
    const LogPosition before = store_->durable();
    disk_.fail_syncs(EIO);
    StoreResult<LogPosition> failed = append_next();
    while (failed) {
      failed = settler_.settle(*store_);
      if (failed) failed = append_next();
    }
    EXPECT_EQ(failed.error().code, StoreErrorCode::Disk);
    EXPECT_THAT(failed.error().text, HasSubstr("sync gate: Input/output error"));
    EXPECT_GE(store_->durable(), before);
    // Not of the segment that is being prepared, which is another file.
    const std::string current = segment(++number);
    const unsigned syncs = disk_.syncs(current);
    EXPECT_GT(syncs, 0U);
    EXPECT_EQ(append_next().error().code, StoreErrorCode::Failed);
    EXPECT_EQ(store_->flush().error().code, StoreErrorCode::Failed);
    store_.reset();
    EXPECT_EQ(disk_.syncs(current), syncs);
    disk_.fail_syncs(0);
  }
}

// Catalogue D5. Linux reports a write error once, and maybe to the sync of the prepared zeros: what
// was appended after them in the meantime is not known to be on the disk either.
TEST_P(JournalRing, a_segment_whose_first_sync_fails_while_it_is_filled_stops_the_store) {
  open(GetParam());
  disk_.hold_syncs(segment(3));
  const std::string message(1000, 'm');
  // The third one is ready, and its zeros are on their way.
  while (store_->appended() <= kSegmentBytes) {
    ASSERT_TRUE(append_next(message));
    ASSERT_TRUE(settler_.settle(*store_));
  }
  while (disk_.syncs(segment(3)) == 0) ASSERT_TRUE(store_->flush());
  while (store_->appended() <= 2 * kSegmentBytes) ASSERT_TRUE(append_next(message));
  ASSERT_TRUE(store_->flush());
  disk_.fail_one_sync(segment(3), EIO);
  disk_.release_syncs();
  const StoreResult<LogPosition> settled = settler_.settle(*store_);
  ASSERT_FALSE(settled);
  EXPECT_THAT(settled.error().text, HasSubstr("sync gate: Input/output error"));
  EXPECT_LT(store_->durable(), store_->appended());
}

// Or a loss of power could leave a later segment without the one before it, which would be damage.
TEST_P(JournalRing, no_segment_is_there_before_the_name_of_the_one_before_is_safe) {
  open(GetParam());
  disk_.hold_syncs(segment(3));
  const std::string message(1000, 'm');
  while (store_->appended() <= kSegmentBytes) {
    ASSERT_TRUE(append_next(message));
    ASSERT_TRUE(settler_.settle(*store_));
  }
  while (disk_.syncs(segment(3)) == 0) ASSERT_TRUE(store_->flush());
  // The third one is begun, which no disk knows of yet; and it takes what comes.
  while (store_->appended() <= 5 * kSegmentBytes) ASSERT_TRUE(append_next(message));
  ASSERT_TRUE(store_->flush());
  EXPECT_EQ(::access(segment(3).c_str(), F_OK), 0);
  EXPECT_NE(::access(segment(4).c_str(), F_OK), 0);
  disk_.release_syncs();
  ASSERT_TRUE(settler_.settle(*store_));
  ASSERT_TRUE(append_next(message));
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(::access(segment(4).c_str(), F_OK), 0);
  EXPECT_EQ(read_all(*store_, key_).size(), store_->session(key_).next_outbound - 1);
}

// A burst fills a segment before the committer comes to it.
TEST_F(JournalThreads, a_segment_whose_name_is_safe_is_followed_although_its_bytes_are_not_synced) {
  open(Durability::Process, 100'000);
  disk_.hold_folder_syncs();
  const std::string message(1000, 'm');
  const auto fill_segment = [&](std::int64_t number) {
    while (store_->appended() <= static_cast<LogPosition>(number * kSegmentBytes)) {
      ASSERT_TRUE(append_next(message));
    }
  };
  std::int64_t number = 1;
  fill_segment(number);
  disk_.wait_for_held_folder_sync();  // of the second one's name, or of the third one's
  const bool has_third = ::access(segment(3).c_str(), F_OK) == 0;
  number = has_third ? 3 : 2;
  fill_segment(number - 1);
  disk_.hold_syncs();
  disk_.release_folder_syncs();
  while (disk_.creations(segment(static_cast<std::uint64_t>(number) + 1)) == 0) {
    ASSERT_TRUE(store_->flush());  // if the appending thread has made a segment itself
    std::this_thread::yield();
  }
  fill_segment(number);
  EXPECT_EQ(store_->durable(), store_->appended());
  disk_.release_syncs();
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(read_all(*store_, key_).size(), store_->session(key_).next_outbound - 1);
}

TEST_F(JournalThreads, a_full_disk_is_reported_while_there_is_still_room) {
  open(Durability::Process);
  const std::string message(1000, 'm');
  // The second segment is prepared; the third cannot be.
  struct stat status{};
  while (::stat(segment(2).c_str(), &status) != 0 || status.st_size < kSegmentBytes) {
    std::this_thread::yield();
  }
  disk_.fail_reserves(ENOSPC);
  while (store_->appended() <= kSegmentBytes) ASSERT_TRUE(append_next(message));
  while (disk_.failed_reserves() == 0) ASSERT_TRUE(store_->flush());
  std::optional<StoreEvent> warning;
  while (!(warning = store_->next_event())) std::this_thread::yield();
  EXPECT_EQ(warning->id, EventId::SegmentNotPrepared);
  EXPECT_THAT(warning->text, AllOf(HasSubstr("No space left"), HasSubstr("KiB are left")));
  EXPECT_FALSE(store_->next_event());
  std::uint64_t taken = 0;
  while (append_next(message)) ++taken;
  EXPECT_GT(taken, 0U);
  const auto refused = append_next(message);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("No space left"));
  const std::uint64_t next = store_->session(key_).next_outbound;
  store_.reset();
  disk_.fail_reserves(0);
  open(Durability::Process);
  // An end by an error is taken for a loss of power.
  EXPECT_EQ(store_->session(key_).next_outbound, next + 1000);
  EXPECT_EQ(read_all(*store_, key_).size(), next - 1);
}

TEST_F(JournalThreads, space_that_is_back_in_time_is_used) {
  open(Durability::Process);
  disk_.fail_reserves(ENOSPC);
  const std::string message(1000, 'm');
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(append_next(message));
  disk_.fail_reserves(0);
  for (int i = 0; i < 400; ++i) ASSERT_TRUE(append_next(message));
  store_.reset();
  open(Durability::Process);
  EXPECT_EQ(read_all(*store_, key_).size(), 440U);
}

TEST_F(JournalThreads, a_file_cut_under_its_mapping_stops_that_journal_and_no_other) {
  open(Durability::Process);
  const auto other = open_or_fail(disk_, {.folder = folder_.file("other")});
  const SessionKey key = open_session(*other.store, "B");
  ASSERT_TRUE(append_next("before"));
  ASSERT_EQ(::truncate(segment(1).c_str(), 0), 0);
  const auto failed = append_next("after");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, StoreErrorCode::Disk);
  EXPECT_THAT(failed.error().text, AllOf(HasSubstr("store to"), HasSubstr("Input/output error")));
  EXPECT_EQ(store_->flush().error().code, StoreErrorCode::Failed);
  EXPECT_TRUE(append_message(*other.store, key, 1, "goes on"));
  store_.reset();
}

TEST_F(JournalThreads, a_bus_error_elsewhere_goes_to_the_handler_that_was_there) {
  open(Durability::Process);
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // A signal that another process sends does not belong to a mapping.
  EXPECT_DEATH(::raise(SIGBUS), "");
}

TEST_F(JournalThreads, no_call_waits_for_a_segment_that_is_being_removed) {
  retention_ = {.keep_bytes = kSegmentBytes, .even_current = true};
  open(Durability::Group, 1);
  disk_.hold_removes();
  const std::uint64_t first = store_->session(key_).next_outbound;
  const std::string large(kSegmentBytes / 4, 'L');
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(append_next(large));
    ASSERT_TRUE(settler_.settle(*store_));
  }
  disk_.wait_for_held_remove();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(append_next(large));
    ASSERT_TRUE(settler_.settle(*store_));
  }
  EXPECT_GT(store_->retired_until(key_), first);
  disk_.release_removes();
}

// As a loss of power leaves them, when what they held was not on the disk.
TEST_F(JournalThreads, an_end_in_order_leaves_no_gap_among_segments_that_were_not_opened) {
  for (const Durability durability : {Durability::Group, Durability::Process}) {
    open(durability);
    ASSERT_TRUE(append_next());
    ASSERT_TRUE(settler_.settle(*store_));
    store_.reset();
    for (const std::uint64_t number : {2U, 3U, 4U}) {
      ASSERT_TRUE(PosixDisk{}.open(segment(number), OpenMode::Create));
    }
    open(durability);
    ASSERT_TRUE(append_next());
    ASSERT_TRUE(settler_.settle(*store_));
    ASSERT_TRUE(store_->close());
    store_.reset();
    open(durability);
    ASSERT_NE(store_, nullptr);
    EXPECT_EQ(read_all(*store_, key_).size(), 2U);
    ASSERT_TRUE(store_->close());
    store_.reset();
    std::filesystem::remove_all(folder_.file("journal"));
  }
}

// Such as where no more files may be open.
TEST_F(JournalThreads, a_segment_that_cannot_be_opened_at_the_end_is_not_taken_for_none) {
  for (const int error : {EMFILE, EACCES, EIO}) {
    open(Durability::Group);
    ASSERT_TRUE(append_next());
    ASSERT_TRUE(settler_.settle(*store_));
    store_.reset();
    for (const std::uint64_t number : {2U, 3U, 4U}) {
      ASSERT_TRUE(PosixDisk{}.open(segment(number), OpenMode::Create));
    }
    open(Durability::Group);
    ASSERT_TRUE(append_next());
    ASSERT_TRUE(settler_.settle(*store_));
    disk_.fail_opens(segment(3), error);
    ASSERT_TRUE(store_->close());
    disk_.fail_opens({}, 0);
    store_.reset();
    open(Durability::Group);
    ASSERT_NE(store_, nullptr);
    EXPECT_EQ(read_all(*store_, key_).size(), 2U);
    ASSERT_TRUE(store_->close());
    store_.reset();
    std::filesystem::remove_all(folder_.file("journal"));
  }
}

TEST_F(JournalThreads, a_prepared_segment_that_was_not_used_does_no_harm) {
  open(Durability::Process);
  ASSERT_TRUE(append_next("one"));
  store_.reset();  // as if killed: the second segment lies there, zeros
  open(Durability::Process);
  EXPECT_EQ(read_all(*store_, key_), (std::vector<KeptMessage>{{1, "one"}}));
  ASSERT_TRUE(store_->close());
  EXPECT_NE(::access(segment(2).c_str(), F_OK), 0);
}

}  // namespace
}  // namespace nexusfix::store
