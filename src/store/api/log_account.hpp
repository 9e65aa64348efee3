// What the records of a journal say, damaged or not: its sessions, what damage took from them, and
// whether the end of the log is missing. A tool reads the files and passes here what it finds; the
// conclusions are those of an opening. docs/operations/losses.md describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

#include "store/api/journal.hpp"
#include "store/api/journal_damage.hpp"
#include "store/api/journal_format.hpp"
#include "store/api/journal_owner.hpp"
#include "store/api/segment_reader.hpp"
#include "store/api/session_table.hpp"

namespace nexusfix::store {

// One thread. Calls come in the order of the log.
class LogAccount {
 public:
  // To be made before the segments are read, whose owner may write meanwhile: reads what the folder
  // says of the log's end. disk and folder must outlive it.
  LogAccount(Disk& disk, const std::string& folder);
  LogAccount(LogAccount&&) noexcept;             // the other can only be destroyed or assigned to
  LogAccount& operator=(LogAccount&&) noexcept;  // leaves the other like that, too
  ~LogAccount();

  // What the checkpoint at the beginning of a segment is worth.
  struct CheckpointFinding {
    enum class State : std::uint8_t { None, Whole, Void, Damaged };
    State state = State::None;
    bool is_start = false;  // the sessions are known from this segment on
    std::string fault;      // damaged, or it contradicts the records before it; empty: neither
  };
  // For the first segment, and for each that has a checkpoint. checkpoint: its bytes; empty: it is
  // not whole. The checkpoint of the first segment stands for the segments that were retired.
  [[nodiscard]] CheckpointFinding begin_segment(const SegmentHeader& segment,
                                                std::span<const char> checkpoint);
  // An intact record. Corrupt: it contradicts those before it.
  [[nodiscard]] StoreResult<void> record(const SegmentHeader& segment, const Record& record);
  // Bytes that are no record.
  void damage(const DamagedBytes& bytes);
  // The entries that a repair would write in place of damaged bytes: the log must go on with them.
  // The error is the reason why not.
  [[nodiscard]] std::expected<void, std::string_view> replace(const DamagedBytes& bytes,
                                                              std::span<const char> entries,
                                                              WallTime time);
  // After the last record. Corrupt: segments before the first one are missing, or no checkpoint
  // says what was in them.
  [[nodiscard]] StoreResult<void> end(const SegmentHeader& first, const SegmentHeader& last,
                                      const LogEnd& end);

  // False: no checkpoint that can be used was met yet. Records before it are only checked for their
  // form.
  [[nodiscard]] bool knows_sessions() const noexcept;
  // Corrupt: two checkpoints are damaged, one after the other. Where messages lie is lost, and an
  // opening could not use the journal. After end().
  [[nodiscard]] StoreResult<void> check_indexes() const;
  // After the last call above.
  [[nodiscard]] const SessionTable& sessions() const noexcept;
  // In the order of the log, without those that replace() has filled.
  [[nodiscard]] const std::vector<DamagedBytes>& damages() const noexcept;
  // The number of them before the sessions were known.
  [[nodiscard]] std::size_t damages_before_start() const noexcept;
  [[nodiscard]] const std::vector<SessionLoss>& losses() const noexcept;
  // Entries that must have been in this damage: resets, and sessions that were opened.
  [[nodiscard]] std::span<const char> inferred(std::size_t damage) const noexcept;

  // Why bytes at the end may be missing, as an opening would conclude. After end().
  [[nodiscard]] LossCause loss() const noexcept;
  // The log ends before the position that its last owner recorded, as a text; empty: it does not.
  [[nodiscard]] std::string missing_end(const LogEnd& end) const;
  // Whether loss() explains it: a failing disk may lose what it has confirmed. After end().
  [[nodiscard]] bool explains_missing_end() const noexcept;
  // How much of the log may be missing; 0: nothing.
  [[nodiscard]] std::uint64_t missing_bytes(const LogEnd& end) const noexcept;
  // Why the recorded position cannot be read; empty: it can, or none is recorded.
  [[nodiscard]] const std::string& record_fault() const noexcept;
  // The error of a folder that has no segment.
  [[nodiscard]] StoreError no_segment() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;  // never null
};

}  // namespace nexusfix::store
