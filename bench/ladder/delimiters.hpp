// Finds SOH and `=` in 64 bytes at a time, with instructions of every x86-64.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "bench/ladder/rung.hpp"

namespace nexusfix::bench::ladder {

inline constexpr std::size_t kBlockBytes = 64;

struct Delimiters {
  std::uint64_t soh = 0;     // one bit for each byte
  std::uint64_t equals = 0;  // the same
  std::uint32_t sum = 0;     // of all bytes
};

#if defined(__SSE2__)

[[nodiscard]] inline Delimiters delimiters_of(const char* block) noexcept {
  constexpr std::size_t kVectorBytes = 16;
  const __m128i soh = _mm_set1_epi8(kSoh);
  const __m128i equals = _mm_set1_epi8('=');
  const __m128i zero = _mm_setzero_si128();
  Delimiters found;
  __m128i sums = zero;
  for (std::size_t at = 0; at < kBlockBytes; at += kVectorBytes) {
    // An unaligned load: any address is valid.
    const void* const here = block + at;
    const __m128i bytes = _mm_loadu_si128(static_cast<const __m128i*>(here));
    const auto bits = [&](__m128i wanted) {
      return static_cast<std::uint64_t>(
          static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted))));
    };
    found.soh |= bits(soh) << at;
    found.equals |= bits(equals) << at;
    sums = _mm_add_epi64(sums, _mm_sad_epu8(bytes, zero));
  }
  found.sum = static_cast<std::uint32_t>(_mm_cvtsi128_si32(sums)) +
              static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_srli_si128(sums, 8)));
  return found;
}

#else

[[nodiscard]] inline Delimiters delimiters_of(const char* block) noexcept {
  Delimiters found;
  for (std::size_t at = 0; at < kBlockBytes; ++at) {
    found.soh |= static_cast<std::uint64_t>(block[at] == kSoh) << at;
    found.equals |= static_cast<std::uint64_t>(block[at] == '=') << at;
    found.sum += static_cast<unsigned char>(block[at]);
  }
  return found;
}

#endif

// For the last bytes of a message: reads no byte after them.
[[nodiscard]] inline Delimiters delimiters_of_rest(const char* begin, std::size_t size) noexcept {
  char block[kBlockBytes] = {};
  for (std::size_t i = 0; i < size; ++i) block[i] = begin[i];
  return delimiters_of(block);
}

}  // namespace nexusfix::bench::ladder
