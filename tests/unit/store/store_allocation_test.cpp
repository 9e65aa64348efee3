// Once it is open, a journal takes no memory from the heap: this program counts every request.
#include <cstdint>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/store.hpp>

#include "store_fixture.hpp"
#include "support/counted_new.hpp"
#include "support/temporary_folder.hpp"

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

}  // namespace
}  // namespace nexusfix::store
