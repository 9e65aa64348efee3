// The format of a log record and the types of its arguments, checked at compile time.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <nexusfix/base/ascii.hpp>
#include <nexusfix/base/decimal.hpp>

namespace nexusfix::deferred {

// The text of a format, as a template argument:
//
//   logger.write<"filled {} at {}">(now, quantity, price);
template <std::size_t Size>
struct LogFormat {
  // Copies a string literal. Implicit, so that a literal is a template argument.
  explicit(false) consteval LogFormat(const char (&literal)[Size]) {
    std::copy_n(literal, Size, text);
  }
  // The text without its terminating zero. Valid as long as this object.
  [[nodiscard]] constexpr std::string_view view() const noexcept { return {text, Size - 1}; }

  char text[Size]{};  // the literal with its terminating zero
};

namespace detail {

// The layout of an argument in a record: 8 bytes each, except Decimal (16) and Text (8 for the
// size, then the bytes, padded to 8).
enum class LogArgument : std::uint8_t { Bool, Char, Int, Uint, Double, Text, Pointer, Decimal };

// The description of a record, one object for each format and list of argument types. A record
// holds its address, and the hot path writes nothing more of it.
struct LogCallSite {
  std::string_view format;
  const LogArgument* arguments = nullptr;
  std::size_t argument_count = 0;
};

template <class T>
consteval LogArgument log_argument_of() {
  using Plain = std::remove_cvref_t<T>;
  if constexpr (std::is_enum_v<Plain>) {
    return log_argument_of<std::underlying_type_t<Plain>>();
  } else if constexpr (std::same_as<Plain, bool>) {
    return LogArgument::Bool;
  } else if constexpr (std::same_as<Plain, char>) {
    return LogArgument::Char;
  } else if constexpr (std::signed_integral<Plain>) {
    return LogArgument::Int;
  } else if constexpr (std::unsigned_integral<Plain>) {
    return LogArgument::Uint;
  } else if constexpr (std::same_as<Plain, float> || std::same_as<Plain, double>) {
    return LogArgument::Double;
  } else if constexpr (std::same_as<Plain, Decimal>) {
    return LogArgument::Decimal;
  } else if constexpr (std::convertible_to<const Plain&, std::string_view>) {
    return LogArgument::Text;
  } else {
    static_assert(
        std::is_pointer_v<Plain> && sizeof(Plain) <= sizeof(std::uint64_t),
        "no log argument: integer, float, double, bool, char, enumeration, Decimal, text, "
        "pointer");
    return LogArgument::Pointer;
  }
}

// Not constexpr: a call during the check of a format is the compiler's error message.
inline void log_format_has_a_brace_that_does_not_end() {}
inline void log_format_has_a_closing_brace_alone() {}
inline void log_format_has_more_placeholders_than_arguments() {}
inline void log_format_has_fewer_placeholders_than_arguments() {}
inline void log_format_placeholder_is_empty_or_begins_with_a_colon() {}
inline void log_format_specification_does_not_suit_its_argument() {}
inline void log_format_has_a_control_byte() {}

[[nodiscard]] constexpr bool is_log_alignment(char c) noexcept {
  return c == '<' || c == '>' || c == '^';
}
[[nodiscard]] constexpr bool is_log_number(LogArgument argument) noexcept {
  return argument == LogArgument::Int || argument == LogArgument::Uint ||
         argument == LogArgument::Double;
}
// The letters that may end a specification.
[[nodiscard]] constexpr std::string_view log_presentations(LogArgument argument) noexcept {
  switch (argument) {
    case LogArgument::Int:
    case LogArgument::Uint:
      return "dxXbBo";
    case LogArgument::Double:
      return "aAeEfFgG";
    case LogArgument::Pointer:
      return "p";
    default:
      return "s";
  }
}

// The index of the first c at or after from; text.size() if there is none. string_view's find has a
// check for a null pointer that g++ 12 cannot evaluate at compile time with its sanitizer.
[[nodiscard]] constexpr std::size_t log_index_of(std::string_view text, char c,
                                                 std::size_t from = 0) noexcept {
  while (from < text.size() && text[from] != c) ++from;
  return from;
}
[[nodiscard]] constexpr bool log_contains(std::string_view text, char c) noexcept {
  return log_index_of(text, c) != text.size();
}

// [[fill]align][sign][#][0][width][.precision][letter]: the part of std::format's syntax that does
// not depend on other arguments.
[[nodiscard]] constexpr bool log_specification_suits(std::string_view specification,
                                                     LogArgument argument) noexcept {
  std::size_t at = 0;
  const auto peek = [&](std::size_t ahead = 0) {
    return at + ahead < specification.size() ? specification[at + ahead] : '\0';
  };
  const auto skip_digits = [&] {
    const std::size_t before = at;
    while (is_digit(peek())) ++at;
    // Three digits are enough for a column, and too few for a gigabyte of blanks.
    return at - before <= 3 ? at - before : std::string_view::npos;
  };
  const bool number = is_log_number(argument);
  if (is_log_alignment(peek(1))) {
    at += 2;
  } else if (is_log_alignment(peek())) {
    ++at;
  }
  if (peek() == '+' || peek() == '-' || peek() == ' ') {
    if (argument != LogArgument::Int && argument != LogArgument::Double) return false;
    ++at;
  }
  if (peek() == '#') {
    if (!number) return false;
    ++at;
  }
  if (peek() == '0' && !number) return false;
  if (skip_digits() == std::string_view::npos) return false;
  if (peek() == '.') {
    ++at;
    const std::size_t digits = skip_digits();
    if (digits == 0 || digits == std::string_view::npos) return false;
    if (argument != LogArgument::Double && argument != LogArgument::Text) return false;
  }
  if (at < specification.size() && log_contains(log_presentations(argument), peek())) ++at;
  return at == specification.size();
}

// Compiles only if each argument has its placeholder, with a specification for its type.
template <std::size_t Count>
consteval bool check_log_format(std::string_view format,
                                const std::array<LogArgument, Count>& arguments) {
  std::size_t used = 0;
  for (std::size_t at = 0; at < format.size(); ++at) {
    const char c = format[at];
    constexpr char kFirstPrintable = ' ';
    if (static_cast<unsigned char>(c) < kFirstPrintable) log_format_has_a_control_byte();
    if (c != '{' && c != '}') continue;
    if (at + 1 < format.size() && format[at + 1] == c) {
      ++at;
      continue;
    }
    if (c == '}') log_format_has_a_closing_brace_alone();
    const std::size_t end = log_index_of(format, '}', at);
    if (end == format.size()) log_format_has_a_brace_that_does_not_end();
    if (used == Count) log_format_has_more_placeholders_than_arguments();
    const std::string_view inside = format.substr(at + 1, end - at - 1);
    if (!inside.empty()) {
      if (inside[0] != ':') log_format_placeholder_is_empty_or_begins_with_a_colon();
      if (log_contains(inside, '{') ||
          !log_specification_suits(inside.substr(1), arguments[used])) {
        log_format_specification_does_not_suit_its_argument();
      }
    }
    ++used;
    at = end;
  }
  if (used != Count) log_format_has_fewer_placeholders_than_arguments();
  return true;
}

template <class... Arguments>
inline constexpr std::array<LogArgument, sizeof...(Arguments)> kLogArguments{
    log_argument_of<Arguments>()...};

template <LogFormat Format, class... Arguments>
inline constexpr LogCallSite kLogCallSite{Format.view(), kLogArguments<Arguments...>.data(),
                                          sizeof...(Arguments)};

}  // namespace detail

}  // namespace nexusfix::deferred
