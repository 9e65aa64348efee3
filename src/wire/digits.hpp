// Decimal digits to and from memory: what conversions, times and the encoder share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nexusfix::wire {

inline constexpr std::size_t kUint64DigitsMax = 20;

// "00" to "99", so that one division by 100 gives two digits.
inline constexpr std::array<char, 200> kTwoDigits = [] {
  std::array<char, 200> text{};
  for (std::size_t i = 0; i < 100; ++i) {
    text[2 * i] = static_cast<char>('0' + i / 10);
    text[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return text;
}();

inline constexpr std::array<std::uint64_t, kUint64DigitsMax> kPowersOfTen = [] {
  std::array<std::uint64_t, kUint64DigitsMax> powers{};
  std::uint64_t power = 1;
  for (std::uint64_t& entry : powers) {
    entry = power;
    power *= 10;  // wraps only behind the last entry, 10^19
  }
  return powers;
}();

[[nodiscard]] inline constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

[[nodiscard]] inline std::size_t digit_count(std::uint64_t value) noexcept {
  // 1233 / 4096 is just above log10(2): the estimate from the bit length is right or one too low.
  const auto bits = static_cast<std::size_t>(64 - __builtin_clzll(value | 1));
  const std::size_t estimate = bits * 1233 / 4096;
  return estimate + (value >= kPowersOfTen[estimate] ? 1 : 0) + (value == 0 ? 1 : 0);
}

// Exactly count digits, zero-padded on the left, ending in front of end.
inline void write_digits_before(char* end, std::uint64_t value, std::size_t count) noexcept {
  while (count >= 2) {
    end -= 2;
    std::memcpy(end, &kTwoDigits[2 * (value % 100)], 2);
    value /= 100;
    count -= 2;
  }
  if (count != 0) *(end - 1) = static_cast<char>('0' + value % 10);
}

// memcpy for what is nearly always short and then must not cost a call.
inline void copy_short(char* out, const char* from, std::size_t bytes) noexcept {
  if (bytes > 16) {
    std::memcpy(out, from, bytes);
  } else if (bytes >= 8) {
    // Two pieces of a fixed size that overlap in the middle.
    std::memcpy(out, from, 8);
    std::memcpy(out + bytes - 8, from + bytes - 8, 8);
  } else if (bytes >= 4) {
    std::memcpy(out, from, 4);
    std::memcpy(out + bytes - 4, from + bytes - 4, 4);
  } else {
    for (std::size_t i = 0; i < bytes; ++i) out[i] = from[i];
  }
}

inline void write_two_digits(char* out, unsigned value) noexcept {
  std::memcpy(out, &kTwoDigits[std::size_t{2} * value], 2);
}

}  // namespace nexusfix::wire
