// The end of recovery: makes the log that was read safe to append to, and puts into words what was
// found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "store/api/journal.hpp"
#include "store/api/segment_reader.hpp"
#include "store/recover/recovery.hpp"
#include "store/scan/damaged_log.hpp"
#include "store/scan/log_start.hpp"
#include "store/write/tail_marker.hpp"

namespace nexusfix::store {

// Files after the last segment's records that are no part of the log.
struct Leftovers {
  std::vector<std::uint64_t> prepared;  // and not opened
  std::uint64_t last = 0;               // the highest file number
  bool is_cut = false;                  // what follows the last segment is removed
};

// Called before anything is appended: removes later segments of a cut log, cuts what follows the
// good records, and syncs what an earlier process wrote and did not sync.
[[nodiscard]] StoreResult<void> make_durable(Disk& disk, const JournalOptions& options,
                                             const Leftovers& leftovers, Recovered& found);

// What the two newest usable checkpoints record as retired.
[[nodiscard]] StoreResult<void> read_recorded_retirement(Disk& disk, const std::string& folder,
                                                         Recovered& found);

// Applies a record's entries about the log itself.
void apply_log_entries(const Record& record, Recovered& found);

// Reports what was read, and what was retired before it.
void fill_report(const CheckpointFaults& faults, LogStarts::Retired&& retired, Recovered& found);

// Reports what damage means for which session.
void report_damages(const std::string& folder, DamagedLog& log, Recovered& found);

// Texts for events and errors.
[[nodiscard]] std::string stray_text(const std::string& folder, std::uint64_t number,
                                     const StrayBytes& stray);
[[nodiscard]] std::string restore_advice(const std::string& folder);
[[nodiscard]] StoreError missing_before(const std::string& folder, std::uint64_t first,
                                        const CheckpointFaults& faults);
[[nodiscard]] StoreError no_journal(const std::string& folder, const FoundTailMarker& found);

}  // namespace nexusfix::store
