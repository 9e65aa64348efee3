// The form of one entry inside a record.
//
//   offset  bytes  what (numbers are little-endian)
//        0      1  EntryKind
//        1      4  session key
//        5      8  number: next inbound, MsgSeqNum or log position; 0 in SessionOpened and Reset
//       13      4  length of the bytes that follow
//       17      -  the message, or the session's name
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <nexusfix/store/transaction.hpp>

namespace nexusfix::store {

inline constexpr std::size_t kEntryHeaderBytes = 17;

// No MsgSeqNum comes near; the bound keeps "number + 1" from wrapping.
inline constexpr std::uint64_t kNumberMax = std::uint64_t{1} << 62U;

// Tells of the log as a whole: belongs to no session.
[[nodiscard]] constexpr bool is_of_log(EntryKind kind) noexcept {
  return kind == EntryKind::LogSynced || kind == EntryKind::LogClosed;
}

struct Entry {
  EntryKind kind{};
  SessionKey session = 0;
  std::uint64_t number = 0;
  std::string_view bytes;
};

void append_entry(std::vector<char>& buffer, const Entry& entry);

// The same into a place of kEntryHeaderBytes, for an entry without bytes.
void encode_entry_header(const Entry& entry, std::span<char, kEntryHeaderBytes> out) noexcept;

// Walks a record's entries. The bytes may come from a damaged or hostile file: nothing outside of
// them is read, and what is not an entry ends the walk.
class EntryReader {
 public:
  explicit EntryReader(std::span<const char> entries) noexcept : rest_{entries} {}

  // False at the end and at bytes that are no entry. The entry's bytes live as long as the span.
  [[nodiscard]] bool next(Entry& entry) noexcept;
  // After next() said false: everything was read.
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
  // The entries behind the last one that next() gave.
  [[nodiscard]] std::span<const char> rest() const noexcept { return rest_; }

 private:
  std::span<const char> rest_;
};

// Whether entries of this total size could begin with this header: a cheap first look.
[[nodiscard]] bool could_begin_entries(std::span<const char, kEntryHeaderBytes> header,
                                       std::uint64_t entries_bytes) noexcept;

}  // namespace nexusfix::store
