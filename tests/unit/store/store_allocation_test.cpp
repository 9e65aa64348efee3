// Once it is open, a journal takes no memory from the heap: this program counts every request. What
// does take some, a look-up of messages, may fail for want of it, once.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/store.hpp>

#include "store/api/event_queue.hpp"
#include "store/api/journal.hpp"
#include "store/api/journal_format.hpp"
#include "store/write/retirement.hpp"
#include "store_fixture.hpp"
#include "support/disks/gated_disk.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/failing_new.hpp"

namespace nexusfix::store {
namespace {

using nexusfix::test::allocations;

struct Work {
  std::uint64_t orders = 0;
  std::uint64_t flush_every = 1;
};

// As an acceptor does: progress of the one session and a message of the other in one record.
std::uint64_t allocations_of(Store& store, const Work& work) {
  const SessionKey a = open_session(store, "A");
  const SessionKey b = open_session(store, "B");
  const std::string message(200, 'm');
  Transaction transaction;
  const std::uint64_t before = allocations;
  for (std::uint64_t n = 0; n < work.orders; ++n) {
    transaction.clear();
    transaction.inbound_progress(a, store.session(a).next_inbound + 1);
    transaction.outbound_message(b, store.session(b).next_outbound, message);
    if (!store.append(transaction, at_second(10))) std::abort();
    if (n % work.flush_every == 0 && !store.flush()) std::abort();
  }
  return allocations - before;
}

TEST(StoreAllocation, a_journal_takes_two_hundred_thousand_records_without_any) {
  const testing::TemporaryFolder folder;
  PosixDisk disk;
  const OpenedJournal journal = open_or_fail(disk, {.folder = folder.file("journal")});
  EXPECT_EQ(allocations_of(*journal.store, {.orders = 200'000, .flush_every = 3}), 0U);
  EXPECT_EQ(allocations_of(*journal.store, {.orders = 20'000, .flush_every = 20'000}), 0U);
}

TEST(StoreAllocation, a_reopened_journal_takes_none_either) {
  const testing::TemporaryFolder folder;
  PosixDisk disk;
  allocations_of(*open_or_fail(disk, {.folder = folder.file("journal")}).store, {.orders = 5000});
  const OpenedJournal journal = open_or_fail(disk, {.folder = folder.file("journal")});
  EXPECT_EQ(allocations_of(*journal.store, {.orders = 100'000, .flush_every = 64}), 0U);
}

TEST(StoreAllocation, a_closed_segment_costs_a_few) {
  const testing::TemporaryFolder folder;
  PosixDisk disk;
  const OpenedJournal journal =
      open_or_fail(disk, {.folder = folder.file("journal"), .segment_bytes = 1U << 20U});
  const std::uint64_t segments = 20'000 * 250 / (1U << 20U);
  const std::uint64_t counted = allocations_of(*journal.store, {.orders = 20'000});
  EXPECT_GT(counted, 0U);  // or this program counts nothing
  EXPECT_LE(counted, 10 * (segments + 1));
}

// A resend among many other sessions' messages, for which places are collected.
TEST(StoreAllocation, a_resend_for_which_there_was_no_memory_leaves_nothing) {
  constexpr SessionKey kSenders = 7;
  constexpr std::uint64_t kMessages = 400;
  const testing::TemporaryFolder folder;
  PosixDisk disk;
  const JournalOptions options{
      .folder = folder.file("journal"), .durability = Durability::None, .background = false};
  const auto message_of = [](SessionKey key, std::uint64_t number) {
    return std::to_string(key) + '/' + std::to_string(number) + std::string(2000, 'm');
  };
  {
    const OpenedJournal journal = open_or_fail(disk, options);
    for (SessionKey key = 0; key < 300; ++key) open_session(*journal.store, std::to_string(key));
    for (std::uint64_t number = 1; number <= kMessages; ++number) {
      for (SessionKey key = 0; key < kSenders; ++key) {
        ASSERT_TRUE(append_message(*journal.store, key, number, message_of(key, number)));
      }
    }
    ASSERT_TRUE(journal.store->close());
  }
  bool has_failed = true;
  for (std::size_t nth = 1; has_failed; ++nth) {
    SCOPED_TRACE("allocation " + std::to_string(nth));
    const OpenedJournal journal = open_or_fail(disk, options);
    test::fail_at(nth);
    try {
      const auto read =
          journal.store->read(1, 380, 390, [](std::uint64_t, std::string_view) { return true; });
      EXPECT_TRUE(read);
    } catch (const std::bad_alloc&) {
    }
    test::stop_failing();
    has_failed = test::has_failed();
    for (SessionKey key = 0; key < kSenders; ++key) {
      std::vector<KeptMessage> expected;
      for (std::uint64_t number = 1; number <= kMessages; ++number) {
        expected.push_back({number, message_of(key, number)});
      }
      ASSERT_EQ(read_all(*journal.store, key), expected) << "session " << key;
    }
  }
}

// While a disk is stalled, the log gathers in memory.
TEST(StoreAllocation, a_record_for_which_there_is_no_memory_is_not_appended_and_is_the_next_time) {
  for (const Durability durability : {Durability::Group, Durability::Sync}) {
    SCOPED_TRACE(to_string(durability));
    const testing::TemporaryFolder folder;
    testing::GatedDisk disk;
    const OpenedJournal journal =
        open_or_fail(disk, {.folder = folder.file("journal"),
                            .durability = durability,
                            .on_durable = {.call = [](void*) noexcept {}, .context = nullptr}});
    Store& store = *journal.store;
    const SessionKey key = open_session(store, "A");
    const std::string message(100'000, 'm');
    disk.hold_syncs();
    const std::shared_ptr<void> let_go{nullptr, [&](void*) { disk.release_syncs(); }};
    unsigned failures = 0;
    for (std::uint64_t number = 1; number <= 300; ++number) {
      const LogPosition end = store.appended();
      Transaction transaction;
      transaction.outbound_message(key, number, message);
      test::fail_at(1);
      try {
        ASSERT_TRUE(store.append(transaction, at_second(10)));
        test::stop_failing();
      } catch (const std::bad_alloc&) {
        test::stop_failing();
        ++failures;
        ASSERT_EQ(store.session(key).next_outbound, number);
        ASSERT_EQ(store.appended(), end);
        ASSERT_TRUE(store.append(transaction, at_second(10)));
      }
    }
    EXPECT_GT(failures, 0U);  // or nothing was tried
    disk.release_syncs();
    ASSERT_TRUE(store.close());
  }
}

// It works on a thread of its own: an exception there would end the process.
TEST(StoreAllocation, segments_for_whose_moving_there_was_no_memory_are_moved_the_next_time) {
  const testing::TemporaryFolder parent;
  const std::string folder = parent.file("journal");
  PosixDisk disk;
  {
    const OpenedJournal journal =
        open_or_fail(disk, {.folder = folder, .segment_bytes = 1'500, .background = false});
    allocations_of(*journal.store, {.orders = 30});
    ASSERT_TRUE(journal.store->close());
  }
  // The first is there under both names.
  std::filesystem::create_directory(retired_folder(folder));
  std::filesystem::copy_file(path_of_segment(folder, 1),
                             path_of_segment(retired_folder(folder), 1));
  std::array<char, kSegmentHeaderBytes> bytes;
  ASSERT_TRUE((*disk.open(path_of_segment(folder, 3), OpenMode::Read))->read_at(0, bytes));
  const auto kept = decode_segment_header(bytes);
  ASSERT_TRUE(kept);
  EventQueue events;
  Retirement retirement{disk, folder, RetiredSegments::Keep, events};
  bool has_failed = true;
  for (std::size_t nth = 1; has_failed; ++nth) {
    SCOPED_TRACE("allocation " + std::to_string(nth));
    test::fail_at(nth);
    EXPECT_NO_THROW(while (retirement.remove_next(1, *kept)) continue);
    test::stop_failing();
    has_failed = test::has_failed();
  }
  for (const std::uint64_t number : {1U, 2U}) {
    EXPECT_FALSE(std::filesystem::exists(path_of_segment(folder, number)));
    EXPECT_TRUE(std::filesystem::exists(path_of_segment(retired_folder(folder), number)));
  }
  EXPECT_TRUE(std::filesystem::exists(path_of_segment(folder, 3)));
}

}  // namespace
}  // namespace nexusfix::store
