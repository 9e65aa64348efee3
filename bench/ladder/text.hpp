// The shared part of the early rungs: converts numbers and checks a complete message, one byte at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bench/ladder/rung.hpp"

namespace nexusfix::bench::ladder {

// 0 if the text is no number, has a leading zero, or more than nine digits.
[[nodiscard]] inline Tag tag_of(std::string_view text) noexcept {
  constexpr std::size_t kDigitsMax = 9;
  if (text.empty() || text.size() > kDigitsMax || text.front() == '0') return 0;
  Tag tag = 0;
  for (const char c : text) {
    const auto digit = static_cast<unsigned>(c - '0');
    if (digit > 9) return 0;
    tag = tag * 10 + digit;
  }
  return tag;
}

inline constexpr std::size_t kNoNumber = static_cast<std::size_t>(-1);

// For BodyLength and CheckSum: leading zeros are allowed.
[[nodiscard]] inline std::size_t digits_of(std::string_view text) noexcept {
  constexpr std::size_t kDigitsMax = 9;
  if (text.empty() || text.size() > kDigitsMax) return kNoNumber;
  std::size_t number = 0;
  for (const char c : text) {
    const auto digit = static_cast<unsigned>(c - '0');
    if (digit > 9) return kNoNumber;
    number = number * 10 + digit;
  }
  return number;
}

[[nodiscard]] inline std::uint32_t sum_of_bytes(std::string_view bytes) noexcept {
  std::uint32_t sum = 0;
  for (const char c : bytes) sum += static_cast<unsigned char>(c);
  return sum;
}

// The results of a parser's pass over a message.
struct Outline {
  std::size_t body_begin = 0;     // of the third field
  std::size_t trailer_begin = 0;  // of the last field
  std::string_view body_length;
  std::string_view check_sum;
  Tag first_three[3] = {};
  Tag last = 0;
};

// Checks everything but the sum, which each parser computes in its own way.
[[nodiscard]] inline bool outline_is_valid(const Outline& outline) noexcept {
  constexpr Tag kBeginString = 8;
  constexpr Tag kBodyLength = 9;
  constexpr Tag kMsgType = 35;
  constexpr Tag kCheckSum = 10;
  constexpr std::size_t kCheckSumDigits = 3;
  return outline.first_three[0] == kBeginString && outline.first_three[1] == kBodyLength &&
         outline.first_three[2] == kMsgType && outline.last == kCheckSum &&
         outline.check_sum.size() == kCheckSumDigits &&
         digits_of(outline.body_length) == outline.trailer_begin - outline.body_begin;
}

[[nodiscard]] inline bool sum_is_valid(const Outline& outline, std::uint32_t sum) noexcept {
  constexpr std::uint32_t kModulus = 256;
  return digits_of(outline.check_sum) == sum % kModulus;
}

}  // namespace nexusfix::bench::ladder
