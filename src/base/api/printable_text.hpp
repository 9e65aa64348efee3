// Makes text of unknown origin safe for a terminal and for one line of a log: a byte that could
// steer a terminal or end the line is written as \x1b.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

// The letters of hexadecimal digits.
enum class HexDigits : std::uint8_t {
  Lower,  // 1b: in reports and answers
  Upper,  // 1B: in message logs
};
// What happens to a backslash of the text.
enum class Backslashes : std::uint8_t {
  Kept,     // it is written as it is
  Doubled,  // it is written twice, so that different texts give different results
};

inline constexpr std::size_t kEscapedByteSize = 4;  // the number of characters of \x1b

// Appends the two hexadecimal digits of a byte.
void append_hex(std::string& to, unsigned char byte, HexDigits digits = HexDigits::Lower);
// Appends a byte as \x1b.
void append_escaped_byte(std::string& to, unsigned char byte, HexDigits digits = HexDigits::Lower);

// Appends text. Each control character, and each byte that is not UTF-8, is written as \x1b.
void append_printable(std::string& to, std::string_view text,
                      Backslashes backslashes = Backslashes::Kept);
// The text as append_printable() writes it, with backslashes kept.
[[nodiscard]] std::string printable(std::string_view text);

// Appends text as a JSON string in quotes. Keeps UTF-8, escapes control characters as JSON
// requires, and writes a byte that is not UTF-8, for which JSON has no form, as \\xff.
void append_json_text(std::string& to, std::string_view text);

}  // namespace nexusfix
