// Makes decimal digits in a register, the first digit in the lowest byte, so that one store writes
// them and one addition sums them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <nexusfix/wire/values/byte_block.hpp>

namespace nexusfix::wire::detail {

static_assert(std::endian::native == std::endian::little, "the first byte of a word is its lowest");

inline constexpr std::size_t kOrdinaryDigits = 6;
inline constexpr std::uint64_t kOrdinaryDigitsEnd = 1'000'000;
inline constexpr std::uint64_t kSixZeros = 0x3030'3030'3030;

// What a scale does to the six digits of a decimal. Each word is an aligned block, so that it can
// be an instruction's operand.
struct alignas(64) ScaleWords {
  using Word = std::array<std::uint64_t, 2>;

  Word whole{};     // the digits before the point
  Word fraction{};  // the digits after it, moved by one byte
  Word zeros{};     // zeros as characters, and the point
  // 0 where a zero may be a leading one. From the digit directly before the point on, a value that
  // no digit has.
  Word not_leading{};
  std::uint64_t bytes = 0;  // of all digits and the point
};

// In one object, so that one register addresses all of them.
struct DigitTables {
  static constexpr std::size_t kScaleEnd = 256;
  static constexpr std::size_t kLeadingZerosEnd = std::size_t{1} << (kOrdinaryDigits - 1);

  std::array<ScaleWords, kOrdinaryDigits> scales{};
  // Indexed by a bit for each zero that may be a leading one: the number of leading zeros. Once in
  // bits, to shift a text by, and once in bytes, to shorten it by.
  std::array<std::uint64_t, kLeadingZerosEnd> leading_zero_bits{};
  std::array<std::uint64_t, kLeadingZerosEnd> leading_zero_bytes{};
  // The three digits of each number below 1,000, as numbers. Two lookups and one division make six
  // digits; the table has 4 kB.
  std::array<std::uint32_t, 1'000> triples{};
  // Mantissas below it are ordinary. There is an entry for every scale that fits into a byte, 0
  // where no mantissa is ordinary, so that one comparison checks both.
  std::array<std::uint64_t, kScaleEnd> mantissa_ends{};
};

inline constexpr DigitTables kDigits = [] {
  DigitTables tables;
  for (std::size_t i = 0; i < kOrdinaryDigits; ++i) {
    const std::size_t point = 8 * (kOrdinaryDigits - i);
    const std::uint64_t whole = (std::uint64_t{1} << point) - 1;
    ScaleWords& scale = tables.scales[i];
    scale.whole[0] = whole;
    scale.zeros[0] = kSixZeros;
    scale.not_leading = {~std::uint64_t{0} << (point - 8), ~std::uint64_t{0}};
    scale.bytes = kOrdinaryDigits;
    if (i != 0) {
      constexpr std::uint64_t kSixBytes = 0xffff'ffff'ffff;
      scale.fraction[0] = (kSixBytes & ~whole) << 8U;
      scale.zeros[0] =
          (kSixZeros & whole) | (kSixZeros & ~whole) << 8U | std::uint64_t{'.'} << point;
      ++scale.bytes;  // the point
    }
    tables.mantissa_ends[i] = kOrdinaryDigitsEnd;
  }
  for (std::size_t i = 0; i < DigitTables::kLeadingZerosEnd; ++i) {
    tables.leading_zero_bytes[i] = static_cast<std::uint64_t>(std::countr_one(i));
    tables.leading_zero_bits[i] = 8 * tables.leading_zero_bytes[i];
  }
  for (std::uint32_t i = 0; i < tables.triples.size(); ++i) {
    tables.triples[i] = i / 100 | i / 10 % 10 << 8U | i % 10 << 16U;
  }
  return tables;
}();

// The upper and the lower half of six digits.
struct Triples {
  std::uint32_t high;
  std::uint32_t low;
};

// value below kOrdinaryDigitsEnd.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Triples triples_of(std::uint64_t value) noexcept {
  // The quotient by 1,000, in the width of the tables' indexes.
  const std::uint64_t thousands = value * 274'877'907U >> 38U;
  const std::uint32_t rest =
      static_cast<std::uint32_t>(value) - static_cast<std::uint32_t>(thousands) * 1'000;
  return {kDigits.triples[thousands], kDigits.triples[rest]};
}

// The text of a number: `bytes` bytes in the block's low half, then zeros.
struct DecimalText {
  Block text;
  std::size_t bytes;
};

