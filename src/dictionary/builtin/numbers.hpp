// Numbers of packed dictionaries: seven bits a byte, the low ones first. Private to the layer.
#pragma once

#include <cstdint>
#include <string>

namespace nexusfix::dictionary {

inline constexpr unsigned kDigitBits = 7;  // of a byte; the eighth bit: another byte follows
inline constexpr std::uint64_t kDigitMask = (1U << kDigitBits) - 1;

inline void append_number(std::string& to, std::uint64_t value) {
  for (; value > kDigitMask; value >>= kDigitBits) {
    to.push_back(static_cast<char>((value & kDigitMask) | (kDigitMask + 1)));
  }
  to.push_back(static_cast<char>(value));
}

// next_byte() returns one byte after the other.
template <class NextByte>
[[nodiscard]] std::uint64_t read_number(NextByte&& next_byte) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += kDigitBits) {
    const std::uint64_t digit = static_cast<unsigned char>(next_byte());
    value |= (digit & kDigitMask) << shift;
    if (digit <= kDigitMask) return value;
  }
}

}  // namespace nexusfix::dictionary
