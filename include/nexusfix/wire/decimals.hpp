// Text of FIX float (Price, Qty, Amt, Percentage) and the exact numbers that it means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/base/fixed_price.hpp>
#include <nexusfix/wire/converted.hpp>
#include <nexusfix/wire/digits.hpp>
#include <nexusfix/wire/integers.hpp>

namespace nexusfix::wire {

// FIX float (Price, Qty, Amt): optional minus, digits with at most one point; at least one digit;
// no exponent. OutOfRange if the digits do not fit in 64 bits, or more than 18 follow the point.
[[nodiscard]] Converted<Decimal> to_decimal(std::string_view text) noexcept;

// Each writes to out and returns the bytes of the text. All kDecimalBytesMax bytes of out may be
// overwritten, whatever the length of the text. No allocation; any thread.
inline constexpr std::size_t kDecimalBytesMax = 24;
// As many digits behind the point as value has, zeros included.
inline std::size_t from_decimal(Decimal value, char* out) noexcept;
// No zeros at the end, and no point behind a whole number.
inline std::size_t from_fixed_price(FixedPrice value, char* out) noexcept;

namespace detail {

// scale <= 18; any mantissa.
[[nodiscard]] std::size_t store_long_decimal(char* out, std::uint64_t mantissa,
                                             unsigned scale) noexcept;

// units of 10^-8; any number of them.
[[nodiscard]] std::size_t store_large_units(char* out, std::uint64_t units) noexcept;

struct WholeAndFraction {
  char* point;  // where the point is
  EightDigits fraction;
};

// units < 10^16 of 10^-8: the whole part, a point and eight digits.
inline WholeAndFraction store_units(char* out, std::uint64_t units) noexcept {
  const std::uint64_t whole = units / kTenToThe8;
  const SixteenDigits digits = sixteen_digits(whole, units - whole * kTenToThe8);
  char* const point = out + store_without_leading_zeros(out, digits.front);
  *point = '.';
  store_word(point + 1, digits.back.text);
  return {point, digits.back};
}

// mantissa < 10^8, scale < 8: the digits once, then those behind the point once more.
[[nodiscard]] inline std::size_t store_short_decimal(char* out, std::uint32_t mantissa,
                                                     unsigned scale) noexcept {
  const EightDigits digits = eight_digits(mantissa);
  // Zeros in front go, but for the one right before the point.
  constexpr unsigned kLastDigitBits = 56;
  const std::uint64_t stop = std::uint64_t{1} << (kLastDigitBits - 8 * scale);
  const auto zero_bits = static_cast<unsigned>(__builtin_ctzll(digits.values | stop)) & 0x38U;
  store_word(out, digits.text >> zero_bits);
  char* const point = out + (kWordBytes - zero_bits / 8 - scale);
  *point = '.';
  store_word(point + 1, digits.text >> ((0U - 8 * scale) & 63U));
  return static_cast<std::size_t>(point - out) + scale + (scale != 0 ? 1 : 0);
}

}  // namespace detail

inline std::size_t from_decimal(Decimal value, char* out) noexcept {
  char* text = out;
  auto mantissa = static_cast<std::uint64_t>(value.mantissa());
  if (value.mantissa() < 0) [[unlikely]] {
    *text++ = '-';
    mantissa = 0 - mantissa;
  }
  const unsigned scale = value.scale();
  std::size_t bytes = 0;
  if (mantissa < detail::kTenToThe8 && scale < detail::kWordBytes) [[likely]] {
    bytes = detail::store_short_decimal(text, static_cast<std::uint32_t>(mantissa), scale);
  } else if (scale <= FixedPrice::kScale &&
             mantissa < detail::kPowersOfTen[FixedPrice::kScale + scale]) {
    const std::uint64_t units = mantissa * detail::kPowersOfTen[FixedPrice::kScale - scale];
    bytes = static_cast<std::size_t>(detail::store_units(text, units).point - text) + scale +
            (scale != 0 ? 1 : 0);
  } else {
    bytes = detail::store_long_decimal(text, mantissa, scale);
  }
  return static_cast<std::size_t>(text - out) + bytes;
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
  const auto zero_bits = static_cast<std::size_t>(__builtin_clzll(fraction.values | 1));
  const std::size_t significant = detail::kWordBytes - zero_bits / 8;
  return static_cast<std::size_t>(point - out) + (fraction.values != 0 ? 1 + significant : 0);
}

}  // namespace nexusfix::wire
