// Decimal digits made in a register, first digit in the lowest byte, so that one store writes them
// and one addition sums them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <nexusfix/wire/byte_block.hpp>

namespace nexusfix::wire::detail {

static_assert(std::endian::native == std::endian::little, "the first byte of a word is its lowest");

// The three digits of each number below 1,000, as numbers. Two look-ups and one division make six
// digits; the whole of it is 4 kB.
inline constexpr std::array<std::uint32_t, 1'000> kDigitTriples = [] {
  std::array<std::uint32_t, 1'000> digits{};
  for (std::uint32_t i = 0; i < digits.size(); ++i) {
    digits[i] = i / 100 | i / 10 % 10 << 8U | i % 10 << 16U;
  }
  return digits;
}();

// The text of a number: bytes of it in the word, zero behind them.
struct DigitText {
  std::uint64_t word;
  std::size_t bytes;
};

inline constexpr std::size_t kOrdinaryDigits = 6;
inline constexpr std::uint64_t kOrdinaryDigitsEnd = 1'000'000;
inline constexpr std::uint64_t kSixZeros = 0x3030'3030'3030;
// With a point in the highest byte, which no digit reaches, so that it is summed with the digits.
inline constexpr std::uint64_t kSixZerosAndPoint = kSixZeros | std::uint64_t{'.'} << 56U;

// The six digits of a value below kOrdinaryDigitsEnd, as numbers.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t six_digits(std::uint64_t value) noexcept {
  const auto narrow = static_cast<std::uint32_t>(value);
  const std::uint32_t thousands = narrow / 1'000;
  return kDigitTriples[thousands] | std::uint64_t{kDigitTriples[narrow - thousands * 1'000]} << 24U;
}

// The bits of leading zeros. digits: as six_digits() makes them. marker has one bit set: zeros stay
// from its byte on.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint32_t leading_zero_bits(
    std::uint64_t digits, std::uint64_t marker) noexcept {
  return static_cast<std::uint32_t>(__builtin_ctzll(digits | marker)) & 0x38U;
}

// The marker that leaves the last digit.
inline constexpr std::uint64_t kLastDigitMarker = std::uint64_t{1} << (8 * (kOrdinaryDigits - 1));

// What a decimal of a scale below kOrdinaryDigits needs, looked up because that is less than the
// arithmetic.
struct Scales {
  // Leaves one digit in front of the point.
  std::array<std::uint64_t, kOrdinaryDigits> markers{};
  // Of six digits, so that those behind the point are left.
  std::array<std::uint8_t, kOrdinaryDigits> fraction_shifts{};
};

inline constexpr Scales kScales = [] {
  Scales scales;
  for (std::size_t i = 0; i < kOrdinaryDigits; ++i) {
    scales.markers[i] = kLastDigitMarker >> (8 * i);
    scales.fraction_shifts[i] = static_cast<std::uint8_t>(8 * (kOrdinaryDigits - i));
  }
  return scales;
}();

// value below kOrdinaryDigitsEnd.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE DigitText digit_text(std::uint64_t value) noexcept {
  const std::uint64_t digits = six_digits(value);
  const std::uint32_t zero_bits = leading_zero_bits(digits, kLastDigitMarker);
  return {(digits + kSixZeros) >> zero_bits, kOrdinaryDigits - zero_bits / 8};
}

// -HH:MM: of a minute of the day, and a zero byte.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t minute_word(std::uint32_t minute) noexcept {
  const std::uint32_t hour = minute / 60;
  constexpr std::uint64_t kAround = 0x003a'3030'3a30'302d;
  // The first of an hour's three digits is 0.
  return (kDigitTriples[hour] | std::uint64_t{kDigitTriples[minute - hour * 60]} << 24U) + kAround;
}

// The two digits of a second of the minute.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t second_word(std::uint64_t second) noexcept {
  return (kDigitTriples[second] >> 8U) + 0x3030U;
}

// SS.sss of a millisecond of the minute.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t millis_word(std::uint32_t millis) noexcept {
  const std::uint32_t second = millis / 1'000;
  constexpr std::uint64_t kZerosAndPoint = 0x3030'302e'3030;
  return (kDigitTriples[second] >> 8U | std::uint64_t{kDigitTriples[millis - second * 1'000]}
                                            << 24U) +
         kZerosAndPoint;
}

// Three digits of a value below 1,000.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t thousandth_word(std::uint32_t value) noexcept {
  return kDigitTriples[value] + 0x30'3030U;
}

}  // namespace nexusfix::wire::detail
