// Tests and conversions of ASCII characters, independent of the locale. The tests are false for all
// other bytes, and the conversions keep them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

// Whether c is a digit, 0 to 9.
[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
// Whether c is an upper-case letter, A to Z.
[[nodiscard]] constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
// Whether c is a lower-case letter, a to z.
[[nodiscard]] constexpr bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
// Whether c is a letter, A to Z or a to z.
[[nodiscard]] constexpr bool is_letter(char c) noexcept { return is_upper(c) || is_lower(c); }

// Whether c is a letter or a digit.
[[nodiscard]] constexpr bool is_alphanumeric(char c) noexcept {
  return is_letter(c) || is_digit(c);
}
// Whether text has at least one digit and nothing else.
[[nodiscard]] constexpr bool is_all_digits(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

// The lower-case form of an upper-case letter; otherwise c.
[[nodiscard]] constexpr char to_lower(char c) noexcept {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
// The upper-case form of a lower-case letter; otherwise c.
[[nodiscard]] constexpr char to_upper(char c) noexcept {
  return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

// Whether both texts are equal when upper and lower case of a letter count as equal.
[[nodiscard]] constexpr bool equals_ignoring_case(std::string_view left,
                                                  std::string_view right) noexcept {
  return std::ranges::equal(left, right, {}, to_lower, to_lower);
}

// The text without the blanks, tabs and line ends around it. A view into text, valid as long as it.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace nexusfix
