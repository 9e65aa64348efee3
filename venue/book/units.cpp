#include "venue/book/units.hpp"

#include <limits>

namespace nexusfix::venue {

std::optional<Units> to_units(Decimal value) noexcept {
  Notional units = value.mantissa();
  for (unsigned scale = value.scale(); scale < kUnitsScale; ++scale) units *= 10;
  for (unsigned scale = value.scale(); scale > kUnitsScale; --scale) {
    if (units % 10 != 0) return std::nullopt;
    units /= 10;
  }
  if (units > std::numeric_limits<Units>::max() || units < -std::numeric_limits<Units>::max()) {
    return std::nullopt;
  }
  return static_cast<Units>(units);
}

Decimal to_decimal(Units value) noexcept {
  if (value % kUnitsPerOne == 0) return {value / kUnitsPerOne, 0};
  unsigned scale = kUnitsScale;
  while (value % 10 == 0) {
    value /= 10;
    --scale;
  }
  return {value, scale};
}

Units average_price(Notional notional, Units quantity) noexcept {
  if (quantity == 0) return 0;
  const Notional half = (notional < 0 ? -quantity : quantity) / 2;
  return static_cast<Units>((notional + half) / quantity);
}

}  // namespace nexusfix::venue
