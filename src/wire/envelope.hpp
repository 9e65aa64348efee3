// The fields around a body: BeginString and BodyLength before it, CheckSum after it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <nexusfix/wire/field.hpp>

#include "wire/digits.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nexusfix::wire {

inline constexpr std::string_view kBeginStringStart = "8=";
inline constexpr std::string_view kBodyLengthStart =
    "\x01"
    "9=";
inline constexpr std::size_t kCheckSumDigits = 3;
inline constexpr std::size_t kTrailerBytes = 7;  // 10=ddd and SOH

// The room to reserve before a body that ends within buffer_bytes: `8=`, BeginString, SOH, `9=`,
// the longest BodyLength, SOH.
[[nodiscard]] inline std::size_t envelope_front_bytes(std::size_t begin_string_bytes,
                                                      std::size_t buffer_bytes) noexcept {
  return kBeginStringStart.size() + begin_string_bytes + kBodyLengthStart.size() +
         digit_count(buffer_bytes) + 1;
}

// The sum of all bytes. CheckSum is its low eight bits.
[[nodiscard]] inline std::uint32_t byte_sum(std::string_view bytes) noexcept {
  std::uint32_t sum = 0;
  std::size_t at = 0;
#if defined(__SSE2__)
  constexpr std::size_t kVectorBytes = 16;
  __m128i sums = _mm_setzero_si128();
  for (; at + kVectorBytes <= bytes.size(); at += kVectorBytes) {
    const void* const from = bytes.data() + at;
    sums = _mm_add_epi64(sums, _mm_sad_epu8(_mm_loadu_si128(static_cast<const __m128i*>(from)),
                                            _mm_setzero_si128()));
  }
  sum = static_cast<std::uint32_t>(
      _mm_cvtsi128_si64(_mm_add_epi64(sums, _mm_unpackhi_epi64(sums, sums))));
#endif
  for (; at < bytes.size(); ++at) sum += static_cast<unsigned char>(bytes[at]);
  return sum;
}

// `10=ddd` and SOH for the sum of all bytes before them.
inline void write_check_sum(char* out, std::uint32_t sum) noexcept {
  constexpr std::uint32_t kCheckSumModulus = 256;
  std::memcpy(out, "10=", 3);
  write_digits_before(out + 3 + kCheckSumDigits, sum % kCheckSumModulus, kCheckSumDigits);
  out[kTrailerBytes - 1] = kSoh;
}

// Writes BeginString and BodyLength directly before body, and the CheckSum field directly after
// body_end. Returns the complete message. There must be room for both. The body stays in place, so
// the message begins where the digits of BodyLength let it begin.
[[nodiscard]] inline std::string_view seal(char* body, char* body_end,
                                           std::string_view begin_string) noexcept {
  const auto body_length = static_cast<std::uint64_t>(body_end - body);
  const std::size_t digits = digit_count(body_length);
  char* at = body;
  *--at = kSoh;
  write_digits_before(at, body_length, digits);
  at -= digits + kBodyLengthStart.size();
  std::memcpy(at, kBodyLengthStart.data(), kBodyLengthStart.size());
  at -= begin_string.size();
  copy_short(at, begin_string.data(), begin_string.size());
  at -= kBeginStringStart.size();
  std::memcpy(at, kBeginStringStart.data(), kBeginStringStart.size());

  write_check_sum(body_end, byte_sum({at, static_cast<std::size_t>(body_end - at)}));
  return {at, static_cast<std::size_t>(body_end + kTrailerBytes - at)};
}

}  // namespace nexusfix::wire
