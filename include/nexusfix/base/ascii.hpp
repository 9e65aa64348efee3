// Tests and conversions of ASCII characters, independent of the locale. Other bytes belong to no
// class.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
[[nodiscard]] constexpr bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
[[nodiscard]] constexpr bool is_letter(char c) noexcept { return is_upper(c) || is_lower(c); }

[[nodiscard]] constexpr bool is_alphanumeric(char c) noexcept {
  return is_letter(c) || is_digit(c);
}
// Whether text has at least one digit and nothing else.
[[nodiscard]] constexpr bool is_all_digits(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

[[nodiscard]] constexpr char to_lower(char c) noexcept {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] constexpr char to_upper(char c) noexcept {
  return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

[[nodiscard]] constexpr bool equals_ignoring_case(std::string_view left,
                                                  std::string_view right) noexcept {
  return std::ranges::equal(left, right, {}, to_lower, to_lower);
}

// Without the blanks, tabs and line ends around it. A view into the text.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace nexusfix
