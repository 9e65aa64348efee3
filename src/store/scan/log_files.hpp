// A journal's segment files, looked at one by one: what each tells of its neighbours and of the
// log, whatever is wrong with the others. Nothing is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store/store.hpp>

#include "store/format/journal_format.hpp"
#include "store/scan/segment_reader.hpp"

namespace nexusfix::store {

// The segment files, numbered without a gap: a missing one is lost messages. The first ones may
// have been retired; then the checkpoint of the first that is there says what they said.
struct SegmentNumbers {
  std::uint64_t first = 1;
  std::uint64_t last = 0;  // below first: there are none
};
[[nodiscard]] StoreResult<SegmentNumbers> find_segments(Disk& disk, const std::string& folder);

// The highest position that any whole record at or behind from says was synced.
[[nodiscard]] DiskResult<LogPosition> synced_told(FileWindow& window, RecordSeed seed,
                                                  std::uint64_t from);

class LogFiles {
 public:
  LogFiles(Disk& disk, const std::string& folder) : disk_{disk}, folder_{folder} {}

  // They are up to this one.
  void end_at(std::uint64_t last) noexcept { last_ = last; }
  [[nodiscard]] bool is_last(std::uint64_t number) const noexcept { return number == last_; }

  // Nothing: it has none that checks.
  [[nodiscard]] StoreResult<std::optional<SegmentHeader>> header_at(std::uint64_t number);
  // False: it is as it was prepared, but for what a disk may have damaged.
  [[nodiscard]] StoreResult<bool> was_begun(std::uint64_t number);
  // No later segment was begun. There may be several that were prepared: in `group` mode a segment
  // is taken, and the next one prepared, before the first byte of it is written.
  [[nodiscard]] StoreResult<bool> is_end_of_log(std::uint64_t number);
  // Behind this, nothing in the file of this segment and size is of the log: the next segment's
  // header says where its records end.
  [[nodiscard]] StoreResult<std::uint64_t> bound_told_by_next(const SegmentHeader& header,
                                                              std::uint64_t size);
  // Where this segment ends by what the next one's header says, or at its size, if that says
  // nothing; 0: it is the last, as what follows is no more than a segment that was prepared.
  [[nodiscard]] StoreResult<std::uint64_t> end_told_by_next(const SegmentHeader& header,
                                                            std::uint64_t size);
  // What the records and headers of later segments say was synced. log_id: of the log.
  [[nodiscard]] StoreResult<LogPosition> synced_told_by_later(std::uint64_t number,
                                                              std::int64_t log_id);

 private:
  [[nodiscard]] DiskResult<LogPosition> synced_told_in(std::uint64_t number, std::int64_t log_id);
  [[nodiscard]] std::unexpected<StoreError> failure(const DiskError& error,
                                                    std::uint64_t number) const;

  Disk& disk_;
  const std::string& folder_;
  std::uint64_t last_ = 0;
  FileWindow window_;
};

}  // namespace nexusfix::store
