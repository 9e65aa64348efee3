// A price in units of 10^-8: one 64-bit integer, so that an order book compares, sorts and hashes
// prices as integers. Exact: a value that is not a multiple of 10^-8, or does not fit, is an error
// and never rounded. Decimal keeps the digits as they were sent; FixedPrice keeps only the value.
//
//   using namespace nexusfix::literals;
//   constexpr FixedPrice bid = 150.25_fp;               // too large a value does not compile
//   auto ask = checked_add(bid, 0.01_fp);               // 150.26, or nothing if it does not fit
//   auto cost = checked_multiply(bid, 300);             // 45075
//   auto parsed = FixedPrice::from_decimal(150.25_d);   // nothing if finer than 10^-8
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include <nexusfix/base/decimal.hpp>

namespace nexusfix {

// From -92233720368.54775808 to 92233720368.54775807. Any thread; a value type without invariants
// to break; no function allocates.
class FixedPrice {
 public:
  static constexpr unsigned kScale = 8;                      // digits after the point
  static constexpr std::int64_t kUnitsPerOne = 100'000'000;  // 10^kScale

  constexpr FixedPrice() noexcept = default;
  // units: multiples of 10^-8; every value is valid.
  [[nodiscard]] static constexpr FixedPrice from_units(std::int64_t units) noexcept {
    return FixedPrice{units};
  }
  // From a whole number; nothing if it is outside of the range above.
  [[nodiscard]] static constexpr std::optional<FixedPrice> from_int(std::int64_t value) noexcept {
    return checked_multiply(FixedPrice{kUnitsPerOne}, value);
  }
  // Nothing if value is outside of the range above or not a multiple of 10^-8.
  [[nodiscard]] static constexpr std::optional<FixedPrice> from_decimal(Decimal value) noexcept;

  [[nodiscard]] constexpr std::int64_t units() const noexcept { return units_; }
  [[nodiscard]] constexpr bool is_zero() const noexcept { return units_ == 0; }
  // The same value without trailing zeros: 150.25 has scale 2.
  [[nodiscard]] constexpr Decimal to_decimal() const noexcept;

  friend constexpr auto operator<=>(FixedPrice, FixedPrice) noexcept = default;

  // Exact, or nothing if the result does not fit.
  friend constexpr std::optional<FixedPrice> checked_add(FixedPrice a, FixedPrice b) noexcept {
    std::int64_t units = 0;
    if (__builtin_add_overflow(a.units_, b.units_, &units)) return std::nullopt;
    return FixedPrice{units};
  }
  friend constexpr std::optional<FixedPrice> checked_subtract(FixedPrice a, FixedPrice b) noexcept {
    std::int64_t units = 0;
    if (__builtin_sub_overflow(a.units_, b.units_, &units)) return std::nullopt;
    return FixedPrice{units};
  }
  // A price times a count: of lots, of ticks, of units held.
  friend constexpr std::optional<FixedPrice> checked_multiply(FixedPrice price,
                                                              std::int64_t count) noexcept {
    std::int64_t units = 0;
    if (__builtin_mul_overflow(price.units_, count, &units)) return std::nullopt;
    return FixedPrice{units};
  }
  // The negation of the smallest value does not fit.
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
  const std::optional<FixedPrice> price = FixedPrice::from_decimal(decimal_literal(text));
  if (!price) fixed_price_literal_does_not_fit();
  return price.value_or(FixedPrice{});
}

}  // namespace detail

namespace literals {

// 150.25_fp is 15'025'000'000 units. Digits, digit separators and one point only.
template <char... Characters>
consteval FixedPrice operator""_fp() {
  constexpr char text[] = {Characters...};
  return detail::fixed_price_literal(text);
}

}  // namespace literals

}  // namespace nexusfix

// Prices are keys of order books.
template <>
struct std::hash<nexusfix::FixedPrice> {
  std::size_t operator()(nexusfix::FixedPrice price) const noexcept {
    return std::hash<std::int64_t>{}(price.units());
  }
};
