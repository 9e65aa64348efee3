#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <nexusfix/wire/field_text.hpp>
#include <nexusfix/wire/text.hpp>

namespace nexusfix::wire {

std::string to_fixed(Decimal value, unsigned digits) {
  digits = std::min(digits, kFixedDigitsMax);
  if (digits >= value.scale()) {
    std::string text = nexusfix::to_string(value);
    if (value.scale() == 0 && digits > 0) text += '.';
    return text.append(digits - value.scale(), '0');
  }
  std::int64_t unit = 1;  // at most 10^18, which fits
  for (unsigned i = digits; i < value.scale(); ++i) unit *= 10;
  std::int64_t rounded = value.mantissa() / unit;
  const std::int64_t rest = value.mantissa() % unit;
  const std::uint64_t distance =
      rest < 0 ? 0 - static_cast<std::uint64_t>(rest) : static_cast<std::uint64_t>(rest);
  const auto half = static_cast<std::uint64_t>(unit) / 2;
  if (distance > half || (distance == half && rounded % 2 != 0)) {
    rounded += value.mantissa() < 0 ? -1 : 1;
  }
  return nexusfix::to_string(Decimal{rounded, digits});
}

namespace detail {
namespace {

// Fills a text up to the width of the format.
std::string padded(std::string text, const FixedFormat& format, char fill) {
  if (text.size() >= format.width) return text;
  const std::size_t missing = format.width - text.size();
  const std::size_t before = format.align == '<' ? 0 : format.align == '^' ? missing / 2 : missing;
  return text.insert(0, before, fill).append(missing - before, fill);
}

}  // namespace

std::string fixed_text(Decimal value, const FixedFormat& format) {
  std::string text =
      format.has_digits ? to_fixed(value, format.digits) : nexusfix::to_string(value);
  if (format.sign != '-' && !text.starts_with('-')) text.insert(text.begin(), format.sign);
  if (format.fill != '0' || format.align != '>') {
    return padded(std::move(text), format, format.fill);
  }
  // The zeros of {:010.2f} come after the sign.
  const std::size_t signs = text.starts_with('-') || format.sign != '-' ? 1 : 0;
  if (text.size() < format.width) text.insert(signs, format.width - text.size(), '0');
  return text;
}

std::string fixed_text(std::string text, const FixedFormat& format) {
  return padded(std::move(text), format, format.fill == '0' ? ' ' : format.fill);
}

}  // namespace detail
}  // namespace nexusfix::wire
