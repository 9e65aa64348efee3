// Reads a journal that is open: what its files have, and after it what is still in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/store.hpp>

#include "store/api/journal_damage.hpp"
#include "store/api/segment_reader.hpp"
#include "store/api/session_table.hpp"
#include "store/format/reading_sizes.hpp"
#include "store/state/message_index.hpp"
#include "store/state/message_places.hpp"
#include "store/write/log_writer.hpp"

namespace nexusfix::store {

// The files of closed segments that stay open for reading: to open one costs more than to read a
// message from it. Their number is bounded. An open file keeps the disk space of a retired segment,
// so that it is closed before its segment is removed.
class OpenSegments {
 public:
  static constexpr std::size_t kFilesMax = 16;

  // Both must outlive it.
  OpenSegments(Disk& disk, const std::string& folder) noexcept : disk_{disk}, folder_{folder} {}

  // The file of the segment with this number. It lives until the next call.
  [[nodiscard]] DiskResult<File*> open(std::uint64_t number);
  // Closes the files of the segments before this number.
  void close_before(std::uint64_t number) noexcept;

 private:
  struct Segment {
    std::uint64_t number = 0;
    std::unique_ptr<File> file;
  };

  Disk& disk_;
  const std::string& folder_;
  std::vector<Segment> segments_;  // the last one that was used is first
};

// The damage that read() finds in an open journal: bytes that have changed since they were written.
// Collects the damage of one read(), and the sequence numbers that may be missing because of it.
class ReadDamage {
 public:
  // next: the number after the last message that was passed. False: there is too much damage to go
  // on.
  bool add(const std::string& text, std::uint64_t next) {
    if (++count_ > kDamagesMax) return false;
    if (text_.empty()) text_ = text;
    if (!missing_from_) missing_from_ = next;
    return true;
  }
  // A message was passed.
  void pass(std::uint64_t number) { close(number); }

  [[nodiscard]] StoreResult<void> result(std::uint64_t first, std::uint64_t last) {
    if (count_ == 0) return {};
    close(last + 1);
    std::string text = text_;
    if (count_ > 1) text += ", and in " + std::to_string(count_ - 1) + " more places";
    text += missing_.empty() ? ". No message of numbers " + std::to_string(first) + " to " +
                                   std::to_string(last) + " is missing"
                             : ". What was kept under numbers " + missing_ + " cannot be read";
    return std::unexpected{StoreError{.code = StoreErrorCode::Corrupt, .text = std::move(text)}};
  }

 private:
  void close(std::uint64_t next_passed) {
    if (!missing_from_) return;
    const std::uint64_t first = *std::exchange(missing_from_, std::nullopt);
    if (first >= next_passed) return;
    missing_ += (missing_.empty() ? "" : ", ") + std::to_string(first) + " to " +
                std::to_string(next_passed - 1);
  }

  std::string text_;  // of the first
  std::string missing_;
  std::optional<std::uint64_t> missing_from_;
  std::size_t count_ = 0;
};

class LogReader {
 public:
  using RecordVisitor = FunctionRef<bool(const Record&)>;
  // Bytes that are no valid record any more; true: go on after them.
  using DamageVisitor = FunctionRef<bool(const std::string& text)>;

  // All must outlive it.
  LogReader(Disk& disk, const std::string& folder, const LogWriter& writer,
            const SessionTable& sessions, const ReadingSizes& sizes)
      : folder_{folder},
        writer_{writer},
        sessions_{sessions},
        sizes_{sizes},
        places_{sizes.places_bytes_max},
        files_{disk, folder} {}

  // Damage that opening has found, ascending: reading passes over it.
  void set_holes(std::vector<std::pair<LogPosition, LogPosition>> holes) {
    holes_ = std::move(holes);
  }

  // Segments before this one are retired.
  void forget_before(const SegmentHeader& kept) noexcept {
    places_.forget_before(kept.position);
    files_.close_before(kept.number);
  }

  // Passes the records from begin to end, which are limits of records. False: visit has stopped it.
  StoreResult<bool> for_each_record(LogPosition begin, LogPosition end, RecordVisitor visit,
                                    DamageVisitor on_damage);
  // What is read of a group.
  struct Wanted {
    std::uint64_t next = 0;    // messages below it need not be passed; it may rise during the call
    std::uint64_t last = 0;    // nor those above it
    bool is_complete = false;  // no message will be added to the group
  };
  // Passes the records of the group that have messages of the session; others may be among them.
  StoreResult<bool> for_each_of(SessionKey session, const MessageIndex::Group& group,
                                const Wanted& wanted, RecordVisitor visit, DamageVisitor on_damage);

 private:
  // The part of one segment that has records.
  struct Part {
    const SegmentHeader* segment = nullptr;
    bool is_last = false;
    LogPosition begin = 0;
    LogPosition end = 0;
  };
  [[nodiscard]] Part part_at(LogPosition position) const;
  StoreResult<File*> open(const Part& part);
  StoreResult<bool> pass(LogPosition begin, LogPosition end, RecordVisitor visit,
                         DamageVisitor on_damage);
  StoreResult<bool> for_each_written(const SegmentHeader& segment, File& file, std::uint64_t begin,
                                     std::uint64_t end, RecordVisitor visit,
                                     DamageVisitor on_damage);
  bool for_each_in_memory(const SegmentHeader& segment, LogPosition begin, LogPosition end,
                          RecordVisitor visit);
  // limit: the last of the records ends there, or before.
  StoreResult<bool> for_each_place(const Part& part, LogPosition block_begin,
                                   std::span<const std::uint32_t> offsets, LogPosition limit,
                                   RecordVisitor visit, DamageVisitor on_damage);
  const MessagePlaces::Block* block_at(const Part& part, const MessageIndex::Group& group,
                                       LogPosition at, LogPosition& end);
  const MessagePlaces::Block* small_block_at(const Part& part, LogPosition at, LogPosition& end);
  const MessagePlaces::Block* make_block(const Part& part, LogPosition begin, LogPosition end,
                                         LogPosition limit);
  std::uint64_t record_bytes_at(const Part& part, LogPosition at);
  [[nodiscard]] std::optional<LogPosition> end_of_hole(LogPosition begin) const;
  [[nodiscard]] std::string damage_text(const SegmentHeader& segment, std::uint64_t offset) const;

  const std::string& folder_;
  const LogWriter& writer_;
  const SessionTable& sessions_;
  std::vector<std::pair<LogPosition, LogPosition>> holes_;
  ReadingSizes sizes_;
  MessagePlaces places_;
  PlacesDraft draft_;
  FileWindow window_;  // used again for every reading
  OpenSegments files_;
  std::size_t single_window_bytes_ = 0;  // how much is read for one message
  std::vector<char> record_;             // used again, for bytes that no file has
};

}  // namespace nexusfix::store
