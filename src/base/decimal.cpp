#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

#include <nexusfix/base/decimal.hpp>

namespace nexusfix::detail {

CheckedDecimal round_double(double value, unsigned digits) noexcept {
  constexpr double kBound = 1e19;  // more than any mantissa; not a number fails the test, too
  if (!(std::fabs(value) < kBound) || digits > Decimal::kScaleMax) {
    return CheckedDecimal{std::nullopt};
  }
  // Exact: std::to_chars() rounds the double's own value, with all of its digits.
  std::array<char, 48> text{};  // a sign, 19 digits, the point, 18 digits
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value,
                                     std::chars_format::fixed, static_cast<int>(digits));
  const auto end = std::remove(text.data(), written.ptr, '.');
  std::int64_t mantissa = 0;
  const auto read = std::from_chars(text.data(), end, mantissa);
  if (read.ec != std::errc{}) return CheckedDecimal{std::nullopt};
  return Decimal{mantissa, digits};
}

}  // namespace nexusfix::detail
