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

#include "store/api/journal.hpp"
#include "store/api/journal_format.hpp"
#include "store/state/log_state.hpp"

namespace nexusfix::store {

struct Recovered {
  std::vector<SegmentHeader> segments;  // none: a new journal
  std::unique_ptr<File> file;           // of the last segment
  std::uint64_t file_bytes = 0;         // where its records end
  std::uint64_t file_bytes_found = 0;   // its size; after the records it has zeros, or was cut
  LogState state;
  std::uint64_t records = 0;  // in the whole log
  // By session key, where segments were retired: an epoch, and the last number of it that they can
  // hold.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> retired;
  LogPosition retired_before = 0;     // by the newest checkpoint that can be used
  LogPosition retired_confirmed = 0;  // by it and the one before it
  LogPosition index_from = 0;         // where the fences of the state's indexes stand
  // Damage after which the log goes on: where it begins and ends, which sessions are refused, and
  // why a session that the log does not know is refused. Empty: none.
  std::vector<std::pair<LogPosition, LogPosition>> holes;
  std::map<SessionKey, std::string> refused;
  std::string no_new_session;
  // Event texts: damage in files that were prepared and not opened, which are used again and lose
  // nothing; and a tail marker that cannot be read.
  std::vector<std::string> warnings;
  LogPosition synced = 0;  // known to be on the disk
  // After a loss of power: how much of the log may be missing of which the disk had a part for
  // certain. 0: none.
  std::uint64_t lost_bytes_max = 0;
  bool is_closed = false;         // in order
  std::uint64_t owner_epoch = 0;  // of its last writer; 0: not known
  BootId boot_id{};               // of this start of the machine
  JournalReport report;
};

class Ownership;

// For the owner. When it returns, all of the log is synced, unless the durability is None; nothing
// was appended.
[[nodiscard]] StoreResult<Recovered> recover(Disk& disk, const JournalOptions& options,
                                             const Ownership& owner);

// Like recover(), but changes nothing: a torn end is left in place and not read.
[[nodiscard]] StoreResult<Recovered> recover_read_only(Disk& disk, const std::string& folder);

[[nodiscard]] StoreError disk_error(const std::string& folder, const DiskError& error);

}  // namespace nexusfix::store
