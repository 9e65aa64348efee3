// Values of fields as the numbers of typed columns. Each function returns nothing if the whole text
// is not such a value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nexusfix::logs {

__extension__ using Int128 = __int128;

inline constexpr unsigned kDecimalDigits = 38;
// Digits after the point. A product of two decimals has twice as many, and 22 before it: the
// volume of a market's day.
inline constexpr unsigned kDecimalScale = 8;
inline constexpr unsigned kDecimalScaleMax = 18;

[[nodiscard]] std::optional<std::int64_t> integer_value(std::string_view text) noexcept;
// In units of 10^-scale; scale: up to kDecimalScaleMax. Further digits after the point must be 0.
[[nodiscard]] std::optional<Int128> decimal_value(std::string_view text,
                                                  unsigned scale = kDecimalScale) noexcept;
// Days since 1970-01-01, of 20240115.
[[nodiscard]] std::optional<std::int32_t> date_value(std::string_view text) noexcept;
// Nanoseconds since midnight, of 10:30:00 and 10:30:00.123; digits after the ninth are cut off.
[[nodiscard]] std::optional<std::int64_t> time_of_day_value(std::string_view text) noexcept;
// Nanoseconds since 1970-01-01, of 20240115-10:30:00.123; 1970 to 2261.
[[nodiscard]] std::optional<std::int64_t> timestamp_value(std::string_view text) noexcept;

// Reads many timestamps: one most often has the second of the one before it.
class TimestampReader {
 public:
  // As timestamp_value().
  [[nodiscard]] std::optional<std::int64_t> read(std::string_view text) noexcept;

 private:
  static constexpr std::size_t kSecondBytes = 17;  // 20240115-10:30:00
  std::array<char, kSecondBytes> text_{};          // the last one, to the second
  std::int64_t second_ = 0;
};

}  // namespace nexusfix::logs
