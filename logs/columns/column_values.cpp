#include "logs/columns/column_values.hpp"

#include <charconv>
#include <chrono>
#include <cstring>

#include "base/api/ascii.hpp"

namespace nexusfix::logs {
namespace {

constexpr std::size_t kDateBytes = 8;    // 20240115
constexpr std::size_t kSecondBytes = 8;  // 10:30:00
constexpr std::int64_t kSecond = 1'000'000'000;

unsigned digit_at(std::string_view text, std::size_t at) noexcept {
  return static_cast<unsigned>(text[at] - '0');  // above 9: no digit
}

// Two digits; above 99: they are none.
unsigned two_digits(std::string_view text, std::size_t at) noexcept {
  const unsigned tens = digit_at(text, at);
  const unsigned ones = digit_at(text, at + 1);
  return tens > 9 || ones > 9 ? 100 : tens * 10 + ones;
}

// Nanoseconds of .123; digits after the ninth are cut off.
std::optional<std::int64_t> fraction_value(std::string_view text) noexcept {
  constexpr std::size_t kDigitsMax = 12;
  if (text.size() < 2 || text.size() > kDigitsMax + 1 || text.front() != '.') return std::nullopt;
  std::int64_t value = 0;
  std::int64_t unit = kSecond / 10;
  for (const char c : text.substr(1)) {
    const auto digit = static_cast<unsigned>(c - '0');
    if (digit > 9) return std::nullopt;
    value += unit * digit;
    unit /= 10;
  }
  return value;
}

constexpr auto kPowersOfTen = [] {
  std::array<std::int64_t, kDecimalScaleMax + 1> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

// A decimal with at most 18 digits, no more than scale of them after the point; nothing:
// decimal_value() decides.
std::optional<Int128> short_decimal(std::string_view text, unsigned scale) noexcept {
  constexpr std::size_t kBytesMax = 18;
  if (text.empty() || text.size() > kBytesMax) return std::nullopt;
  std::int64_t value = 0;
  std::size_t point = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = static_cast<unsigned>(text[i] - '0');
    if (digit <= 9) {
      value = value * 10 + digit;
    } else if (text[i] == '.' && point == text.size()) {
      point = i;
    } else {
      return std::nullopt;
    }
  }
  const std::size_t fraction = point == text.size() ? 0 : text.size() - point - 1;
  const bool has_digit = text.size() > 1 || point == text.size();
  if (fraction > scale || !has_digit) return std::nullopt;
  return static_cast<Int128>(value) * kPowersOfTen[scale - fraction];
}

}  // namespace

std::optional<std::int64_t> integer_value(std::string_view text) noexcept {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<Int128> decimal_value(std::string_view text, unsigned scale) noexcept {
  if (const auto value = short_decimal(text, scale)) return value;
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const std::size_t whole_digits_max = kDecimalDigits - scale;
  constexpr std::size_t kFastDigitsMax = 18;  // fit into 64 bits
  std::size_t at = 0;
  while (at + 1 < text.size() && text[at] == '0' && text[at + 1] != '.') ++at;
  text.remove_prefix(at);
  std::uint64_t low = 0;
  Int128 value = 0;
  std::size_t digits = 0;
  std::size_t whole = 0;
  std::size_t fraction = 0;
  bool has_point = false;
  const auto carry = [&](std::size_t count) {
    Int128 unit = 1;
    for (std::size_t i = 0; i < count; ++i) unit *= 10;
    value = value * unit + static_cast<Int128>(low);
    low = 0;
    digits = 0;
  };
  for (const char c : text) {
    if (c == '.' && !has_point) {
      has_point = true;
      continue;
    }
    const auto digit = static_cast<unsigned>(c - '0');
    if (digit > 9) return std::nullopt;
    if (has_point && fraction == scale) {
      if (digit != 0) return std::nullopt;
      continue;
    }
    if (digits == kFastDigitsMax) carry(digits);
    low = low * 10 + digit;
    ++digits;
    ++(has_point ? fraction : whole);
    if (whole > whole_digits_max) return std::nullopt;
  }
  if (whole + fraction == 0) return std::nullopt;
  carry(digits);
  for (; fraction < scale; ++fraction) value *= 10;
  return is_negative ? -value : value;
}

std::optional<std::int32_t> date_value(std::string_view text) noexcept {
  if (text.size() != kDateBytes) return std::nullopt;
  const unsigned century = two_digits(text, 0);
  const unsigned year = two_digits(text, 2);
  const unsigned month = two_digits(text, 4);
  const unsigned day = two_digits(text, 6);
  if (century > 99 || year > 99) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(century * 100 + year)},
                                         std::chrono::month{month}, std::chrono::day{day}};
  if (!date.ok()) return std::nullopt;
  return static_cast<std::int32_t>(std::chrono::sys_days{date}.time_since_epoch().count());
}

std::optional<std::int64_t> time_of_day_value(std::string_view text) noexcept {
  if (text.size() < kSecondBytes || text[2] != ':' || text[5] != ':') return std::nullopt;
  const unsigned hour = two_digits(text, 0);
  const unsigned minute = two_digits(text, 3);
  const unsigned second = two_digits(text, 6);
  constexpr unsigned kSecondMax = 60;  // a leap second
  if (hour > 23 || minute > 59 || second > kSecondMax) return std::nullopt;
  std::int64_t value = (hour * 60 + minute) * 60 + second;
  value *= kSecond;
  if (text.size() == kSecondBytes) return value;
  const auto fraction = fraction_value(text.substr(kSecondBytes));
  if (!fraction) return std::nullopt;
  return value + *fraction;
}

std::optional<std::int64_t> timestamp_value(std::string_view text) noexcept {
  constexpr std::int32_t kDaysEnd = 106'751;  // of 64 bits of nanoseconds
  if (text.size() <= kDateBytes || text[kDateBytes] != '-') return std::nullopt;
  const auto date = date_value(text.substr(0, kDateBytes));
  const auto time = time_of_day_value(text.substr(kDateBytes + 1));
  if (!date || !time || *date < 0 || *date >= kDaysEnd) return std::nullopt;
  constexpr std::int64_t kDay = 86'400 * kSecond;
  return *date * kDay + *time;
}

std::optional<std::int64_t> TimestampReader::read(std::string_view text) noexcept {
  if (text.size() > kSecondBytes && std::memcmp(text.data(), text_.data(), kSecondBytes) == 0) {
    const auto fraction = fraction_value(text.substr(kSecondBytes));
    if (!fraction) return std::nullopt;
    return second_ + *fraction;
  }
  const auto value = timestamp_value(text);
  const auto second = value ? timestamp_value(text.substr(0, kSecondBytes)) : std::nullopt;
  if (second) {
    text.copy(text_.data(), kSecondBytes);
    second_ = *second;
  }
  return value;
}

}  // namespace nexusfix::logs
