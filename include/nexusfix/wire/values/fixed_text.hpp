// Decimals with a fixed number of digits after the point, for people: {:.2f} and {:10.2f}.
#pragma once

#include <algorithm>
#include <string>

#include <nexusfix/base/decimal.hpp>

namespace nexusfix::wire {

// The value with this number of digits after the point, at most kFixedDigitsMax. Rounds to the
// nearest; a tie goes to the even digit, as in printf(): 0.125 is 0.12. Allocates. Not for the
// wire, where a price has its own digits.
[[nodiscard]] std::string to_fixed(Decimal value, unsigned digits);
// The most digits of to_fixed(): more are not written.
inline constexpr unsigned kFixedDigitsMax = 64;

namespace detail {

// What a format says of a decimal: [[fill]align][sign][0][width][.precision][f].
struct FixedFormat {
  bool is_fixed = false;  // otherwise it is the format of a text
  bool has_digits = false;
  char fill = ' ';
  char align = '>';
  char sign = '-';
  unsigned width = 0;
  unsigned digits = 0;
};

[[nodiscard]] constexpr bool is_alignment(char c) noexcept {
  return c == '<' || c == '>' || c == '^';
}

// A number of at most three digits.
template <class Iterator>
[[nodiscard]] constexpr unsigned read_number(Iterator& at, Iterator end) noexcept {
  unsigned number = 0;
  for (int i = 0; i < 3 && at != end && *at >= '0' && *at <= '9'; ++i, ++at) {
    number = number * 10 + static_cast<unsigned>(*at - '0');
  }
  return number;
}

// Reads a format with a precision or with f. Of any other one the result is begin, and the format
// is that of a text.
template <class Iterator>
[[nodiscard]] constexpr Iterator read_fixed_format(Iterator begin, Iterator end,
                                                   FixedFormat& format) noexcept {
  FixedFormat read;
  Iterator at = begin;
  if (end - at >= 2 && is_alignment(at[1]) && at[0] != '{') {
    read.fill = at[0];
    read.align = at[1];
    at += 2;
  } else if (at != end && is_alignment(*at)) {
    read.align = *at++;
  }
  if (at != end && (*at == '+' || *at == '-' || *at == ' ')) read.sign = *at++;
  if (at != end && *at == '0') {
    read.fill = '0';
    ++at;
  }
  read.width = read_number(at, end);
  if (at != end && *at == '.') {
    if (++at == end || *at < '0' || *at > '9') return begin;
    read.has_digits = true;
    read.digits = read_number(at, end);
  }
  read.is_fixed = read.has_digits;
  if (at != end && (*at == 'f' || *at == 'F')) {
    read.is_fixed = true;
    ++at;
  }
  if (!read.is_fixed || (at != end && *at != '}')) return begin;
  format = read;
  return at;
}

// The value in this format, with its width.
[[nodiscard]] std::string fixed_text(Decimal value, const FixedFormat& format);
// A text in place of a value, with the width of the format.
[[nodiscard]] std::string fixed_text(std::string text, const FixedFormat& format);

}  // namespace detail
}  // namespace nexusfix::wire
