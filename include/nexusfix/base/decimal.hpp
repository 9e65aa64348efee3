// An exact decimal number, as FIX writes prices and quantities: mantissa / 10^scale. No floating
// point: 1234567.89 is sent as 1234567.89, and trailing zeros are kept.
//
//   using namespace nexusfix::literals;
//   constexpr Decimal price = 150.25_d;            // exact; too many digits do not compile
//   const auto total = 300 * price + 0.75_d;       // 45075.75, or the error that it does not fit
//   if (total && *total > 1'000'000) ...
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

namespace detail {

// A character type.
template <class T>
concept Character = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
                    std::same_as<T, char16_t> || std::same_as<T, char32_t>;

// Not constexpr, so that a call during the evaluation of a literal is the compiler's error message.
inline void decimal_literal_must_be_digits_with_at_most_one_point() {}
inline void decimal_literal_does_not_fit() {}

}  // namespace detail

// A signed or unsigned integer type, but neither bool nor a character type.
template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool> && !detail::Character<T>;

// mantissa / 10^scale, with a mantissa of 64 bits and a scale of 0 to kScaleMax. A value of 16
// bytes. No function allocates.
class Decimal {
 public:
  // The highest number of digits after the point.
  static constexpr unsigned kScaleMax = 18;

  // Zero, with scale 0.
  constexpr Decimal() noexcept = default;
  // mantissa / 10^scale. scale: digits after the point, 0 to kScaleMax; the caller ensures it.
  constexpr Decimal(std::int64_t mantissa, unsigned scale) noexcept
      : mantissa_{mantissa}, scale_{scale} {}
  // Does not compile: a floating-point number is not exact, and a text is a literal.
  template <class Other>
    requires std::is_arithmetic_v<Other> || std::is_array_v<Other> ||
             requires { typename Other::traits_type; }
  constexpr explicit Decimal(const Other&) noexcept {
    static_assert(!std::same_as<Other, Other>,
                  "write 150.25_d with namespace nexusfix::literals, or Decimal::from_int(150): "
                  "wire::convert<Decimal>(text) reads a text at run time");
  }
  // A whole number, with scale 0.
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

  // All digits as one number: 15025 for 150.25. Negative for negative values.
  [[nodiscard]] constexpr std::int64_t mantissa() const noexcept { return mantissa_; }
  // The number of digits after the point: 2 for 150.25.
  [[nodiscard]] constexpr unsigned scale() const noexcept { return static_cast<unsigned>(scale_); }
  // Whether the value is zero, with any scale.
  [[nodiscard]] constexpr bool is_zero() const noexcept { return mantissa_ == 0; }

  // Compares values, not digits: 1.50 == 1.5.
  friend constexpr std::strong_ordering operator<=>(Decimal a, Decimal b) noexcept {
    return a.mantissa_ * power_of_ten(b.scale()) <=> b.mantissa_ * power_of_ten(a.scale());
  }
  // Whether the values are equal, whatever their scales: 1.50 == 1.5.
  friend constexpr bool operator==(Decimal a, Decimal b) noexcept { return (a <=> b) == 0; }

  // Compares with a whole number.
  template <WholeNumber Number>
  friend constexpr std::strong_ordering operator<=>(Decimal a, Number b) noexcept {
    return a.mantissa_ <=> Wide{b} * power_of_ten(a.scale());
  }
  // Compares with a whole number.
  template <WholeNumber Number>
  friend constexpr bool operator==(Decimal a, Number b) noexcept {
    return (a <=> b) == 0;
  }

  // Do not compile: a floating-point number is not exact.
  template <std::floating_point Number>
  friend constexpr bool operator==(Decimal, Number) noexcept {
    static_assert(!std::same_as<Number, Number>,
                  "a price or a quantity is exact: write 1.5_d with namespace nexusfix::literals");
    return false;
  }
  // As for ==.
  template <std::floating_point Number>
  friend constexpr std::strong_ordering operator<=>(Decimal, Number) noexcept {
    static_assert(!std::same_as<Number, Number>,
                  "a price or a quantity is exact: write 1.5_d with namespace nexusfix::literals");
    return std::strong_ordering::equal;
  }

