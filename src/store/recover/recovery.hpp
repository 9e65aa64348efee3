// Opening a journal: everything that is read from its files before the first append.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store/journal.hpp>

#include "store/format/journal_format.hpp"
#include "store/state/log_state.hpp"

namespace nexusfix::store {

struct Recovered {
  std::vector<SegmentHeader> segments;  // none: a new journal
  std::unique_ptr<File> file;           // of the last segment
  std::uint64_t file_bytes = 0;         // of it: where its records end
  std::uint64_t file_bytes_found = 0;   // its size; what is behind the records is zeros, or was cut
  LogState state;
  std::uint64_t records = 0;  // in the whole log
  // By key, where segments were retired: an epoch, and the last number that they can hold of it.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> retired;
  LogPosition retired_before = 0;  // as the newest checkpoint tells that can be used
  LogPosition retired_told = 0;    // by it and by the one before it
  LogPosition index_from = 0;      // where the fences of the state's indexes stand
  // Damage with more of the log behind it: where it begins and ends, whom it may concern, and why
  // no session may be opened that the log does not know. Empty: none.
  std::vector<std::pair<LogPosition, LogPosition>> holes;
  std::map<SessionKey, std::string> refused;
  std::string no_new_session;
  // For people: what the disk damaged in files that were prepared and not begun, which are used
  // anew, and nothing is lost by it; and in the note of the log's end.
  std::vector<std::string> warnings;
  LogPosition synced = 0;  // known to be on the disk
  // After a loss of power: how much of the log may be missing, of which the disk had a part for
  // certain. 0: none.
  std::uint64_t lost_bytes_max = 0;
  bool is_closed = false;         // in order
  std::uint64_t owner_epoch = 0;  // of its last writer; 0: not known
  BootId boot_id{};               // of now
  JournalReport report;
};

class Ownership;

// The caller is the owner. Afterwards all of the log is synced, unless the durability is None;
// nothing was appended to it.
[[nodiscard]] StoreResult<Recovered> recover(Disk& disk, const JournalOptions& options,
                                             const Ownership& owner);

// The same without changing anything: a torn end is left where it is and not read.
[[nodiscard]] StoreResult<Recovered> look_at(Disk& disk, const std::string& folder);

[[nodiscard]] StoreError disk_error(const std::string& folder, const DiskError& error);

}  // namespace nexusfix::store
