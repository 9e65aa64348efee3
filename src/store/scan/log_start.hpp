// Where reading a log may begin: at its first segment, or at a segment with a checkpoint, which
// stands for all segments before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

#include "store/api/journal_format.hpp"
#include "store/scan/log_reader.hpp"
#include "store/state/checkpoint.hpp"
#include "store/state/log_state.hpp"

namespace nexusfix::store {

// A segment by its header alone.
struct SegmentHead {
  std::uint64_t number = 1;
  std::uint64_t file_bytes = 0;
  std::optional<SegmentHeader> header;  // nothing: no valid header
};

struct LogStart {
  std::vector<SegmentHeader> passed;  // segments that need not be read
  SegmentHeader segment;              // the first one that must be read
  LogState state;                     // with what is in the segments that were passed
  std::uint64_t records = 0;          // in these segments
  bool is_closed = false;             // in order, before it
  bool lists_all = true;              // false: the state may lack messages before it
};

// Event texts, by segment number.
using CheckpointFaults = std::map<std::uint64_t, std::string>;

class LogStarts {
 public:
  LogStarts(Disk& disk, const std::string& folder) : disk_{disk}, folder_{folder} {}

  // heads: of all segments of the log.
  [[nodiscard]] DiskResult<void> read_heads(std::uint64_t first, std::uint64_t last);
  [[nodiscard]] const std::vector<SegmentHead>& heads() const noexcept { return heads_; }

  // A checkpoint that the disk does not return counts as damaged: it is added to faults, and its
  // content is read elsewhere (catalogue D4).

  // Whether a checkpoint says that the segments before the first one were retired.
  [[nodiscard]] DiskResult<bool> records_retirement(CheckpointFaults& faults);
  // What was retired, by the checkpoint where the first segment begins. A loss of power between two
  // files may leave a first segment without a checkpoint, or with a torn one: then by the next one
  // that can be used, which does not count records and messages. Nothing: no segment was retired,
  // or no checkpoint can be used.
  struct Retired {
    // By session key: its epoch there, and the last number that it can have used by then.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> numbers;
    std::uint64_t records = 0;
    std::uint64_t messages = 0;
  };
  [[nodiscard]] DiskResult<Retired> retired(CheckpointFaults& faults);

  // Starts at the checkpoint of heads()[index]. Nothing: it has none that can be used, or a segment
  // before it is not as it must be; damage is added to faults.
  [[nodiscard]] DiskResult<std::optional<LogStart>> start_at(std::size_t index,
                                                             CheckpointFaults& faults);

 private:
  [[nodiscard]] bool is_whole_until(std::size_t index) const;
  [[nodiscard]] std::uint64_t last_retired(const Checkpoint::Session& session) const;
  [[nodiscard]] std::optional<std::size_t> find(LogPosition position) const;
  [[nodiscard]] DiskResult<std::optional<Checkpoint>> checkpoint(std::size_t index,
                                                                 CheckpointFaults& faults);
  [[nodiscard]] bool lists_all_that_is_there(const Checkpoint& one) const;
  [[nodiscard]] bool add_groups(const Checkpoint& from, LogState& state) const;
  [[nodiscard]] LogPosition first_position() const { return heads_.front().header->position; }

  Disk& disk_;
  const std::string& folder_;
  std::vector<SegmentHead> heads_;
};

// The epoch of each session where the log begins, once older segments were retired. By session key.
// The first usable checkpoint has the epochs; the resets between the log's begin and that
// checkpoint are taken off. segments: of the whole log, at least one.
[[nodiscard]] StoreResult<std::vector<std::uint64_t>> find_first_epochs(
    Disk& disk, const std::string& folder, std::span<const SegmentHeader> segments,
    LogReader& reading, std::size_t sessions);

}  // namespace nexusfix::store
