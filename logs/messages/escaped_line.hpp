// A line of our own message log with the mark ESCAPED: a control byte is \xNN in it, and a
// backslash is two backslashes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nexusfix::printing {

// Ends the mark, and what ends it without the word.
inline constexpr std::string_view kEscapedMark = " ESCAPED : ";
inline constexpr std::string_view kMarkEnd = " : ";

// The size of "20240115-10:30:00.123 IN MASKED ESCAPED : ", with any text in place of the time, at
// the beginning of a line; 0: the line does not have the mark.
[[nodiscard]] std::size_t escaped_mark_size(std::string_view line);

// Appends the original bytes. A backslash that begins no escape is kept.
void append_unescaped(std::string& to, std::string_view text);

}  // namespace nexusfix::printing
