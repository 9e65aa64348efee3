// Text of FIX float (Price, Qty, Amt, Percentage) and its exact value.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/base/fixed_price.hpp>
#include <nexusfix/wire/values/converted.hpp>
#include <nexusfix/wire/values/digits.hpp>
#include <nexusfix/wire/values/integers.hpp>

namespace nexusfix::wire {

// FIX float (Price, Qty, Amt): optional minus, digits with at most one point; at least one digit;
// no exponent. Empty, Malformed, or OutOfRange if the digits do not fit into 64 bits or more than
// 18 of them follow the point (trailing zeros are dropped if that helps). No allocation; any
// thread.
template <TextFront Front = TextFront::Unreadable>
[[nodiscard]] Converted<Decimal> to_decimal(std::string_view text) noexcept;
// Reads a FixedPrice; OutOfRange if the value is outside of FixedPrice's range or not a multiple of
// 10^-8.
template <TextFront Front = TextFront::Unreadable>
[[nodiscard]] Converted<FixedPrice> to_fixed_price(std::string_view text) noexcept;

// Each function writes to out and returns the size of the text. It may overwrite all
// kDecimalBytesMax bytes of out. No allocation; any thread.
inline constexpr std::size_t kDecimalBytesMax = 24;
// Writes all digits of value after the point, with trailing zeros.
inline std::size_t from_decimal(Decimal value, char* out) noexcept;
// Writes no trailing zeros, and no point after a whole number.
inline std::size_t from_fixed_price(FixedPrice value, char* out) noexcept;

namespace detail {

// The slow path of the inline functions: texts of more than 16 bytes, a point at the end, errors.
[[nodiscard]] Converted<Decimal> to_any_decimal(std::string_view text) noexcept;
[[nodiscard]] Converted<FixedPrice> to_any_fixed_price(std::string_view text) noexcept;
// The value of a text that to_any_decimal() reads.
[[nodiscard]] Decimal checked_any_decimal(std::string_view text) noexcept;

// Does not read as a whole what was written in two pieces, because that would wait until both have
// reached the cache.
template <class Value>
[[nodiscard, gnu::always_inline]] constexpr Value by_parts(const Value& value) noexcept {
  if constexpr (std::same_as<Value, Decimal>) {
    return Decimal{value.mantissa(), value.scale()};
  } else {
    return value;
  }
}

// The last byte of a vector. A point is before it.
inline constexpr std::size_t kLastByteOfVector = 15;
struct PointTables {
  // By the point's byte: ones where digits stay. Digits before the point move up by one byte.
  alignas(16) std::array<std::array<std::uint8_t, 16>, kLastByteOfVector> stay;
  // By the scale: 10^(8 - scale), 0 where scale is larger.
  std::array<std::int64_t, kLastByteOfVector + 1> units;
};
extern const PointTables kPointTables;

#if defined(__SSE2__)

struct ScaleAndMantissa {
  unsigned scale;
  std::int64_t mantissa;
};

// False: the text is no number, or the slow path reads it: with a sign, or longer than a vector.
//
// A number without a point has its own path: a field that is a quantity has none, and a field that
// is a price nearly always has one, so that processors predict which.
template <TextFront Front>
[[nodiscard, gnu::always_inline]] inline bool parse_decimal(std::string_view text,
                                                            ScaleAndMantissa& parsed) noexcept {
  if (text.size() - 1 >= kVectorBytes) [[unlikely]]
    return false;
  __m128i digits = digits_of(load_last_vector<Front>(text), text.size());
  const unsigned others = other_bits(digits);
  parsed.scale = 0;
  if (others != 0) {
    // One point, and not as the last byte: that would need another test for a digit.
    constexpr unsigned kLastBit = 1U << kLastByteOfVector;
    if ((others & ((others - 1) | kLastBit)) != 0) [[unlikely]]
      return false;
    const std::size_t point = lowest_bit(others);
    if (text[text.size() + point - kVectorBytes] != '.') [[unlikely]]
      return false;
    const void* const stay = kPointTables.stay[point].data();
    const __m128i moved = _mm_slli_si128(digits, 1);
    digits = _mm_xor_si128(moved, _mm_and_si128(_mm_xor_si128(moved, digits),
                                                _mm_load_si128(static_cast<const __m128i*>(stay))));
    parsed.scale = static_cast<unsigned>(kLastByteOfVector - point);
  }
  parsed.mantissa = static_cast<std::int64_t>(value_of_digits(digits));
  return true;
}

#endif

// Out of line, so that the rest of from_decimal() is small enough to be inlined.
[[nodiscard]] std::size_t store_any_decimal(char* out, Decimal value) noexcept;

// Any number of units of 10^-8.
[[nodiscard]] std::size_t store_large_units(char* out, std::uint64_t units) noexcept;

struct WholeAndFraction {
  char* point;  // where the point is
  EightDigits fraction;
};

// units < 10^16 of 10^-8: the whole part, a point and eight digits.
inline WholeAndFraction store_units(char* out, std::uint64_t units) noexcept {
  const std::uint64_t whole = units / kTenToThe8;
  const EightDigits fraction = eight_digits(static_cast<std::uint32_t>(units - whole * kTenToThe8));
  char* const point =
      out + store_without_leading_zeros(out, eight_digits(static_cast<std::uint32_t>(whole)));
  *point = '.';
  store_word(point + 1, fraction.text);
  return {point, fraction};
}

// mantissa < 10^8, scale < 8. Stores the digits once, and the digits after the point a second time,
// after a point that overwrites the digit before them.
[[nodiscard]] inline std::size_t store_short_decimal(char* out, std::uint32_t mantissa,
                                                     unsigned scale) noexcept {
  constexpr std::uint64_t kLastDigit = std::uint64_t{1} << 56U;
  constexpr unsigned kBitsPerByte = 8;
  const EightDigits digits = eight_digits(mantissa);
  const unsigned scale_bits = kBitsPerByte * scale;
  // Removes leading zeros, except the one directly before the point.
  const std::uint64_t stop = kLastDigit >> scale_bits;
  const auto zeros = static_cast<unsigned>(__builtin_ctzll(digits.values | stop)) / kBitsPerByte;
  store_word(out, digits.text >> (kBitsPerByte * zeros));
  const std::size_t count = kWordBytes - zeros;
  char* const point = out + (count - scale);
  store_word(point, digits.text >> (56U - scale_bits));
  *point = '.';
  return count + (scale != 0 ? 1 : 0);
}

}  // namespace detail

namespace detail {

// Inlined, because a result in memory would be written in pieces and read at once.
template <TextFront Front>
[[gnu::always_inline]] inline Converted<Decimal> inlined_decimal(std::string_view text) noexcept {
#if defined(__SSE2__)
  ScaleAndMantissa parsed;
  if (parse_decimal<Front>(text, parsed)) [[likely]]
    return Converted<Decimal>{std::in_place, parsed.mantissa, parsed.scale};
#endif
  return to_any_decimal(text);
}

// The value of a text that was checked before, without a result that has to be in memory.
template <TextFront Front>
[[nodiscard, gnu::always_inline]] inline Decimal checked_decimal(std::string_view text) noexcept {
#if defined(__SSE2__)
  ScaleAndMantissa parsed;
  if (parse_decimal<Front>(text, parsed)) [[likely]]
    return Decimal{parsed.mantissa, parsed.scale};
#endif
  return checked_any_decimal(text);
}

}  // namespace detail

template <TextFront Front>
Converted<Decimal> to_decimal(std::string_view text) noexcept {
  return detail::inlined_decimal<Front>(text);
}

template <TextFront Front>
Converted<FixedPrice> to_fixed_price(std::string_view text) noexcept {
#if defined(__SSE2__)
  detail::ScaleAndMantissa parsed;
  if (detail::parse_decimal<Front>(text, parsed)) [[likely]] {
    const std::int64_t factor = detail::kPointTables.units[parsed.scale];
    std::int64_t units = 0;
    if (factor != 0 && !__builtin_mul_overflow(parsed.mantissa, factor, &units)) [[likely]] {
      return FixedPrice::from_units(units);
    }
  }
#endif
  return detail::to_any_fixed_price(text);
}

inline std::size_t from_decimal(Decimal value, char* out) noexcept {
  const auto mantissa = static_cast<std::uint64_t>(value.mantissa());  // of a negative one, large
  if (mantissa < detail::kTenToThe8 && value.scale() < detail::kWordBytes) [[likely]] {
    return detail::store_short_decimal(out, static_cast<std::uint32_t>(mantissa), value.scale());
  }
  return detail::store_any_decimal(out, value);
}

inline std::size_t from_fixed_price(FixedPrice value, char* out) noexcept {
  char* text = out;
  auto units = static_cast<std::uint64_t>(value.units());
  if (value.units() < 0) [[unlikely]] {
    *text++ = '-';
    units = 0 - units;
  }
  if (units >= detail::kTenToThe16) [[unlikely]] {
    return static_cast<std::size_t>(text - out) + detail::store_large_units(text, units);
  }
  const auto [point, fraction] = detail::store_units(text, units);
  // Counts from the end, which is the high byte; counting from the low byte is the faster
  // instruction.
  const std::uint64_t from_end = __builtin_bswap64(fraction.values);
  const auto zero_bits = static_cast<std::size_t>(__builtin_ctzll(from_end | (1ULL << 63U)));
  const std::size_t significant = detail::kWordBytes - zero_bits / 8;
  return static_cast<std::size_t>(point - out) + (fraction.values != 0 ? 1 + significant : 0);
}

}  // namespace nexusfix::wire
