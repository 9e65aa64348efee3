#include "store/api/entry.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>

#include <nexusfix/base/language.hpp>

#include "store/api/session_table.hpp"
#include "store/format/byte_order.hpp"

namespace nexusfix::store {
namespace {

constexpr std::size_t kChangeNumbers = 8;
constexpr std::size_t kChangeBytes = kChangeNumbers * sizeof(std::uint64_t);

}  // namespace

void append_entry(std::vector<char>& buffer, const Entry& entry) {
  const std::size_t at = buffer.size();
  buffer.resize(at + kEntryHeaderBytes + entry.bytes.size());
  encode_entry(entry, buffer.data() + at);
}

void append_numbers_change(std::vector<char>& buffer, SessionKey session,
                           const NumbersChange& change) {
  const std::array<std::uint64_t, kChangeNumbers> numbers{
      change.before.next_inbound,
      change.before.next_outbound,
      change.before.epoch,
      change.after.next_inbound,
      change.after.next_outbound,
      change.after.epoch,
      static_cast<std::uint64_t>(change.created.time_since_epoch().count()),
      change.is_unfinished ? std::uint64_t{1} : std::uint64_t{0}};
  std::string bytes(kChangeBytes, '\0');
  for (std::size_t i = 0; i < kChangeNumbers; ++i) {
    store_little_endian(&bytes[i * sizeof(std::uint64_t)], numbers[i]);
  }
  bytes += change.text;
  append_entry(buffer,
               {.kind = EntryKind::NumbersSet, .session = session, .number = 0, .bytes = bytes});
}

std::optional<NumbersChange> decode_numbers_change(std::string_view bytes) noexcept {
  if (bytes.size() < kChangeBytes) return std::nullopt;
  std::array<std::uint64_t, kChangeNumbers> numbers;
  for (std::size_t i = 0; i < kChangeNumbers; ++i) {
    numbers[i] = load_little_endian<std::uint64_t>(bytes.data() + i * sizeof(std::uint64_t));
    const bool is_sequence = i < kChangeNumbers - 2;
    if (is_sequence && (numbers[i] == 0 || numbers[i] > kNumberMax)) return std::nullopt;
  }
  const auto created = static_cast<std::int64_t>(numbers[kChangeNumbers - 2]);
  if (numbers.back() > 1) return std::nullopt;
  return NumbersChange{.before = {numbers[0], numbers[1], numbers[2]},
                       .after = {numbers[3], numbers[4], numbers[5]},
                       .created = WallTime{std::chrono::nanoseconds{created}},
                       .is_unfinished = numbers.back() == 1,
                       .text = bytes.substr(kChangeBytes)};
}

void append_messages_lost(std::vector<char>& buffer, SessionKey session, std::uint64_t first,
                          std::uint64_t last) {
  std::array<char, sizeof last> bytes;
  store_little_endian(bytes.data(), last);
  append_entry(buffer, {.kind = EntryKind::MessagesLost,
                        .session = session,
                        .number = first,
                        .bytes = {bytes.data(), bytes.size()}});
}

std::uint64_t decode_last_lost(std::string_view bytes) noexcept {
  return load_little_endian<std::uint64_t>(bytes.data());
}

bool begins_epoch(const Entry& entry) noexcept {
  if (entry.kind == EntryKind::Reset) return true;
  if (entry.kind != EntryKind::NumbersSet) return false;
  const std::optional<NumbersChange> change = decode_numbers_change(entry.bytes);
  return change && change->after.epoch != change->before.epoch;
}

std::expected<void, std::string_view> check_form(std::span<const char> entries) noexcept {
  EntryReader reader{entries};
  Entry entry;
  while (reader.next(entry)) {
    if (entry.session >= kSessionsMax) return std::unexpected{"its session cannot be"};
  }
  if (!reader.at_end()) return std::unexpected{"an entry is not readable"};
  return {};
}

bool is_well_formed(const Entry& entry) noexcept {
  switch (entry.kind) {
    case EntryKind::SessionOpened:
    case EntryKind::SessionRenamed:
      return entry.number == 0;
    case EntryKind::OutboundNumber:
    case EntryKind::NumbersReserved:
    case EntryKind::MessagesLeft:
      return entry.number != 0 && entry.bytes.empty();
    case EntryKind::InboundProgress:
    case EntryKind::OutboundMessage:
      return entry.number != 0;
    case EntryKind::Reset:
      return entry.number == 0 && entry.bytes.empty();
    case EntryKind::NumbersSet:
      return entry.number == 0 && decode_numbers_change(entry.bytes).has_value();
    case EntryKind::Removed:
      return entry.number == 0;
    case EntryKind::MessagesLost:
      return entry.number != 0 && entry.bytes.size() == sizeof(std::uint64_t) &&
             decode_last_lost(entry.bytes) >= entry.number &&
             decode_last_lost(entry.bytes) <= kNumberMax;
    case EntryKind::LogSynced:
    case EntryKind::LogClosed:
      return entry.number <= kNumberMax && entry.session == 0 && entry.bytes.empty();
    case EntryKind::LogOwned:
      return entry.number != 0 && entry.number <= kNumberMax && entry.session == 0 &&
             entry.bytes.empty();
  }
  return false;
}

bool could_begin_entries(std::span<const char, kEntryHeaderBytes> header,
                         std::uint64_t entries_bytes) noexcept {
  const auto kind = static_cast<unsigned char>(header[0]);
  const bool is_of_session = kind >= static_cast<unsigned char>(EntryKind::SessionOpened) &&
                             kind <= static_cast<unsigned char>(EntryKind::MessagesLeft);
  return (is_of_session || is_of_log(static_cast<EntryKind>(kind))) &&
         load_little_endian<std::uint64_t>(&header[kEntryNumberAt]) <= kNumberMax &&
         kEntryHeaderBytes + load_little_endian<std::uint32_t>(&header[kEntryLengthAt]) <=
             entries_bytes;
}

}  // namespace nexusfix::store
