// Text of FIX int, SeqNum, Length and NumInGroup, and its value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nexusfix/wire/values/converted.hpp>
#include <nexusfix/wire/values/digits.hpp>

namespace nexusfix::wire {

// FIX int: optional minus, digits, leading zeros allowed; no plus, no blank. Empty, Malformed, or
// OutOfRange beyond 64 bits. No allocation; any thread.
template <TextFront Front = TextFront::Unreadable>
[[nodiscard]] Converted<std::int64_t> to_int(std::string_view text) noexcept;
// Reads a number without a sign: SeqNum, Length, NumInGroup.
template <TextFront Front = TextFront::Unreadable>
[[nodiscard]] Converted<std::uint64_t> to_uint(std::string_view text) noexcept;

// Each function writes to out and returns the size of the text. It may overwrite all kIntBytesMax
// bytes of out. No allocation; any thread.
inline constexpr std::size_t kIntBytesMax = 20;
inline std::size_t from_int(std::int64_t value, char* out) noexcept;
inline std::size_t from_uint(std::uint64_t value, char* out) noexcept;

namespace detail {

// The slow path of the inline functions: texts of more than 16 bytes, negative numbers, errors.
[[nodiscard]] Converted<std::int64_t> to_any_int(std::string_view text) noexcept;
[[nodiscard]] Converted<std::uint64_t> to_any_uint(std::string_view text) noexcept;

// value >= 10^8. Most sequence numbers of a busy day have nine digits, so they need no sixteen.
[[nodiscard]] inline std::size_t store_long_uint(char* out, std::uint64_t value) noexcept {
  if (value < 10 * kTenToThe8) [[likely]] {
    const std::uint64_t first = value / kTenToThe8;
    *out = static_cast<char>('0' + first);
    store_word(out + 1, eight_digits(static_cast<std::uint32_t>(value - first * kTenToThe8)).text);
    return 1 + kWordBytes;
  }
  char* const begin = out;
  if (value >= kTenToThe16) {
    out += store_without_leading_zeros(
        out, eight_digits(static_cast<std::uint32_t>(value / kTenToThe16)));
    const std::uint64_t rest = value % kTenToThe16;
    const SixteenDigits digits = sixteen_digits(rest / kTenToThe8, rest % kTenToThe8);
    store_word(out, digits.front.text);
    out += kWordBytes;
    store_word(out, digits.back.text);
  } else {
    const SixteenDigits digits = sixteen_digits(value / kTenToThe8, value % kTenToThe8);
    out += store_without_leading_zeros(out, digits.front);
    store_word(out, digits.back.text);
  }
  return static_cast<std::size_t>(out - begin) + kWordBytes;
}

}  // namespace detail

namespace detail {

// The value of a text of 1 to 16 digits. False: another text, which the slow path reads.
template <TextFront Front>
[[nodiscard, gnu::always_inline]] inline bool parse_digits(std::string_view text,
                                                           std::uint64_t& value) noexcept {
#if defined(__SSE2__)
  if (text.size() - 1 < kVectorBytes) [[likely]] {
    const __m128i digits = digits_of(load_last_vector<Front>(text), text.size());
    if (other_bits(digits) == 0) [[likely]] {
      value = value_of_digits(digits);
      return true;
    }
  }
#else
  static_cast<void>(text);
  static_cast<void>(value);
#endif
  return false;
}

}  // namespace detail

template <TextFront Front>
Converted<std::uint64_t> to_uint(std::string_view text) noexcept {
  std::uint64_t value;
  if (detail::parse_digits<Front>(text, value)) [[likely]]
    return value;
  return detail::to_any_uint(text);
}

template <TextFront Front>
Converted<std::int64_t> to_int(std::string_view text) noexcept {
  std::uint64_t value;
  if (detail::parse_digits<Front>(text, value)) [[likely]]
    return static_cast<std::int64_t>(value);
  return detail::to_any_int(text);
}

inline std::size_t from_uint(std::uint64_t value, char* out) noexcept {
  if (value >= detail::kTenToThe8) [[unlikely]]
    return detail::store_long_uint(out, value);
  return detail::store_without_leading_zeros(
      out, detail::eight_digits(static_cast<std::uint32_t>(value)));
}

inline std::size_t from_int(std::int64_t value, char* out) noexcept {
  if (value >= 0) [[likely]]
    return from_uint(static_cast<std::uint64_t>(value), out);
  *out = '-';
  // 0 - v in unsigned arithmetic is right for the smallest value, too. Its negation does not fit
  // into int64.
  return 1 + from_uint(0 - static_cast<std::uint64_t>(value), out + 1);
}

}  // namespace nexusfix::wire
