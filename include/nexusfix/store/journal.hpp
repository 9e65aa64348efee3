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
  std::uint64_t torn_bytes = 0;  // at the end, no whole record: open_journal() has cut them
  bool in_use = false;           // inspect_journal(): a running process has it open
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

// Opens what is in the folder to be looked at, and writes nothing: no file is created or cut, and
// no lock is held, so that it works on a read-only copy and beside the process that owns the
// journal (whose later records are not seen). Every record is verified. The store reads and scans;
// what would change it is Refused. Missing: the folder holds no segment.
[[nodiscard]] StoreResult<OpenedJournal> inspect_journal(Disk& disk, const std::string& folder);

}  // namespace nexusfix::store
