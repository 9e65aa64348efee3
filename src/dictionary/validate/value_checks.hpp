// Whether a text is of a FIX type. Only scans the text and converts nothing, because most fields
// are never read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/message_view.hpp>

#include "dictionary/api/value_type.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nexusfix::dictionary {

// How a value is checked. There are fewer checks than types.
enum class Check : std::uint8_t {
  Text,     // nothing to check
  Char,     // one character
  Boolean,  // Y or N
  Integer,
  Digits,  // an integer without a sign
  Decimal,
  UtcTimestamp,
  Enumerated,  // by lookup; the type is checked if the value is not found
  Group,       // a count field; the walk over the group reads its value
  Length,      // a data field must follow
  Data,        // its Length field must precede it
  Rare,        // by its FieldType
};

// Never Enumerated, Group, Length or Data: only a check that needs no table and no other field.
[[nodiscard]] Check check_of(FieldType type) noexcept;

[[nodiscard]] bool is_integer(std::string_view text) noexcept;
[[nodiscard]] bool is_digits(std::string_view text) noexcept;
// Without leading zeros, if the text is digits: "06" is "6", and "00" is "0".
[[nodiscard]] std::string_view shortest_digits(std::string_view text) noexcept;
[[nodiscard]] bool is_decimal(std::string_view text) noexcept;
[[nodiscard]] bool is_utc_timestamp_of_any_year(std::string_view text) noexcept;

[[nodiscard]] inline bool is_boolean(std::string_view text) noexcept {
  return text.size() == 1 && (text.front() == 'Y' || text.front() == 'N');
}

