// Decimal digits to and from memory, for the encoder and the framing. The conversions have more of
// their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <nexusfix/wire/digits.hpp>

#include "base/api/ascii.hpp"

namespace nexusfix::wire {

using detail::kPowersOfTen;
using detail::kTwoDigits;
using detail::kUint64DigitsMax;
using detail::write_two_digits;

[[nodiscard]] inline std::size_t digit_count(std::uint64_t value) noexcept {
  // 1233 / 4096 is just above log10(2): the estimate from the bit length is right or one too low.
  const auto bits = static_cast<std::size_t>(64 - __builtin_clzll(value | 1));
  const std::size_t estimate = bits * 1233 / 4096;
  return estimate + (value >= kPowersOfTen[estimate] ? 1 : 0) + (value == 0 ? 1 : 0);
}

// Exactly count digits, zero-padded on the left, ending before end.
inline void write_digits_before(char* end, std::uint64_t value, std::size_t count) noexcept {
  while (count >= 2) {
    end -= 2;
    std::memcpy(end, &kTwoDigits[2 * (value % 100)], 2);
    value /= 100;
    count -= 2;
  }
  if (count != 0) *(end - 1) = static_cast<char>('0' + value % 10);
}

// memcpy for bytes that are nearly always few: then it must not cost a call.
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

}  // namespace nexusfix::wire
