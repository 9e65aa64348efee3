// Numbers and texts in the form that the command prints.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nexusfix::command {

// 1234567 is "1,234,567".
[[nodiscard]] std::string with_thousands(std::uint64_t value);
// "1 message", "1,234 messages". many: the plural, if it is not one with an s.
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one,
                                  std::string_view many = {});
// Three significant digits: "870 ns", "12.3 µs", "1.05 ms", "2.50 s".
[[nodiscard]] std::string duration_text(std::chrono::nanoseconds duration);
// "store" is "Store".
[[nodiscard]] std::string capitalised(std::string_view word);
// Two hexadecimal digits for each byte.
[[nodiscard]] std::string hex_text(std::string_view bytes);
// A bar of share times columns, exact to an eighth of a column. 0 ≤ share ≤ 1. A share above 0 has
// at least an eighth.
[[nodiscard]] std::string bar_text(double share, std::size_t columns);
// Appends lead and the words of text, in lines of at most columns characters of UTF-8. Each line
// after the first begins with as many blanks as lead has. A longer word is not divided.
void append_wrapped(std::string& out, std::string_view lead, std::string_view text,
                    std::size_t columns);

}  // namespace nexusfix::command
