// An exact decimal number, as FIX writes prices and quantities: mantissa / 10^scale. No floating
// point anywhere: 1234567.89 is sent as 1234567.89, and trailing zeros are kept.
#pragma once

#include <compare>
#include <cstdint>

namespace nexusfix {

class Decimal {
 public:
  static constexpr unsigned kScaleMax = 18;

  constexpr Decimal() noexcept = default;
  // scale: digits behind the point, 0 to kScaleMax (a larger one is a programmer's error).
  constexpr Decimal(std::int64_t mantissa, unsigned scale) noexcept
      : mantissa_{mantissa}, scale_{static_cast<std::uint8_t>(scale)} {}
  static constexpr Decimal from_int(std::int64_t value) noexcept { return {value, 0}; }

  [[nodiscard]] constexpr std::int64_t mantissa() const noexcept { return mantissa_; }
  [[nodiscard]] constexpr unsigned scale() const noexcept { return scale_; }
  [[nodiscard]] constexpr bool is_zero() const noexcept { return mantissa_ == 0; }

  // Compares values, not spellings: 1.50 == 1.5.
  friend constexpr std::strong_ordering operator<=>(Decimal a, Decimal b) noexcept {
    return static_cast<__int128>(a.mantissa_) * power_of_ten(b.scale_) <=>
           static_cast<__int128>(b.mantissa_) * power_of_ten(a.scale_);
  }
  friend constexpr bool operator==(Decimal a, Decimal b) noexcept { return (a <=> b) == 0; }

 private:
  static constexpr __int128 power_of_ten(unsigned exponent) noexcept {
    __int128 power = 1;
    while (exponent-- > 0) power *= 10;
    return power;
  }

  std::int64_t mantissa_ = 0;
  std::uint8_t scale_ = 0;
};

}  // namespace nexusfix
