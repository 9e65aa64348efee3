#include <limits>
#include <optional>

#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/convert.hpp>

#include "wire/digits.hpp"

namespace nexusfix::wire {

namespace {

constexpr std::uint64_t kInt64Max =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
// Every number with at most this many digits fits into 64 bits, so the loop needs no check.
constexpr std::size_t kDigitsAlwaysFit = 18;

[[nodiscard]] std::unexpected<FieldErrorCode> failure(FieldErrorCode code) noexcept {
  return std::unexpected{code};
}

struct Magnitude {
  std::uint64_t value = 0;
  bool fits = true;
};

// The value of a text that is known to be digits. `fits` is false if the value is above limit.
[[nodiscard]] Magnitude magnitude_of(std::string_view digits, std::uint64_t limit) noexcept {
  while (digits.size() > kDigitsAlwaysFit && digits.front() == '0') digits.remove_prefix(1);
  Magnitude result;
  if (digits.size() > kUint64DigitsMax) return {.value = 0, .fits = false};
  for (const char c : digits) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (__builtin_mul_overflow(result.value, std::uint64_t{10}, &result.value) ||
        __builtin_add_overflow(result.value, digit, &result.value)) {
      return {.value = 0, .fits = false};
    }
  }
  result.fits = result.value <= limit;
  return result;
}

[[nodiscard]] bool all_digits(std::string_view text) noexcept {
  unsigned worst = 0;
  for (const char c : text) {
    const unsigned distance = static_cast<unsigned char>(c) - unsigned{'0'};
    worst = distance > worst ? distance : worst;
  }
  return worst <= 9;
}

// -value as a signed number; value may be 2^63.
[[nodiscard]] std::int64_t negated(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>(0 - value);
}

[[nodiscard]] bool remove_minus(std::string_view& text) noexcept {
  if (text.empty() || text.front() != '-') return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

namespace detail {

constinit const DigitConstants kDigitConstants = [] {
  DigitConstants constants{};
  constants.tens.fill(10);
  constants.tens_off.fill(10 * 256 - 1);
  constants.pairs.fill(10 * 256 + 1);
  return constants;
}();

Converted<std::uint64_t> to_any_uint(std::string_view text) noexcept {
  if (text.empty()) return failure(FieldErrorCode::Empty);
  if (!all_digits(text)) return failure(FieldErrorCode::Malformed);
  const Magnitude magnitude = magnitude_of(text, std::numeric_limits<std::uint64_t>::max());
  if (!magnitude.fits) return failure(FieldErrorCode::OutOfRange);
  return magnitude.value;
}

Converted<std::int64_t> to_any_int(std::string_view text) noexcept {
  if (text.empty()) return failure(FieldErrorCode::Empty);
  const bool negative = remove_minus(text);
  if (text.empty()) return failure(FieldErrorCode::Malformed);
  const Converted<std::uint64_t> magnitude = to_uint(text);
  if (!magnitude) return failure(magnitude.error());
  if (*magnitude > kInt64Max + (negative ? 1 : 0)) return failure(FieldErrorCode::OutOfRange);
  return negative ? negated(*magnitude) : static_cast<std::int64_t>(*magnitude);
}

Decimal checked_any_decimal(std::string_view text) noexcept {
  const Converted<Decimal> value = to_decimal(text);
  NEXUSFIX_DEBUG_ASSERT(value.has_value());
  return *value;
}

Converted<Decimal> to_any_decimal(std::string_view text) noexcept {
  if (text.empty()) return failure(FieldErrorCode::Empty);
  const bool negative = remove_minus(text);
#if defined(__SSE2__)
  if (negative) {
    ScaleAndMantissa parsed;
    if (parse_decimal<TextFront::Unreadable>(text, parsed)) {
      return Decimal{-parsed.mantissa, parsed.scale};
    }
  }
#endif
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string_view fraction = point == text.npos ? std::string_view{} : text.substr(point + 1);
  if (whole.empty() && fraction.empty()) return failure(FieldErrorCode::Malformed);
  if (!all_digits(whole) || !all_digits(fraction)) return failure(FieldErrorCode::Malformed);

  // Keeps trailing zeros as they were sent, unless the value fits only without them.
  const std::uint64_t limit = kInt64Max + (negative ? 1 : 0);
  for (;;) {
    if (fraction.size() <= Decimal::kScaleMax) {
      const Magnitude front = magnitude_of(whole, limit);
      const Magnitude back = magnitude_of(fraction, limit);
      std::uint64_t mantissa = 0;
      if (front.fits &&
          !__builtin_mul_overflow(front.value, kPowersOfTen[fraction.size()], &mantissa) &&
          !__builtin_add_overflow(mantissa, back.value, &mantissa) && mantissa <= limit) {
        return Decimal{negative ? negated(mantissa) : static_cast<std::int64_t>(mantissa),
                       static_cast<unsigned>(fraction.size())};
      }
    }
    if (fraction.empty() || fraction.back() != '0') return failure(FieldErrorCode::OutOfRange);
    fraction.remove_suffix(1);
  }
}

Converted<FixedPrice> to_any_fixed_price(std::string_view text) noexcept {
  const Converted<Decimal> value = to_any_decimal(text);
  if (!value) return failure(value.error());
  const std::optional<FixedPrice> price = FixedPrice::from_decimal(*value);
  if (!price) return failure(FieldErrorCode::OutOfRange);
  return *price;
}

#if defined(__SSE2__)
__m128i without_far_point(__m128i digits, unsigned others) noexcept {
  const void* const table = kPointTables.stay[lowest_bit(others)].data();
  const __m128i stay = _mm_load_si128(static_cast<const __m128i*>(table));
  const __m128i moved = _mm_slli_si128(digits, 1);
  return _mm_or_si128(_mm_andnot_si128(stay, moved), _mm_and_si128(stay, digits));
}
#endif

constinit const PointTables kPointTables = [] {
  PointTables tables{};
  for (std::size_t point = 0; point < tables.stay.size(); ++point) {
    for (std::size_t at = point + 1; at < tables.stay[point].size(); ++at) {
      tables.stay[point][at] = 0xff;
    }
  }
  for (std::size_t scale = 0; scale <= FixedPrice::kScale; ++scale) {
    tables.units[scale] = static_cast<std::int64_t>(kPowersOfTen[FixedPrice::kScale - scale]);
  }
  return tables;
}();

constinit const std::array<ThreeDigits, 1000> kThreeDigits = [] {
  std::array<ThreeDigits, 1000> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].text = {'.', static_cast<char>('0' + i / 100), static_cast<char>('0' + i / 10 % 10),
                   static_cast<char>('0' + i % 10)};
  }
  return all;
}();

namespace {

// scale <= 18; any mantissa.
std::size_t store_long_decimal(char* out, std::uint64_t mantissa, unsigned scale) noexcept {
  if (scale == 0) return from_uint(mantissa, out);
  if (scale <= FixedPrice::kScale && mantissa < kPowersOfTen[FixedPrice::kScale + scale]) {
    const std::uint64_t units = mantissa * kPowersOfTen[FixedPrice::kScale - scale];
    return static_cast<std::size_t>(store_units(out, units).point - out) + scale + 1;
  }
  const std::uint64_t power = kPowersOfTen[scale];
  const std::size_t whole_bytes = from_uint(mantissa / power, out);
  out[whole_bytes] = '.';
  write_digits_before(out + whole_bytes + 1 + scale, mantissa % power, scale);
  return whole_bytes + 1 + scale;
}

}  // namespace

std::size_t store_any_decimal(char* out, Decimal value) noexcept {
  char* text = out;
  auto mantissa = static_cast<std::uint64_t>(value.mantissa());
  if (value.mantissa() < 0) {
    *text++ = '-';
    mantissa = 0 - mantissa;
  }
  const unsigned scale = value.scale();
  const std::size_t bytes =
      mantissa < kTenToThe8 && scale < kWordBytes
          ? store_short_decimal(text, static_cast<std::uint32_t>(mantissa), scale)
          : store_long_decimal(text, mantissa, scale);
  return static_cast<std::size_t>(text - out) + bytes;
}

std::size_t store_large_units(char* out, std::uint64_t units) noexcept {
  unsigned scale = FixedPrice::kScale;
  for (; scale > 0 && units % 10 == 0; --scale) units /= 10;
  return store_long_decimal(out, units, scale);
}

}  // namespace detail

}  // namespace nexusfix::wire
