// An exact decimal number, as FIX writes prices and quantities: mantissa / 10^scale. No floating
// point: 1234567.89 is sent as 1234567.89, and trailing zeros are kept.
//
//   using namespace nexusfix::literals;
//   constexpr Decimal price = 150.25_d;            // exact; too many digits do not compile
//   auto total = checked_add(price, 0.750_d);      // 151.000, or nothing if it does not fit
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

namespace detail {

// Not constexpr, so that a call during the evaluation of a literal is the compiler's error message.
inline void decimal_literal_must_be_digits_with_at_most_one_point() {}
inline void decimal_literal_does_not_fit() {}

}  // namespace detail

// Any thread; a value type without invariants to break; no function allocates.
class Decimal {
 public:
  static constexpr unsigned kScaleMax = 18;

  constexpr Decimal() noexcept = default;
  // scale: digits after the point, 0 to kScaleMax (a larger one is a programmer's error).
  constexpr Decimal(std::int64_t mantissa, unsigned scale) noexcept
      : mantissa_{mantissa}, scale_{scale} {}
  static constexpr Decimal from_int(std::int64_t value) noexcept { return {value, 0}; }
  // "-150.25": a sign, digits, digit separators (1'000) and one point; anything else does not
  // compile. A text at run time is read by wire::convert<Decimal>().
  template <std::size_t Size>
  [[nodiscard]] static consteval Decimal from_literal(const char (&text)[Size]) {
    std::int64_t mantissa = 0;
    unsigned scale = 0;
    bool has_digit = false;
    bool after_point = false;
    const bool is_negative = text[0] == '-';
    for (std::size_t i = is_negative ? 1 : 0; i < Size && text[i] != '\0'; ++i) {
      const char c = text[i];
      if (c == '\'') continue;
      if (c == '.' && !after_point) {
        after_point = true;
        continue;
      }
      if (c < '0' || c > '9') detail::decimal_literal_must_be_digits_with_at_most_one_point();
      if (mantissa > (std::numeric_limits<std::int64_t>::max() - (c - '0')) / 10) {
        detail::decimal_literal_does_not_fit();
      }
      has_digit = true;
      mantissa = mantissa * 10 + (c - '0');
      if (after_point && ++scale > kScaleMax) detail::decimal_literal_does_not_fit();
    }
    if (!has_digit) detail::decimal_literal_must_be_digits_with_at_most_one_point();
    return {is_negative ? -mantissa : mantissa, scale};
  }

  [[nodiscard]] constexpr std::int64_t mantissa() const noexcept { return mantissa_; }
  [[nodiscard]] constexpr unsigned scale() const noexcept { return static_cast<unsigned>(scale_); }
  [[nodiscard]] constexpr bool is_zero() const noexcept { return mantissa_ == 0; }

  // Compares values, not spellings: 1.50 == 1.5.
  friend constexpr std::strong_ordering operator<=>(Decimal a, Decimal b) noexcept {
    return a.mantissa_ * power_of_ten(b.scale()) <=> b.mantissa_ * power_of_ten(a.scale());
  }
  friend constexpr bool operator==(Decimal a, Decimal b) noexcept { return (a <=> b) == 0; }

  // The sum or the difference, with the larger of the two scales; nothing if that mantissa does not
  // fit into 64 bits. The result is exact and never rounded.
  friend constexpr std::optional<Decimal> checked_add(Decimal a, Decimal b) noexcept {
    return aligned(a, b, 1);
  }
  friend constexpr std::optional<Decimal> checked_subtract(Decimal a, Decimal b) noexcept {
    return aligned(a, b, -1);
  }

 private:
  // 64 by 64 bits never overflow it: 2^63 * 10^18 < 2^127. The extension marker silences -Wpedantic
  // about a type that ISO C++ does not have.
  __extension__ using Wide = __int128;

  static constexpr Wide power_of_ten(unsigned exponent) noexcept {
    Wide power = 1;
    while (exponent-- > 0) power *= 10;
    return power;
  }

  static constexpr std::optional<Decimal> aligned(Decimal a, Decimal b, int sign) noexcept {
    const unsigned scale = a.scale() > b.scale() ? a.scale() : b.scale();
    const Wide left = a.mantissa_ * power_of_ten(scale - a.scale());
    const Wide right = b.mantissa_ * power_of_ten(scale - b.scale());
    const Wide sum = sign > 0 ? left + right : left - right;
    if (sum > std::numeric_limits<std::int64_t>::max() ||
        sum < std::numeric_limits<std::int64_t>::min()) {
      return std::nullopt;
    }
    return Decimal{static_cast<std::int64_t>(sum), scale};
  }

  std::int64_t mantissa_ = 0;
  // As wide as a register: a read of one stored byte together with the padding after it would wait
  // until the byte has reached the cache.
  std::uint64_t scale_ = 0;
};

namespace literals {

// 150.25_d is mantissa 15025, scale 2. Digits, digit separators and one point only.
template <char... Characters>
consteval Decimal operator""_d() {
  constexpr char text[] = {Characters...};
  return Decimal::from_literal(text);
}

}  // namespace literals

}  // namespace nexusfix