// YYYYMMDD-HH:MM:SS with or without milliseconds, checked in three words without a table. False for
// some correct ones: a leap second, the 29th of February, another fraction.
[[nodiscard]] inline bool is_common_utc_timestamp(std::string_view text) noexcept {
  namespace detail = wire::detail;
  constexpr std::size_t kSecondsBytes = 17;
  constexpr std::size_t kMillisBytes = 21;
  constexpr std::size_t kTimeAt = 9;
  if (text.size() != kSecondsBytes && text.size() != kMillisBytes) return false;
  const char* const from = text.data();
  const std::uint64_t date =
      detail::load_word<std::uint64_t>(from) ^ detail::word_of<std::uint64_t>("00000000");
  const std::uint64_t time =
      detail::load_word<std::uint64_t>(from + kTimeAt) ^ detail::word_of<std::uint64_t>("00:00:00");
  std::uint64_t wrong = detail::beyond(date, std::uint64_t{0x0909'0909'0909'0909}) |
                        detail::beyond(time, std::uint64_t{0x0905'0009'0500'0902});
  if (text.size() == kMillisBytes) {
    const std::uint32_t fraction = detail::load_word<std::uint32_t>(from + kSecondsBytes) ^
                                   detail::word_of<std::uint32_t>(".000");
    wrong |= detail::beyond(fraction, std::uint32_t{0x0909'0900});
  }
  // Each even byte: the number of its digit and the next one.
  const std::uint64_t numbers = date * 10 + (date >> 8U);
  const auto month = static_cast<std::uint32_t>(numbers >> 32U) & 0xffU;
  const auto day = static_cast<std::uint32_t>(numbers >> 48U) & 0xffU;
  // The days of each month beyond 28, two bits each. There is no month 0.
  constexpr std::uint32_t kMoreDays = 0b11'10'11'10'11'11'10'11'10'11'00'11'00;
  const auto hour = (static_cast<std::uint32_t>(time) & 0xffU) * 10 +
                    (static_cast<std::uint32_t>(time >> 8U) & 0xffU);
  constexpr std::uint32_t kMonths = 12;
  constexpr std::uint32_t kHours = 24;
  constexpr std::uint32_t kDaysMin = 28;
  constexpr std::uint32_t kEnd = 32;
  return wrong == 0 && from[kTimeAt - 1] == '-' && month - 1 < kMonths && hour < kHours &&
         day - 1 < kDaysMin + ((kMoreDays >> (2 * month % kEnd)) & 3U);
}

[[nodiscard]] inline bool is_utc_timestamp(std::string_view text) noexcept {
  return is_common_utc_timestamp(text) || wire::to_pico_time(text).has_value() ||
         is_utc_timestamp_of_any_year(text);
}

// A value within a message. The kFrontBytes that end with it are readable.
inline constexpr std::uint32_t kFrontBytes = 16;
struct ValueInMessage {
  const char* bytes;  // of the message
  std::uint32_t begin;
  std::uint32_t end;

  [[nodiscard]] std::string_view text() const noexcept { return {bytes + begin, end - begin}; }
  [[nodiscard]] std::uint32_t size() const noexcept { return end - begin; }
};

[[nodiscard]] inline ValueInMessage value_at(const char* bytes,
                                             wire::detail::NarrowPlace place) noexcept {
  return {bytes, place.begin, std::uint32_t{place.begin} + place.size};
}
[[nodiscard]] inline ValueInMessage value_at(const char* bytes,
                                             wire::detail::FieldPlace place) noexcept {
  return {bytes, place.begin, place.end};
}

// The bytes of a value of up to seven, with the SOH after it, as a number that no other value has.
// 0: it is longer.
[[nodiscard]] inline std::uint64_t word_of(const ValueInMessage& value) noexcept {
  constexpr std::uint32_t kBytes = sizeof(std::uint64_t);
  constexpr std::uint32_t kBitsPerByte = 8;
  if (value.size() >= kBytes) return 0;
  return wire::detail::load_word<std::uint64_t>(value.bytes + value.end + 1 - kBytes) >>
         (kBitsPerByte * (kBytes - 1 - value.size()));
}

#if defined(__SSE2__)

// A bit for each byte of a value that is no digit, the first byte's the lowest. Reads the sixteen
// bytes that end where the value ends, so that no byte after it is read.
// 1 <= value.size() <= kFrontBytes
[[nodiscard]] inline std::uint32_t others_of(const ValueInMessage& value) noexcept {
  constexpr char kAboveNine = 0x76;  // carries 10 to the sign
  const void* const from = value.bytes + value.end - kFrontBytes;
  const __m128i digits =
      _mm_sub_epi8(_mm_loadu_si128(static_cast<const __m128i*>(from)), _mm_set1_epi8('0'));
  const auto others = static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_adds_epu8(digits, _mm_set1_epi8(kAboveNine))));
  return others << value.size() >> kFrontBytes;
}

// Whether a value of at least one byte is digits. False for more than kFrontBytes of them.
[[nodiscard, gnu::always_inline]] inline bool is_short_digits(
    const ValueInMessage& value) noexcept {
  return value.size() <= kFrontBytes && others_of(value) == 0;
}

// Whether a value of at least one byte is digits, with or without one point. False for more than
// kFrontBytes of them, and maybe for a sign.
[[nodiscard, gnu::always_inline]] inline bool is_short_decimal(
    const ValueInMessage& value) noexcept {
  if (value.size() > kFrontBytes) [[unlikely]]
    return false;
  const std::uint32_t others = others_of(value);
  if (others == 0) return true;
  return (others & (others - 1)) == 0 && value.size() != 1 &&
         value.bytes[value.begin + wire::detail::lowest_bit(others)] == '.';
}

#else

[[nodiscard]] inline bool is_short_digits(const ValueInMessage& value) noexcept {
  return is_digits(value.text());
}
[[nodiscard]] inline bool is_short_decimal(const ValueInMessage& value) noexcept {
  return is_decimal(value.text());
}

#endif

// The functions below need values of at least one byte. Texts that are not plain digits take the
// slow path.
[[nodiscard]] inline bool is_digits(const ValueInMessage& value) noexcept {
  return is_short_digits(value) || (value.size() > kFrontBytes && is_digits(value.text()));
}
[[nodiscard]] inline bool is_integer(const ValueInMessage& value) noexcept {
  return is_short_digits(value) || is_integer(value.text());
}
[[nodiscard]] inline bool is_decimal(const ValueInMessage& value) noexcept {
  return is_short_decimal(value) || is_decimal(value.text());
}

}  // namespace nexusfix::dictionary
