#include "base/api/utc_text.hpp"

#include <algorithm>

namespace nexusfix {
namespace {

char* write_digits(char* to, std::uint64_t value, unsigned width) noexcept {
  for (unsigned i = width; i-- > 0; value /= 10) to[i] = static_cast<char>('0' + value % 10);
  return to + width;
}

// Years of four digits. Other years are outside of every log and schedule.
char* write_seconds(char* to, std::chrono::sys_seconds time, UtcForm form) noexcept {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  const bool has_hyphens = form != UtcForm::Fix;
  to = write_digits(to, static_cast<std::uint64_t>(int{date.year()}), 4);
  if (has_hyphens) *to++ = '-';
  to = write_digits(to, unsigned{date.month()}, 2);
  if (has_hyphens) *to++ = '-';
  to = write_digits(to, unsigned{date.day()}, 2);
  *to++ = form == UtcForm::Fix ? '-' : form == UtcForm::Iso ? 'T' : ' ';
  to = write_digits(to, static_cast<std::uint64_t>(clock.hours().count()), 2);
  *to++ = ':';
  to = write_digits(to, static_cast<std::uint64_t>(clock.minutes().count()), 2);
  *to++ = ':';
  return write_digits(to, static_cast<std::uint64_t>(clock.seconds().count()), 2);
}

}  // namespace

std::size_t write_utc(char* to, WallTime time, UtcForm form, unsigned fraction_digits) noexcept {
  constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
  // Written out, because nanoseconds cannot represent the beginning of the first second.
  const std::int64_t count = time.time_since_epoch().count();
  std::int64_t seconds = count / kNanosPerSecond;
  std::int64_t nanos = count % kNanosPerSecond;
  if (nanos < 0) {
    nanos += kNanosPerSecond;
    --seconds;
  }
  char* at = write_seconds(to, std::chrono::sys_seconds{std::chrono::seconds{seconds}}, form);
  if (fraction_digits > 0) {
    const unsigned digits = std::min(fraction_digits, kUtcFractionDigitsMax);
    for (unsigned i = digits; i < kUtcFractionDigitsMax; ++i) nanos /= 10;
    *at++ = '.';
    at = write_digits(at, static_cast<std::uint64_t>(nanos), digits);
  }
  return static_cast<std::size_t>(at - to);
}

void append_utc(std::string& to, WallTime time, UtcForm form, unsigned fraction_digits) {
  char text[kUtcTextBytesMax];
  to.append(text, write_utc(text, time, form, fraction_digits));
}

std::string utc_text(std::chrono::sys_seconds time, UtcForm form) {
  char text[kUtcTextBytesMax];
  return {text, write_seconds(text, time, form)};
}

}  // namespace nexusfix
