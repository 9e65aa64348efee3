// Goes through a whole journal, damaged or not: the common part of checking and repairing it.
// Nothing is written.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/store.hpp>

#include "store/api/journal_damage.hpp"
#include "store/api/journal_format.hpp"
#include "store/api/journal_owner.hpp"
#include "store/api/segment_reader.hpp"

namespace nexusfix::store {

struct WalkedSegment {
  SegmentHeader header;  // derived, if the one in the file is damaged
  std::uint64_t file_bytes = 0;
  std::uint64_t end = 0;           // where its records end; after it nothing, or a torn write
  std::uint64_t torn_bytes = 0;    // of the last segment only
  std::uint64_t unused_bytes = 0;  // of the others: after their records, and not zeros
  std::uint64_t records = 0;
};

// A file after the last segment that was prepared and not opened, and is not all zeros.
struct StraySegment {
  std::uint64_t number = 1;
  StrayBytes stray;
};

struct WalkedLog {
  std::vector<WalkedSegment> segments;  // at least one
  std::vector<StraySegment> strays;
};

// Where its last record ends.
[[nodiscard]] LogEnd end_of(const WalkedLog& log);

// on_start: before the first record, and for each segment with a checkpoint, gets the checkpoint's
// bytes, as LogAccount::begin_segment(). on_record: an intact record, in the log's order; an error
// ends the walk. on_damage: between the records before and after it. Corrupt: a segment is missing,
// or belongs to another format version or journal, or nothing of the log can be read. Missing:
// there is no segment.
using WalkedRecord = FunctionRef<StoreResult<void>(const SegmentHeader&, const Record&)>;
using WalkedDamage = FunctionRef<void(const DamagedBytes&)>;
using WalkedStart = FunctionRef<StoreResult<void>(const SegmentHeader&, std::span<const char>)>;
[[nodiscard]] StoreResult<WalkedLog> walk_log(Disk& disk, const std::string& folder,
                                              WalkedStart on_start, WalkedRecord on_record,
                                              WalkedDamage on_damage);

[[nodiscard]] StoreError disk_failure(const std::string& folder, const DiskError& error);

}  // namespace nexusfix::store
