// Times as text, always in UTC, for logs and people. wire writes the times within messages.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include <nexusfix/base/clock.hpp>

namespace nexusfix {

// The form of a time as text.
enum class UtcForm : std::uint8_t {
  Fix,    // 20240115-10:30:00
  Iso,    // 2024-01-15T10:30:00
  Plain,  // 2024-01-15 10:30:00
};

// The highest number of digits after the second.
inline constexpr unsigned kUtcFractionDigitsMax = 9;
// The size of the longest text: "2024-01-15T10:30:00.123456789".
inline constexpr std::size_t kUtcTextBytesMax = 29;

// Writes the time with this number of digits after the second, 0 to kUtcFractionDigitsMax; 0:
// without a point. Digits are cut off, not rounded. to needs room for kUtcTextBytesMax bytes.
// Returns the number of bytes written. Any thread; does not allocate.
[[nodiscard]] std::size_t write_utc(char* to, WallTime time, UtcForm form,
                                    unsigned fraction_digits) noexcept;
// Appends the text to a string.
void append_utc(std::string& to, WallTime time, UtcForm form, unsigned fraction_digits);
// The time as text, in whole seconds.
[[nodiscard]] std::string utc_text(std::chrono::sys_seconds time, UtcForm form);

}  // namespace nexusfix
