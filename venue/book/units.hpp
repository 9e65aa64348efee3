// Prices and quantities in the book: whole numbers of 10^-8, so that a comparison or a subtraction
// is exact and a single instruction.
#pragma once

#include <cstdint>
#include <optional>

#include <nexusfix/base/decimal.hpp>

namespace nexusfix::venue {

// A number of 10^-kUnitsScale, up to about ±92 billion.
using Units = std::int64_t;
inline constexpr unsigned kUnitsScale = 8;
inline constexpr Units kUnitsPerOne = 100'000'000;

// Sums of price × quantity, in 10^-16: two Units multiplied always fit.
__extension__ typedef __int128 Notional;  // __extension__: -Wpedantic does not know the type

// Nothing if the value has more than 8 significant decimals, or is too large.
[[nodiscard]] std::optional<Units> to_units(Decimal value) noexcept;
// Exact, without trailing zeros: 100.50000000 is written 100.5.
[[nodiscard]] Decimal to_decimal(Units value) noexcept;
// notional / quantity, rounded to the nearest unit, halves away from zero; 0 if quantity is 0.
[[nodiscard]] Units average_price(Notional notional, Units quantity) noexcept;

}  // namespace nexusfix::venue
