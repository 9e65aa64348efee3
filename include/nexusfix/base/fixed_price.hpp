// A price in units of 10^-8: one 64-bit integer, so that an order book compares, sorts and hashes
// prices as integers. Exact: a value that is not a multiple of 10^-8, or does not fit, is an error
// and never rounded. Decimal keeps the digits as they were sent; FixedPrice keeps only the value.
//
//   using namespace nexusfix::literals;
//   constexpr FixedPrice bid = 150.25_fp;               // too large a value does not compile
//   auto ask = checked_add(bid, 0.01_fp);               // 150.26, or unset if it does not fit
//   auto cost = checked_multiply(bid, 300);             // 45075
//   auto parsed = FixedPrice::from_decimal(150.25_d);   // unset if finer than 10^-8
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include <nexusfix/base/decimal.hpp>

namespace nexusfix {

// A price from -92233720368.54775808 to 92233720368.54775807, in units of 10^-8. A value of 8
// bytes. No function allocates.
class FixedPrice {
 public:
  static constexpr unsigned kScale = 8;                      // the number of digits after the point
  static constexpr std::int64_t kUnitsPerOne = 100'000'000;  // the units of the price 1

  // Zero.
  constexpr FixedPrice() noexcept = default;
  // Does not compile: the value may not fit, and a floating-point number is not exact.
  template <class Other>
    requires(std::is_arithmetic_v<Other> && !std::same_as<Other, std::int64_t>) ||
            detail::DecimalOperand<Other> || std::is_array_v<Other>
  constexpr explicit FixedPrice(const Other&) noexcept {
    static_assert(!std::same_as<Other, Other>,
                  "write 150.25_fp with namespace nexusfix::literals; a price at run time may not "
                  "fit: FixedPrice::from_decimal(price), tested");
  }
  // units: multiples of 10^-8; every value is valid.
  [[nodiscard]] static constexpr FixedPrice from_units(std::int64_t units) noexcept {
    return FixedPrice{units};
  }
  // From a whole number. Unset: it is outside of the range above.
  [[nodiscard]] static constexpr std::optional<FixedPrice> from_int(std::int64_t value) noexcept {
    return checked_multiply(FixedPrice{kUnitsPerOne}, value);
  }
  // From a Decimal with the same value. Unset: it is outside of the range above, or not a multiple
  // of 10^-8.
  [[nodiscard]] static constexpr std::optional<FixedPrice> from_decimal(Decimal value) noexcept;

  // The price in units of 10^-8.
  [[nodiscard]] constexpr std::int64_t units() const noexcept { return units_; }
  // Whether the price is zero.
  [[nodiscard]] constexpr bool is_zero() const noexcept { return units_ == 0; }
  // The value as a Decimal without trailing zeros: 150.25 has scale 2. Always fits.
  [[nodiscard]] constexpr Decimal to_decimal() const noexcept;

  // Compares the prices, as integers.
  friend constexpr auto operator<=>(FixedPrice, FixedPrice) noexcept = default;

  // a + b, exact. Unset: the sum does not fit.
  friend constexpr std::optional<FixedPrice> checked_add(FixedPrice a, FixedPrice b) noexcept {
    std::int64_t units = 0;
    if (__builtin_add_overflow(a.units_, b.units_, &units)) return std::nullopt;
    return FixedPrice{units};
  }
  // a - b, exact. Unset: the difference does not fit.
  friend constexpr std::optional<FixedPrice> checked_subtract(FixedPrice a, FixedPrice b) noexcept {
    std::int64_t units = 0;
    if (__builtin_sub_overflow(a.units_, b.units_, &units)) return std::nullopt;
    return FixedPrice{units};
  }
  // A price times a number of lots, of ticks or of units held, exact. Unset: the product does not
  // fit.
  friend constexpr std::optional<FixedPrice> checked_multiply(FixedPrice price,
                                                              std::int64_t count) noexcept {
    std::int64_t units = 0;
    if (__builtin_mul_overflow(price.units_, count, &units)) return std::nullopt;
    return FixedPrice{units};
  }
  // -price. Unset: price is the lowest one, whose negation does not fit.
  friend constexpr std::optional<FixedPrice> checked_negate(FixedPrice price) noexcept {
    return checked_subtract(FixedPrice{}, price);
  }

 private:
  explicit constexpr FixedPrice(std::int64_t units) noexcept : units_{units} {}

  std::int64_t units_ = 0;
};

constexpr std::optional<FixedPrice> FixedPrice::from_decimal(Decimal value) noexcept {
  std::int64_t units = value.mantissa();
  unsigned scale = value.scale();
  for (; scale > kScale; --scale) {
    if (units % 10 != 0) return std::nullopt;
    units /= 10;
  }
  for (; scale < kScale; ++scale) {
    if (__builtin_mul_overflow(units, std::int64_t{10}, &units)) return std::nullopt;
  }
  return FixedPrice{units};
}

constexpr Decimal FixedPrice::to_decimal() const noexcept {
  std::int64_t mantissa = units_;
  unsigned scale = kScale;
  for (; scale > 0 && mantissa % 10 == 0; --scale) mantissa /= 10;
  return {mantissa, scale};
}

namespace detail {

// Not constexpr, so that a call during the evaluation of a literal is the compiler's error message.
inline void fixed_price_literal_does_not_fit() {}

template <std::size_t Size>
consteval FixedPrice fixed_price_literal(const char (&text)[Size]) {
  const std::optional<FixedPrice> price = FixedPrice::from_decimal(Decimal::from_literal(text));
  if (!price) fixed_price_literal_does_not_fit();
  return price.value_or(FixedPrice{});
}

}  // namespace detail

namespace literals {

// A FixedPrice with the value of the literal: 150.25_fp is 15'025'000'000 units. Only digits, digit
// separators and one point. Anything else, or a value that does not fit, does not compile.
template <char... Characters>
consteval FixedPrice operator""_fp() {
  constexpr char text[] = {Characters...};
  return detail::fixed_price_literal(text);
}

}  // namespace literals

}  // namespace nexusfix

// The hash of a price, because prices are keys of order books.
template <>
struct std::hash<nexusfix::FixedPrice> {
  // The hash of the units.
  std::size_t operator()(nexusfix::FixedPrice price) const noexcept {
    return std::hash<std::int64_t>{}(price.units());
  }
};
