// The form of one entry inside a record.
//
//   offset  bytes  what (numbers are little-endian)
//        0      1  EntryKind
//        1      4  session key
//        5      8  number: next inbound, MsgSeqNum or log position; 0 in SessionOpened, Reset,
//                  NumbersSet, Removed and SessionRenamed
//       13      4  length of the bytes that follow
//       17      -  the message, the session's name, a change of numbers, a text, or the last of the
//                  lost numbers (8 bytes); in InboundProgress the received message, or nothing
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <nexusfix/base/language.hpp>
#include <nexusfix/store.hpp>

#include "store/format/byte_order.hpp"

namespace nexusfix::store {

using detail::CommonRecord;
using detail::EntryKind;

using detail::kEntryHeaderBytes;
inline constexpr std::size_t kEntrySessionAt = 1;
inline constexpr std::size_t kEntryNumberAt = 5;
inline constexpr std::size_t kEntryLengthAt = 13;
static_assert(kEntryLengthAt + sizeof(std::uint32_t) == kEntryHeaderBytes);

// No MsgSeqNum comes near it. The bound keeps "number + 1" from wrapping.
inline constexpr std::uint64_t kNumberMax = std::uint64_t{1} << 62U;

// Whether the entry says how much of the log was synced.
[[nodiscard]] constexpr bool states_synced(EntryKind kind) noexcept {
  return kind == EntryKind::LogSynced || kind == EntryKind::LogClosed;
}
// Whether the entry belongs to the log as a whole, and to no session.
[[nodiscard]] constexpr bool is_of_log(EntryKind kind) noexcept {
  return states_synced(kind) || kind == EntryKind::LogOwned;
}

struct Entry {
  EntryKind kind{};
  SessionKey session = 0;
  std::uint64_t number = 0;
  std::string_view bytes;
};

// out has room for kEntryHeaderBytes and the entry's bytes, of which there are less than 2^32.
inline void encode_entry(const Entry& entry, char* out) noexcept {
  NEXUSFIX_ASSERT(entry.bytes.size() <= std::numeric_limits<std::uint32_t>::max());
  detail::put_entry_header(out, entry.kind, entry.session, entry.number,
                           static_cast<std::uint32_t>(entry.bytes.size()));
  if (entry.bytes.empty()) return;
  std::memcpy(out + kEntryHeaderBytes, entry.bytes.data(), entry.bytes.size());
}
void append_entry(std::vector<char>& buffer, const Entry& entry);

// Whether number and bytes are valid for the kind.
[[nodiscard]] bool is_well_formed(const Entry& entry) noexcept;

// Walks a record's entries. The bytes may come from a damaged or hostile file: nothing outside of
// them is read, and what is not an entry ends the walk.
class EntryReader {
 public:
  explicit EntryReader(std::span<const char> entries) noexcept : rest_{entries} {}

  // False at the end and at bytes that are no entry, which leaves anything in entry. Its bytes live
  // as long as the span.
  [[nodiscard]] bool next(Entry& entry) noexcept {
    if (rest_.size() < kEntryHeaderBytes) return false;
    const auto length = load_little_endian<std::uint32_t>(rest_.data() + kEntryLengthAt);
    if (length > rest_.size() - kEntryHeaderBytes) return false;
    // Field by field: a copy of the whole struct would wait until all parts are stored.
    entry.kind = static_cast<EntryKind>(rest_[0]);
    entry.session = load_little_endian<SessionKey>(rest_.data() + kEntrySessionAt);
    entry.number = load_little_endian<std::uint64_t>(rest_.data() + kEntryNumberAt);
    entry.bytes = {rest_.data() + kEntryHeaderBytes, length};
    if (!is_common(entry) && !is_well_formed(entry)) return false;
    rest_ = rest_.subspan(kEntryHeaderBytes + length);
    return true;
  }
  // After next() returned false: whether it read everything.
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
  // The entries after the last one that next() returned.
  [[nodiscard]] std::span<const char> rest() const noexcept { return rest_; }

 private:
  // The kinds that nearly every message has one of, in their valid form.
  [[nodiscard]] static bool is_common(const Entry& entry) noexcept {
    if (entry.number == 0) return false;
    return entry.kind == EntryKind::OutboundMessage || entry.kind == EntryKind::InboundProgress;
  }

  std::span<const char> rest_;
};

// The bytes of a NumbersSet entry: eight numbers of 8 bytes, then the text.
void append_numbers_change(std::vector<char>& buffer, SessionKey session,
                           const NumbersChange& change);
// Nothing: the bytes do not have that form, or a number is above kNumberMax. The text lives as long
// as the bytes.
[[nodiscard]] std::optional<NumbersChange> decode_numbers_change(std::string_view bytes) noexcept;

// The bytes of a MessagesLost entry.
void append_messages_lost(std::vector<char>& buffer, SessionKey session, std::uint64_t first,
                          std::uint64_t last);
[[nodiscard]] std::uint64_t decode_last_lost(std::string_view bytes) noexcept;

// Checks a record that cannot be applied because the records before it are not known: it must
// consist of entries of possible sessions.
[[nodiscard]] std::expected<void, std::string_view> check_form(
    std::span<const char> entries) noexcept;

// Whether the session's kept messages belong to an earlier epoch from this entry on.
[[nodiscard]] bool begins_epoch(const Entry& entry) noexcept;

// A cheap first test: whether entries of this total size can begin with this header.
[[nodiscard]] bool could_begin_entries(std::span<const char, kEntryHeaderBytes> header,
                                       std::uint64_t entries_bytes) noexcept;

}  // namespace nexusfix::store
