// The files of a store of QuickFIX and its relatives, as QuickFIX 1.15.1, QuickFIX/J 1.6 and 2.3,
// QuickFIX/n 1.0 to 1.13 and QuickFIX/Go 0.9 write them:
//
//   PREFIX.body     the messages, one after the other
//   PREFIX.header   number, offset and size of each: QuickFIX "1,0,86 2,86,141 " as text,
//   QuickFIX/n
//                   and /Go the same with a line for each, QuickFIX/J 4, 8 and 4 bytes, big-endian
//   PREFIX.seqnums  to be sent and to be received next: QuickFIX "0000000012 : 0000000034",
//                   QuickFIX/n the same and two spaces; QuickFIX/J's one-file form "12:34"
//                   after its length (2 bytes, big-endian)
//   PREFIX.senderseqnums, .targetseqnums
//                   QuickFIX/J: each a number as text after its length; QuickFIX/Go 19 digits
//   PREFIX.session  time of creation, UTC: QuickFIX 20261120-22:23:48; QuickFIX/J with milliseconds
//                   and after its length; QuickFIX/n 20261120-22:23:48.123456 Z; QuickFIX/Go
//                   2026-11-20T22:23:48.123Z
//
// A file of numbers or of the time is empty if the engine crashed at once, or has not received a
// message yet. The number is 1 then, and the time is that of the next start.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "nexusfix/journal/quickfix/quickfix_store.hpp"

namespace nexusfix::command {

inline constexpr std::array<std::string_view, 6> kQuickfixSuffixes{
    ".body", ".header", ".seqnums", ".senderseqnums", ".targetseqnums", ".session"};
inline constexpr std::uint64_t kQuickfixNumberMax = std::uint64_t{1} << 31U;  // an int in most

// The bytes of messages that are read or written at once.
inline constexpr std::size_t kQuickfixChunkBytes = 1U << 20U;

[[nodiscard]] inline std::unexpected<std::string> failure(const DiskError& error) {
  return std::unexpected{error.what()};
}

// The value of a message's field; nothing if there is none.
[[nodiscard]] std::optional<std::string_view> quickfix_field(std::string_view message,
                                                             std::string_view tag);

// Reads from the files of store.path: kind, sequence numbers, time, and the places of the messages.
// The messages themselves are read only if there is no header to find them by.
[[nodiscard]] std::expected<void, std::string> read_quickfix_files(Disk& disk,
                                                                   QuickfixStore& store);

}  // namespace nexusfix::command
