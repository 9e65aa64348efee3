// Which values a key takes, and the answer to an invalid one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/text/settings_values.hpp"

namespace nexusfix::config {

struct ValueRule {
  using Check = bool (*)(const ValueRule& rule, std::string_view value);

  Check is_valid;
  std::string_view type;      // one word, for the reference: docs/reference/keys.md lists them
  std::string_view expected;  // continued by " was expected"; of a number, without its range
  std::uint64_t min = 0;      // of a number, or of the length of a text in bytes
  std::uint64_t max = 0;
  bool may_be_empty = false;
  bool is_secret = false;    // a password, or what may contain one: never shown
  bool is_numbered = false;  // may be given several times: SocketConnectHost1, SocketConnectHost2

  // What was expected instead of the value; empty: the value is valid.
  [[nodiscard]] std::string error(std::string_view value) const;
  // The place of a valid value among the words of one_of(); of Y and N: 0 and 1.
  [[nodiscard]] std::size_t word_index(std::string_view value) const;
};

// The checks. A row names a rule below instead.
[[nodiscard]] bool is_yes_or_no(const ValueRule& rule, std::string_view value);
[[nodiscard]] bool is_number_in_range(const ValueRule& rule, std::string_view value);
[[nodiscard]] bool is_text_in_range(const ValueRule& rule, std::string_view value);
[[nodiscard]] bool is_factor(const ValueRule& rule, std::string_view value);
[[nodiscard]] bool is_listed(const ValueRule& rule, std::string_view value);
[[nodiscard]] bool is_host(const ValueRule& rule, std::string_view value);
[[nodiscard]] bool is_address(const ValueRule& rule, std::string_view value);
[[nodiscard]] bool is_begin_string(const ValueRule& rule, std::string_view value);
[[nodiscard]] bool is_proxy_version(const ValueRule& rule, std::string_view value);
template <auto Read>
[[nodiscard]] bool is_readable(const ValueRule& /*rule*/, std::string_view value) {
  return Read(value).has_value();
}

constexpr ValueRule number(std::uint64_t min, std::uint64_t max,
                           std::string_view what = "a whole number") {
  return {is_number_in_range, "number", what, min, max};
}
constexpr ValueRule seconds(std::uint64_t min, std::uint64_t max) {
  return number(min, max, "a whole number of seconds");
}
constexpr ValueRule bytes(std::uint64_t min, std::uint64_t max) {
  return number(min, max, "a whole number of bytes");
}
constexpr ValueRule port(std::uint64_t min) { return number(min, 65'535, "a port"); }
constexpr ValueRule text(std::uint64_t bytes_min, std::uint64_t bytes_max,
                         std::string_view expected) {
  return {is_text_in_range, "text", expected, bytes_min, bytes_max};
}
// A file or a folder. The longest path leaves room below PATH_MAX for the names in a folder.
inline constexpr std::uint64_t kPathBytesMax = 3'000;
constexpr ValueRule path(std::string_view expected) {
  return {is_text_in_range, "path", expected, 1, kPathBytesMax};
}
// One of the words of the expected text, in any case: one_of("Delay, Reject or LogOut").
constexpr ValueRule one_of(std::string_view words) { return {is_listed, "word", words}; }
// A value that Read, one of the functions of settings_values.hpp, can read.
template <auto Read>
constexpr ValueRule read_by(std::string_view type, std::string_view expected) {
  return {is_readable<Read>, type, expected};
}
constexpr ValueRule or_none(ValueRule rule) {
  rule.may_be_empty = true;
  return rule;
}

constexpr ValueRule secret(ValueRule rule) {
  rule.is_secret = true;
  return rule;
}
constexpr ValueRule numbered(ValueRule rule) {
  rule.is_numbered = true;
  return rule;
}

inline constexpr ValueRule kYesOrNo{is_yes_or_no, "flag", "Y or N"};
inline constexpr ValueRule kName = text(1, 255, "a name of 1 to 255 bytes");
inline constexpr ValueRule kShortText = text(0, 255, "at most 255 bytes");
inline constexpr ValueRule kText = text(0, kPathBytesMax, "a shorter text");
// May be empty: as without the key.
inline constexpr ValueRule kPath{is_text_in_range, "path", "a shorter text", 0, kPathBytesMax};
inline constexpr ValueRule kFolder = path("the path of a folder");
inline constexpr ValueRule kPrecision =
    read_by<read_precision>("word", "a number from 0 to 9, SECONDS, MILLIS, MICROS or NANOS");
inline constexpr ValueRule kFactor{is_factor, "decimal", "a decimal number above 0, up to 100"};
inline constexpr ValueRule kHost{is_host, "host", "a host name or an address"};
inline constexpr ValueRule kAddress{is_address, "host",
                                    "an address of this machine, such as 10.0.0.1"};

}  // namespace nexusfix::config
