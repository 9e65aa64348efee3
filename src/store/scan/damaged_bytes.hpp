// A place of the log that cannot be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/store.hpp>

#include "store/scan/segment_reader.hpp"

namespace nexusfix::store {

// Bytes that are no record although the log goes on after them.
struct DamagedBytes {
  std::uint64_t segment = 1;
  std::uint64_t offset = 0;  // in the segment's file
  LogPosition position = 0;  // of the same place in the log
  std::uint64_t bytes = 0;   // up to the next intact record, or to the segment's end
  RecordFault fault = RecordFault::None;
  bool is_header = false;  // the segment's header, whose content is known from its neighbours
};

// A log with more damages than this is not read on: it would take longer than the result is worth.
inline constexpr std::size_t kDamagesMax = 1000;

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

}  // namespace nexusfix::store
