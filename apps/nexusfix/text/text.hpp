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
// "1 message", "1,234 messages". Of a word with another plural that, too.
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one,
                                  std::string_view many = {});
// Three digits that count: "870 ns", "12.3 µs", "1.05 ms", "2.50 s".
[[nodiscard]] std::string duration_text(std::chrono::nanoseconds duration);
// Two digits a byte.
[[nodiscard]] std::string hex_text(std::string_view bytes);
// A bar of so many columns, an eighth of a column exact. 0 ≤ share ≤ 1. A share above 0 is seen.
[[nodiscard]] std::string bar_text(double share, std::size_t columns);

}  // namespace nexusfix::command