  // a + b, exact and with the larger of the two scales. Unset: the mantissa of the sum does not fit
  // into 64 bits.
  friend constexpr std::optional<Decimal> checked_add(Decimal a, Decimal b) noexcept {
    return aligned(a, b, 1);
  }
  // a - b, exact and with the larger of the two scales. Unset: the mantissa of the difference does
  // not fit into 64 bits.
  friend constexpr std::optional<Decimal> checked_subtract(Decimal a, Decimal b) noexcept {
    return aligned(a, b, -1);
  }

  // a * b, exact. Trailing zeros of the product are dropped only where it fits without them, and no
  // other digit is ever dropped. Unset: the product has more than 64 bits or kScaleMax digits after
  // the point.
  friend constexpr std::optional<Decimal> checked_multiply(Decimal a, Decimal b) noexcept {
    Wide product = Wide{a.mantissa_} * b.mantissa_;
    unsigned scale = a.scale() + b.scale();
    for (; !(fits(product) && scale <= kScaleMax); --scale) {
      if (scale == 0 || product % 10 != 0) return std::nullopt;
      product /= 10;
    }
    return Decimal{static_cast<std::int64_t>(product), scale};
  }

  // The value with this number of digits after the point: see round_to(). Unset: digits is above
  // kScaleMax, or the mantissa does not fit into 64 bits.
  friend constexpr std::optional<Decimal> checked_round(Decimal value, unsigned digits) noexcept {
    if (digits > kScaleMax) return std::nullopt;
    Wide mantissa = value.mantissa_;
    if (digits >= value.scale()) {
      mantissa *= power_of_ten(digits - value.scale());
    } else {
      const Wide divisor = power_of_ten(value.scale() - digits);
      const Wide rest = mantissa % divisor;
      mantissa /= divisor;
      const Wide doubled = rest < 0 ? -2 * rest : 2 * rest;
      if (doubled > divisor || (doubled == divisor && mantissa % 2 != 0)) {
        mantissa += rest < 0 ? -1 : 1;
      }
    }
    if (!fits(mantissa)) return std::nullopt;
    return Decimal{static_cast<std::int64_t>(mantissa), digits};
  }

 private:
  // 64 by 64 bits never overflow it: 2^63 * 10^18 < 2^127. The extension marker silences -Wpedantic
  // about a type that ISO C++ does not have.
  __extension__ using Wide = __int128;

  static constexpr bool fits(Wide mantissa) noexcept {
    return mantissa <= std::numeric_limits<std::int64_t>::max() &&
           mantissa >= std::numeric_limits<std::int64_t>::min();
  }
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
    if (!fits(sum)) return std::nullopt;
    return Decimal{static_cast<std::int64_t>(sum), scale};
  }

  std::int64_t mantissa_ = 0;
  // As wide as a register: a read of one stored byte together with the padding after it would wait
  // until the byte has reached the cache.
  std::uint64_t scale_ = 0;
};

namespace detail {

// A field of a price or a quantity.
template <class T>
concept DecimalField = requires(const T& field) {
  T::kTag;
  requires std::same_as<decltype(T::value), Decimal>;
};

}  // namespace detail

// The result of + - and * with prices and quantities: a Decimal, or the error that some result did
// not fit. The error stays: 300 * price + fee is an error if the product is one. Test it, and then
// use *result. It does not compare and does not become a field before that, because a limit that an
// overflow passes is worse than no limit. A value of 24 bytes.
//
//   const auto notional = order.order_qty() * price;
//   if (!notional || *notional > limit) return business_reject(kOther, tag::OrderQty, "too large");
class [[nodiscard]] CheckedDecimal {
 public:
  // A result that fits.
  explicit(false) constexpr CheckedDecimal(Decimal value) noexcept : value_{value} {}
  // A whole number; an error above 2^63 - 1.
  template <WholeNumber Number>
  explicit(false) constexpr CheckedDecimal(Number number) noexcept {
    if (std::in_range<std::int64_t>(number))
      value_ = Decimal::from_int(static_cast<std::int64_t>(number));
  }
  // The value of a field: fix44::OrderQty.
  template <detail::DecimalField Field>
  explicit(false) constexpr CheckedDecimal(const Field& field) noexcept : value_{field.value} {}
  // Does not compile: 0.1 has no exact value.
  template <std::floating_point Number>
  explicit(false) constexpr CheckedDecimal(Number) noexcept {
    static_assert(!std::same_as<Number, Number>,
                  "a price or a quantity is exact: write 1.5_d with namespace nexusfix::literals");
  }
  // Does not compile: the getter of an optional field is tested before its value is used.
  template <class Optional>
    requires detail::DecimalField<typename Optional::value_type>
  explicit(false) constexpr CheckedDecimal(const Optional&) noexcept {
    static_assert(!std::same_as<Optional, Optional>,
                  "the field may be missing: test it, and then use *field");
  }
  // The result of checked_add() and its like; unset is the error.
  constexpr explicit CheckedDecimal(std::optional<Decimal> value) noexcept : value_{value} {}

