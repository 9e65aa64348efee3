// Damage in a journal: which bytes cannot be read, what a session may have lost in them, and that
// in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/store.hpp>

#include "store/api/segment_reader.hpp"
#include "store/api/session_table.hpp"

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

// What a session has lost in damaged bytes, or may have.
struct SessionLoss {
  SessionKey session = 0;
  std::size_t damage = 0;  // the index of the damage in the log
  // The numbers of the epoch after the damage; nothing: in doubt, or of an epoch that has ended.
  std::optional<NumberRange> numbers;
  std::uint64_t epoch = 1;    // of these numbers
  bool in_doubt = false;      // it may have used numbers from its next one on
  bool reset_lost = false;    // a reset was among what was lost
  bool opened_in_it = false;  // its name is lost
};

// "number 7", or "numbers 7 to 9".
[[nodiscard]] std::string range_text(NumberRange range);
// The loss in words, with the name of the session.
[[nodiscard]] std::string loss_text(const SessionTable& sessions, const SessionLoss& loss);
// For damage that may concern any session's numbers.
[[nodiscard]] std::string unknown_loss_text();
// A repair puts this text where damaged bytes were, cut to their length. The full text is kept at
// the end of the log.
inline constexpr std::string_view kFillerText = "damaged bytes were taken out: ";
// Whether it is that text, as far as it goes.
[[nodiscard]] bool is_filler(std::string_view text) noexcept;

// The highest number of sequence numbers that the entries of one session in this number of damaged
// bytes can have used.
[[nodiscard]] std::uint64_t numbers_in(std::uint64_t damaged_bytes) noexcept;

}  // namespace nexusfix::store