#if NEXUSFIX_BYTE_BLOCK_SSE2
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE __m128i aligned_block(const ScaleWords::Word& from) noexcept {
  const void* const address = from.data();
  return _mm_load_si128(static_cast<const __m128i*>(address));
}

[[nodiscard]] NEXUSFIX_ALWAYS_INLINE __m128i block_of_triple(std::uint32_t triple) noexcept {
  return _mm_cvtsi32_si128(static_cast<int>(triple));
}
#endif

// magnitude is below kDigits.mantissa_ends[scale]. Works in vector registers where possible,
// because a message with many numbers keeps the others busy. Shorter if scale is a compile-time
// constant.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE DecimalText decimal_text(std::uint64_t magnitude,
                                                              std::size_t scale) noexcept {
  const ScaleWords* words = &kDigits.scales[scale];
  const Triples triples = triples_of(magnitude);
#if NEXUSFIX_BYTE_BLOCK_SSE2
  // Puts the address into one register. Compilers otherwise calculate the address of each word
  // again.
  if (!__builtin_constant_p(scale)) asm("" : "+r"(words));
  const __m128i digits =
      _mm_or_si128(block_of_triple(triples.high), _mm_slli_epi64(block_of_triple(triples.low), 24));
  const auto zeros = static_cast<std::size_t>(
      _mm_movemask_epi8(_mm_cmpeq_epi8(digits, aligned_block(words->not_leading))));
  const __m128i shift = load_entry(kDigits.leading_zero_bits[zeros]);
  __m128i placed = digits;
  if (!__builtin_constant_p(scale) || scale != 0) {
    placed = _mm_or_si128(_mm_and_si128(digits, aligned_block(words->whole)),
                          _mm_and_si128(_mm_slli_epi64(digits, 8), aligned_block(words->fraction)));
  }
  const __m128i text = _mm_add_epi8(placed, aligned_block(words->zeros));
  return {{_mm_srl_epi64(text, shift)}, words->bytes - kDigits.leading_zero_bytes[zeros]};
#else
  const std::uint64_t digits = triples.high | std::uint64_t{triples.low} << 24U;
  const auto zero_bits =
      static_cast<std::uint32_t>(__builtin_ctzll(digits | words->not_leading[0])) & 0x38U;
  const std::uint64_t text =
      ((digits & words->whole[0]) | (digits << 8U & words->fraction[0])) + words->zeros[0];
  return {block_of(text >> zero_bits), words->bytes - zero_bits / 8};
#endif
}

// All six digits of a value below kOrdinaryDigitsEnd, with leading zeros.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t six_digits_word(std::uint64_t value) noexcept {
  const Triples triples = triples_of(value);
  return (triples.high | std::uint64_t{triples.low} << 24U) + kSixZeros;
}

// -HH:MM: for a minute of the day, and a zero byte.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t minute_word(std::uint32_t minute) noexcept {
  const std::uint32_t hour = minute / 60;
  constexpr std::uint64_t kAround = 0x003a'3030'3a30'302d;
  // The first of an hour's three digits is 0.
  return (kDigits.triples[hour] | std::uint64_t{kDigits.triples[minute - hour * 60]} << 24U) +
         kAround;
}

// The two digits of a second of the minute.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t second_word(std::uint64_t second) noexcept {
  return (kDigits.triples[second] >> 8U) + 0x3030U;
}

// SS.sss for a millisecond of the minute, in the low half.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block millis_text(std::uint32_t millis) noexcept {
  const std::uint32_t second = millis / 1'000;
  const std::uint32_t first = kDigits.triples[second];
  const std::uint32_t last = kDigits.triples[millis - second * 1'000];
  alignas(16) static constexpr ScaleWords::Word kZerosAndPoint{0x3030'302e'3030, 0};
  // The first of a second's three digits is 0 and is dropped.
#if NEXUSFIX_BYTE_BLOCK_SSE2
  const __m128i digits = _mm_or_si128(_mm_srli_epi64(block_of_triple(first), 8),
                                      _mm_slli_epi64(block_of_triple(last), 24));
  return {_mm_add_epi8(digits, aligned_block(kZerosAndPoint))};
#else
  return block_of((first >> 8U | std::uint64_t{last} << 24U) + kZerosAndPoint[0]);
#endif
}

// The three digits of a value below 1,000.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t thousandth_word(std::uint32_t value) noexcept {
  return kDigits.triples[value] + 0x30'3030U;
}

}  // namespace nexusfix::wire::detail
