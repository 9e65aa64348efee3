// What follows from a log that has been read: it is made safe to be appended to, and what was found
// is put into words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store/journal.hpp>

#include "store/recover/recovery.hpp"
#include "store/scan/damaged_log.hpp"
#include "store/scan/log_start.hpp"
#include "store/scan/segment_reader.hpp"
#include "store/write/log_note.hpp"

namespace nexusfix::store {

// Files behind the last segment's records that are not of the log.
struct Leftovers {
  std::vector<std::uint64_t> prepared;  // and not begun
  std::uint64_t last = 0;               // the last file that there is
  bool is_cut = false;                  // what lies behind the last segment goes
};

// Before anything is appended: later segments of a cut log are removed, what is behind the good
// records is cut, and what an earlier process wrote and did not live to sync is synced.
[[nodiscard]] StoreResult<void> make_durable(Disk& disk, const JournalOptions& options,
                                             const Leftovers& leftovers, Recovered& found);

// What the newest two checkpoints that can be used tell of retirement.
[[nodiscard]] StoreResult<void> read_tellings(Disk& disk, const std::string& folder,
                                              Recovered& found);

// What a record says of the log itself.
void take_synced(const Record& record, Recovered& found);

// What was read, and what was retired in front of it.
void tell_what_there_is(const CheckpointFaults& faults, LogStarts::Retired&& retired,
                        Recovered& found);

// What damage means for whom.
void tell_damages(const std::string& folder, DamagedLog& log, Recovered& found);

// For people.
[[nodiscard]] std::string stray_text(const std::string& folder, std::uint64_t number,
                                     const StrayBytes& stray);
[[nodiscard]] std::string restore_advice(const std::string& folder);
[[nodiscard]] StoreError missing_before(const std::string& folder, std::uint64_t first,
                                        const CheckpointFaults& faults);
[[nodiscard]] StoreError no_journal(const std::string& folder, const FoundLogNote& noted);

}  // namespace nexusfix::store
