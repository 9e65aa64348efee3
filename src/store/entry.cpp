#include "store/entry.hpp"

#include <cstdint>
#include <limits>

#include <nexusfix/base/assert.hpp>

#include "store/byte_order.hpp"

namespace nexusfix::store {
namespace {

constexpr std::size_t kSessionAt = 1;
constexpr std::size_t kNumberAt = 5;
constexpr std::size_t kLengthAt = 13;
static_assert(kLengthAt + sizeof(std::uint32_t) == kEntryHeaderBytes);

bool form_is_right(const Entry& entry) noexcept {
  switch (entry.kind) {
    case EntryKind::SessionOpened:
      return entry.number == 0;
    case EntryKind::InboundProgress:
    case EntryKind::OutboundNumber:
      return entry.number != 0 && entry.bytes.empty();
    case EntryKind::OutboundMessage:
      return entry.number != 0;
    case EntryKind::Reset:
      return entry.number == 0 && entry.bytes.empty();
    case EntryKind::LogSynced:
    case EntryKind::LogClosed:
      return entry.number <= kNumberMax && entry.session == 0 && entry.bytes.empty();
  }
  return false;
}

}  // namespace

void append_entry(std::vector<char>& buffer, const Entry& entry) {
  NEXUSFIX_ASSERT(entry.bytes.size() <= std::numeric_limits<std::uint32_t>::max());
  const std::size_t at = buffer.size();
  buffer.resize(at + kEntryHeaderBytes);
  char* out = buffer.data() + at;
  encode_entry_header(entry, std::span<char, kEntryHeaderBytes>{out, kEntryHeaderBytes});
  buffer.insert(buffer.end(), entry.bytes.begin(), entry.bytes.end());
}

void encode_entry_header(const Entry& entry, std::span<char, kEntryHeaderBytes> out) noexcept {
  out[0] = static_cast<char>(entry.kind);
  store_little_endian(&out[kSessionAt], entry.session);
  store_little_endian(&out[kNumberAt], entry.number);
  store_little_endian(&out[kLengthAt], static_cast<std::uint32_t>(entry.bytes.size()));
}

bool could_begin_entries(std::span<const char, kEntryHeaderBytes> header,
                         std::uint64_t entries_bytes) noexcept {
  const auto kind = static_cast<unsigned char>(header[0]);
  const bool is_of_session = kind >= static_cast<unsigned char>(EntryKind::SessionOpened) &&
                             kind <= static_cast<unsigned char>(EntryKind::Reset);
  const bool is_of_log = kind == static_cast<unsigned char>(EntryKind::LogSynced) ||
                         kind == static_cast<unsigned char>(EntryKind::LogClosed);
  return (is_of_session || is_of_log) &&
         load_little_endian<std::uint64_t>(&header[kNumberAt]) <= kNumberMax &&
         kEntryHeaderBytes + load_little_endian<std::uint32_t>(&header[kLengthAt]) <= entries_bytes;
}

bool EntryReader::next(Entry& entry) noexcept {
  if (rest_.size() < kEntryHeaderBytes) return false;
  const std::uint32_t length = load_little_endian<std::uint32_t>(rest_.data() + kLengthAt);
  if (length > rest_.size() - kEntryHeaderBytes) return false;
  Entry read{.kind = static_cast<EntryKind>(rest_[0]),
             .session = load_little_endian<SessionKey>(rest_.data() + kSessionAt),
             .number = load_little_endian<std::uint64_t>(rest_.data() + kNumberAt),
             .bytes = {rest_.data() + kEntryHeaderBytes, length}};
  if (!form_is_right(read)) return false;
  rest_ = rest_.subspan(kEntryHeaderBytes + length);
  entry = read;
  return true;
}

}  // namespace nexusfix::store