  // Whether the result fits.
  [[nodiscard]] constexpr bool has_value() const noexcept { return value_.has_value(); }
  // Whether there is a value: if (const auto left = order_qty - cum_qty) ...
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return has_value(); }
  // The result. Ends the program if it does not fit: the caller tests that before.
  [[nodiscard]] constexpr const Decimal& operator*() const noexcept {
    NEXUSFIX_ASSERT(value_.has_value());
    return *value_;
  }
  // Its members; see operator*.
  [[nodiscard]] constexpr const Decimal* operator->() const noexcept { return &**this; }
  // Does not compile: `OrderQty open = total - done;` would forget that the result may not fit.
  template <class Value>
    requires(std::is_same_v<Value, Decimal> || detail::DecimalField<Value>)
  operator Value() const {  // NOLINT(google-explicit-constructor): its message is the error
    static_assert(!std::is_same_v<Value, Value>,
                  "the result may not fit: test it, and then use *result, or value_or(0)");
    std::unreachable();
  }
  // The result, or other if it does not fit.
  [[nodiscard]] constexpr Decimal value_or(Decimal other) const noexcept {
    return value_.value_or(other);
  }

  // Do not compile: an overflow would pass each of these tests or fail each of them.
  template <class Other>
  friend constexpr bool operator==(const CheckedDecimal&, const Other&) noexcept {
    static_assert(!std::same_as<Other, Other>,
                  "the result may not fit: test it, and then use *result");
    return false;
  }
  // As for ==.
  template <class Other>
  friend constexpr bool operator<=>(const CheckedDecimal&, const Other&) noexcept {
    static_assert(!std::same_as<Other, Other>,
                  "the result may not fit: test it, and then use *result");
    return false;
  }

 private:
  std::optional<Decimal> value_;
};

// The operand of + - and *: a Decimal, a whole number, a price or a quantity, or another result.
constexpr CheckedDecimal operator+(CheckedDecimal a, CheckedDecimal b) noexcept {
  return a && b ? CheckedDecimal{checked_add(*a, *b)} : CheckedDecimal{std::nullopt};
}
// The difference, exact, with the larger of the two scales.
constexpr CheckedDecimal operator-(CheckedDecimal a, CheckedDecimal b) noexcept {
  return a && b ? CheckedDecimal{checked_subtract(*a, *b)} : CheckedDecimal{std::nullopt};
}
// The product, exact: 100 * 150.25 is 15025.00.
constexpr CheckedDecimal operator*(CheckedDecimal a, CheckedDecimal b) noexcept {
  return a && b ? CheckedDecimal{checked_multiply(*a, *b)} : CheckedDecimal{std::nullopt};
}
// The negative value; an error for the lowest mantissa.
constexpr CheckedDecimal operator-(CheckedDecimal a) noexcept { return CheckedDecimal{0} - a; }
// The value without its sign, also of a field: abs(a.leaves_qty() - b.leaves_qty()). An error for
// the lowest mantissa.
constexpr CheckedDecimal abs(CheckedDecimal a) noexcept { return a && *a < 0 ? -a : a; }

namespace detail {

CheckedDecimal round_double(double value, unsigned digits) noexcept;

}  // namespace detail

