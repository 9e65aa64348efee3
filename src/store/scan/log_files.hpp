// A journal's segment files, one by one: what each says of its neighbours and of the log, even if
// others are damaged. Nothing is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

#include "store/api/journal_format.hpp"
#include "store/api/segment_reader.hpp"

namespace nexusfix::store {

// The segment files, numbered without a gap: a missing one means lost messages. The first ones may
// have been retired; then the checkpoint of the first remaining segment stands for them.
struct SegmentNumbers {
  std::uint64_t first = 1;
  std::uint64_t last = 0;  // below first: there are none
};
[[nodiscard]] StoreResult<SegmentNumbers> find_segments(Disk& disk, const std::string& folder);

// The highest position that a whole record from this offset on says was synced.
[[nodiscard]] DiskResult<LogPosition> synced_in_records(FileWindow& window, RecordSeed seed,
                                                        std::uint64_t from);

class LogFiles {
 public:
  LogFiles(Disk& disk, const std::string& folder) : disk_{disk}, folder_{folder} {}

  // The last segment file.
  void end_at(std::uint64_t last) noexcept { last_ = last; }
  [[nodiscard]] bool is_last(std::uint64_t number) const noexcept { return number == last_; }

  // Nothing: the file has no valid header.
  [[nodiscard]] StoreResult<std::optional<SegmentHeader>> header_at(std::uint64_t number);
  // False: the file is as it was prepared, apart from damage by the disk.
  [[nodiscard]] StoreResult<bool> was_opened(std::uint64_t number);
  // Whether no later segment was opened. Several may be prepared: in `group` mode a segment is
  // taken, and the next one prepared, before its first byte is written.
  [[nodiscard]] StoreResult<bool> is_end_of_log(std::uint64_t number);
  // After this offset, nothing in the file of this segment and size belongs to the log: the next
  // segment's header says where its records end.
  [[nodiscard]] StoreResult<std::uint64_t> bound_by_next_header(const SegmentHeader& header,
                                                                std::uint64_t size);
  // Where the next segment's header says that this segment ends; its size, if the header says
  // nothing. 0: it is the last segment, and only prepared segments follow.
  [[nodiscard]] StoreResult<std::uint64_t> end_by_next_header(const SegmentHeader& header,
                                                              std::uint64_t size);
  // The position up to which later segments' records and headers say that the log was synced.
  // log_id: of the log.
  [[nodiscard]] StoreResult<LogPosition> synced_by_later_segments(std::uint64_t number,
                                                                  std::int64_t log_id);

 private:
  [[nodiscard]] DiskResult<LogPosition> synced_by_segment(std::uint64_t number,
                                                          std::int64_t log_id);
  [[nodiscard]] std::unexpected<StoreError> failure(const DiskError& error,
                                                    std::uint64_t number) const;

  Disk& disk_;
  const std::string& folder_;
  std::uint64_t last_ = 0;
  FileWindow window_;
};

}  // namespace nexusfix::store
