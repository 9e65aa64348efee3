// Goes through a whole journal, damage or not: what the checks, the repair and the opening of a
// damaged journal have in common. Nothing is written.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/function_ref.hpp>
#include <nexusfix/store/store.hpp>

#include "store/format/journal_format.hpp"
#include "store/scan/segment_reader.hpp"
#include "store/write/log_note.hpp"

namespace nexusfix::store {

// Bytes that are no record although the log goes on behind them.
struct DamagedBytes {
  std::uint64_t segment = 1;
  std::uint64_t offset = 0;  // in the segment's file
  LogPosition position = 0;  // of the same place in the log
  std::uint64_t bytes = 0;   // up to the next intact record, or to the segment's end
  RecordFault fault = RecordFault::None;
  bool is_header = false;  // the segment's header, whose content follows from its neighbours
};

// A log with more damages than this is not worth reading on: they would cost more time than they
// could tell.
inline constexpr std::size_t kDamagesMax = 1000;

struct WalkedSegment {
  SegmentHeader header;  // derived, if the one in the file is damaged
  std::uint64_t file_bytes = 0;
  std::uint64_t end = 0;           // where its records end; behind them nothing, or a torn write
  std::uint64_t torn_bytes = 0;    // of the last segment only
  std::uint64_t unused_bytes = 0;  // of the others: behind their end, and no zeros
  std::uint64_t records = 0;
};

// Behind the last segment: a file that was prepared and not begun, and that is not all zeros.
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

[[nodiscard]] std::string path_of_segment(const std::string& folder, std::uint64_t number);
[[nodiscard]] const char* describe(RecordFault fault) noexcept;

// on_start: before the first record, and for each segment with a checkpoint: its bytes; empty: it
// has none that is whole. What was retired in front of the first segment, its checkpoint tells.
// on_record: an intact record, in the log's order; an error ends the walk. on_damage: between the
// records before and behind it. Corrupt: a segment is missing, of another format version or of
// another journal, or nothing of the log can be read. Missing: no segment.
using WalkedRecord = FunctionRef<StoreResult<void>(const SegmentHeader&, const Record&)>;
using WalkedDamage = FunctionRef<void(const DamagedBytes&)>;
using WalkedStart = FunctionRef<StoreResult<void>(const SegmentHeader&, std::span<const char>)>;
[[nodiscard]] StoreResult<WalkedLog> walk_log(Disk& disk, const std::string& folder,
                                              WalkedStart on_start, WalkedRecord on_record,
                                              WalkedDamage on_damage);

}  // namespace nexusfix::store