// The value with exactly this number of digits after the point, 0 to Decimal::kScaleMax, such as
// those of the instrument's prices: round_to(150.2_d, 3) is sent as 150.200. Digits that are too
// many are rounded to the nearest, a tie to the even digit: 0.125 and 0.115 become 0.12. An error:
// more than kScaleMax digits, a mantissa of more than 64 bits, or a value that is an error.
//
//   const auto price = round_to(total * 3, instrument.digits);
//   if (price) order.set(fix44::Price{*price});
constexpr CheckedDecimal round_to(CheckedDecimal value, unsigned digits) noexcept {
  return value ? CheckedDecimal{checked_round(*value, digits)} : value;
}
// The number that is nearest to a double, which a program may have from elsewhere:
// nexusfix::round_to(150.25, 2). The double's exact value is rounded, as above: that of 0.145 lies
// below 0.145 and becomes 0.14. An error, too: infinite, or not a number.
template <std::floating_point Number>
CheckedDecimal round_to(Number value, unsigned digits) noexcept {
  return detail::round_double(static_cast<double>(value), digits);
}

namespace detail {

// A decimal number, a field of one, or the getter's result of an optional field.
template <class T>
concept DecimalOperand = std::same_as<T, Decimal> || std::same_as<T, CheckedDecimal> ||
                         DecimalField<T> || DecimalField<typename T::value_type>;
template <class A, class B>
concept DecimalOperands =
    (DecimalOperand<A> || DecimalOperand<B>) && std::convertible_to<const A&, CheckedDecimal> &&
    std::convertible_to<const B&, CheckedDecimal>;

}  // namespace detail

// Operators for each pair of operands. They match better than the operators of double, to which the
// types have a deleted conversion.
template <class A, class B>
  requires detail::DecimalOperands<A, B>
constexpr CheckedDecimal operator+(const A& a, const B& b) noexcept {
  return CheckedDecimal{a} + CheckedDecimal{b};
}
// The difference.
template <class A, class B>
  requires detail::DecimalOperands<A, B>
constexpr CheckedDecimal operator-(const A& a, const B& b) noexcept {
  return CheckedDecimal{a} - CheckedDecimal{b};
}
// The product.
template <class A, class B>
  requires detail::DecimalOperands<A, B>
constexpr CheckedDecimal operator*(const A& a, const B& b) noexcept {
  return CheckedDecimal{a} * CheckedDecimal{b};
}
// Does not compile: nothing is rounded here.
template <class A, class B>
  requires detail::DecimalOperands<A, B>
constexpr CheckedDecimal operator/(const A&, const B&) noexcept {
  static_assert(!std::same_as<A, A>,
                "a quotient is rounded, by a rule of yours: an average of fills is "
                "FixedPrice::from_units(notional.units() / shares)");
  return 0;
}
// The negative value.
template <detail::DecimalOperand Field>
constexpr CheckedDecimal operator-(const Field& field) noexcept {
  return -CheckedDecimal{field};
}
// The value without its sign.
template <detail::DecimalOperand Field>
constexpr CheckedDecimal abs(const Field& field) noexcept {
  return abs(CheckedDecimal{field});
}

namespace literals {

// A Decimal with the digits of the literal: 150.25_d has mantissa 15025 and scale 2. Only digits,
// digit separators and one point. Anything else, or too many digits, does not compile.
template <char... Characters>
consteval Decimal operator""_d() {
  constexpr char text[] = {Characters...};
  return Decimal::from_literal(text);
}

}  // namespace literals

// A price in units of 10^-8: one 64-bit integer, so that an order book compares, sorts and hashes
// prices as integers. Exact: a value that is not a multiple of 10^-8, or does not fit, is an error
// and never rounded. Decimal keeps the digits as they were sent; FixedPrice keeps only the value.
//
//   using namespace nexusfix::literals;
//   constexpr FixedPrice bid = 150.25_fp;               // too large a value does not compile
//   auto ask = checked_add(bid, 0.01_fp);               // 150.26, or unset if it does not fit
//   auto cost = checked_multiply(bid, 300);             // 45075
//   auto parsed = FixedPrice::from_decimal(150.25_d);   // unset if finer than 10^-8

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
