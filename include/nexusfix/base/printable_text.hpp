// Makes text of unknown origin safe for a terminal and for one line of a log: a byte that could
// steer a terminal or end the line is written as \x1b.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

// Message logs have upper-case digits; reports and answers have lower-case digits.
enum class HexDigits : std::uint8_t { Lower, Upper };
enum class Backslashes : std::uint8_t { Kept, Doubled };

inline constexpr std::size_t kEscapedByteSize = 4;  // of \x1b

// Appends the two hexadecimal digits of a byte.
void append_hex(std::string& to, unsigned char byte, HexDigits digits = HexDigits::Lower);
// Appends a byte as \x1b.
void append_escaped_byte(std::string& to, unsigned char byte, HexDigits digits = HexDigits::Lower);

// Appends text with each control character, and each byte that is not UTF-8, as \x1b. Doubled:
// writes a backslash of the text as two, so that no other text gives the same result.
void append_printable(std::string& to, std::string_view text,
                      Backslashes backslashes = Backslashes::Kept);
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace nexusfix
