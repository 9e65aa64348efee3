// Numbers and texts as the command prints them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nexusfix::command {

// 1234567 is "1,234,567".
[[nodiscard]] std::string with_thousands(std::uint64_t value);
// Three digits that count: "870 ns", "12.3 µs", "1.05 ms", "2.50 s".
[[nodiscard]] std::string duration_text(std::chrono::nanoseconds duration);
// A JSON string in quotes. UTF-8 stays as it is, control characters are escaped as JSON does it,
// and a byte that is not UTF-8, for which JSON has no form, is \xff with its backslash, as in all
// other texts that are printed.
[[nodiscard]] std::string json_text(std::string_view text);
// A bar of so many columns, an eighth of a column exact. 0 ≤ share ≤ 1. A share above 0 is seen.
[[nodiscard]] std::string bar_text(double share, std::size_t columns);

}  // namespace nexusfix::command
