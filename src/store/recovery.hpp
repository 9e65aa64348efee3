// Opening a journal: everything that is read from its files before the first append.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store/journal.hpp>

#include "store/journal_format.hpp"
#include "store/log_state.hpp"

namespace nexusfix::store {

struct Recovered {
  std::vector<SegmentHeader> segments;  // at least one; the last is appended to
  std::unique_ptr<File> file;           // of the last segment
  std::uint64_t file_bytes = 0;         // its size
  LogState state;
  JournalReport report;
};

// The caller holds the folder's lock.
[[nodiscard]] StoreResult<Recovered> recover(Disk& disk, const JournalOptions& options,
                                             WallTime now);

// The same without changing anything: a torn end is left where it is and not read.
[[nodiscard]] StoreResult<Recovered> look_at(Disk& disk, const std::string& folder);

// Writes the header of a new segment; its file must be empty or absent. With Durability::Sync, the
// file and its name are on the disk afterwards.
[[nodiscard]] StoreResult<std::unique_ptr<File>> create_segment(Disk& disk,
                                                                const std::string& folder,
                                                                const SegmentHeader& header,
                                                                Durability durability);

[[nodiscard]] StoreError disk_error(const std::string& folder, const DiskError& error);

}  // namespace nexusfix::store
