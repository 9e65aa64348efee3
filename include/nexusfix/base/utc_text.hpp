// Times as text, always in UTC, for logs and people. wire writes the times within messages.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include <nexusfix/base/time.hpp>

namespace nexusfix {

enum class UtcForm : std::uint8_t {
  Fix,    // 20240115-10:30:00
  Iso,    // 2024-01-15T10:30:00
  Plain,  // 2024-01-15 10:30:00
};

inline constexpr unsigned kUtcFractionDigitsMax = 9;
// "2024-01-15T10:30:00.123456789"
inline constexpr std::size_t kUtcTextBytesMax = 29;

// Writes the time with this number of digits after the second; 0: without a point. Digits are cut,
// not rounded. to needs room for kUtcTextBytesMax bytes. Returns the number of bytes written. Any
// thread; does not allocate.
[[nodiscard]] std::size_t write_utc(char* to, WallTime time, UtcForm form,
                                    unsigned fraction_digits) noexcept;
void append_utc(std::string& to, WallTime time, UtcForm form, unsigned fraction_digits);
[[nodiscard]] std::string utc_text(std::chrono::sys_seconds time, UtcForm form);

}  // namespace nexusfix
