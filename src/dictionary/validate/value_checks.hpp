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

[[nodiscard]] inline bool is_utc_timestamp(std::string_view text) noexcept {
  return wire::to_pico_time(text).has_value() || is_utc_timestamp_of_any_year(text);
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

// Whether a value of at least one byte is digits. False for more than kFrontBytes of them.
[[nodiscard, gnu::always_inline]] inline bool is_short_digits(
    const ValueInMessage& value) noexcept {
  return value.size() <= kFrontBytes &&
         wire::detail::other_bits(wire::detail::digits_of(
             wire::detail::load_vector(value.bytes + value.end - kFrontBytes), value.size())) == 0;
}

// Whether a value of at least one byte is digits, with or without one point. False for more than
// kFrontBytes of them, and maybe for a sign or a point at its end.
[[nodiscard, gnu::always_inline]] inline bool is_short_decimal(
    const ValueInMessage& value) noexcept {
  return value.size() <= kFrontBytes &&
         wire::detail::is_plain_decimal(
             wire::detail::load_vector(value.bytes + value.end - kFrontBytes), value.size());
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
