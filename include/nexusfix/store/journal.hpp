// The journal: an append-only, checksummed log in a folder of its own. The default store.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

// What flush() waits for.
enum class Durability : std::uint8_t {
  Process,  // the operating system has the bytes: survives kill -9, not a loss of power
  Sync,     // the disk has the bytes
};

struct JournalOptions {
  std::string folder;  // created if absent
  Durability durability = Durability::Process;
  std::uint64_t segment_bytes = 64U << 20U;  // a segment is closed when it is this large
  // Of one transaction as it lies in the file; at most 1 GiB. Older, larger records are still read.
  std::uint32_t record_bytes_max = 16U << 20U;
};

// What opening found.
struct JournalReport {
  std::uint64_t records = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t torn_bytes = 0;  // cut from the end: a record that was not whole
};

struct OpenedJournal {
  std::unique_ptr<Store> store;
  JournalReport report;
};

// Opens or creates. Takes the folder's lock, verifies every record, cuts a torn tail; a damaged
// record with valid ones behind it is an error, never skipped. The disk must outlive the store.
// Destroying the store writes nothing: what was not flushed is lost, as it may not have been sent.
// append() allocates only for a record of more than 1 MiB and when a segment is closed.
[[nodiscard]] StoreResult<OpenedJournal> open_journal(Disk& disk, const JournalOptions& options,
                                                      WallTime now);

}  // namespace nexusfix::store
