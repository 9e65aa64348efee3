// A line of our own message log that is marked ESCAPED: control bytes are \xNN in it, and a
// backslash is two.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nexusfix::printing {

// The size of "20240115-10:30:00.123 IN MASKED ESCAPED : ", with a time or without, at the
// beginning of a line; 0: the line is not marked so.
[[nodiscard]] std::size_t escaped_mark_size(std::string_view line);

// Appends the bytes as they were. A backslash that begins no escape stays.
void append_unescaped(std::string& to, std::string_view text);

}  // namespace nexusfix::printing
