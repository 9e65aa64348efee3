// CheckSum (10): the sum of all bytes of a message up to and including the SOH before `10=`, modulo
// 256 (FIX Session Layer, sec. "Checksum calculation").
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <nexusfix/wire/values/digits.hpp>

namespace nexusfix::wire {

// The sum of the bytes modulo 256. bytes may be empty and of any size; nothing outside of them is
// read. Any thread; no allocation. The sums of parts add up to the sum of the whole.
[[nodiscard]] inline std::uint8_t check_sum(std::string_view bytes) noexcept;

namespace detail {

// Fewer than 16 bytes, in two pieces that may overlap. The bytes that both contain are shifted out
// of the second one.
[[nodiscard]] inline std::uint64_t sum_of_few(const char* from, std::size_t size) noexcept {
  const auto piece = [&]<class Word>(std::size_t at, Word) noexcept -> std::uint64_t {
    Word word;
    std::memcpy(&word, from + at, sizeof word);
    return word;
  };
  constexpr std::uint64_t kEvenBytes = 0x00ff'00ff'00ff'00ff;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  if (size >= 8) {
    first = piece(0, std::uint64_t{});
    // In two steps, because a shift by all 64 bits is undefined.
    second = piece(size - 8, std::uint64_t{}) >> 8 >> 8 * (15 - size);
  } else if (size >= 4) {
    first = piece(0, std::uint32_t{});
    second = piece(size - 4, std::uint32_t{}) >> 8 * (8 - size);
  } else if (size >= 2) {
    first = piece(0, std::uint16_t{});
    second = piece(size - 2, std::uint16_t{}) >> 8 * (4 - size);
  } else if (size == 1) {
    first = piece(0, std::uint8_t{});
  }
  const std::uint64_t sums = (first & kEvenBytes) + (first >> 8U & kEvenBytes) +
                             (second & kEvenBytes) + (second >> 8U & kEvenBytes);
  // Adds the four 16-bit sums into the highest one.
  return sums * 0x0001'0001'0001'0001 >> 48U;
}

}  // namespace detail

#if defined(__SSE2__)

// Adds bytes as bytes, because only the sum modulo 256 matters, and adds up the vector once at the
// end.
inline std::uint8_t check_sum(std::string_view bytes) noexcept {
  using detail::kVectorBytes;
  using detail::load_vector;
  const char* at = bytes.data();
  const std::size_t size = bytes.size();
  if (size < kVectorBytes) return static_cast<std::uint8_t>(detail::sum_of_few(at, size));

  // The remainder that is no whole vector: the last bytes of a vector that ends where the bytes
  // end.
  __m128i a =
      _mm_and_si128(load_vector(at + size - kVectorBytes), detail::keep_last(size % kVectorBytes));
  __m128i b = _mm_setzero_si128();
  // After the blocks of eight vectors, adds one, two and four vectors as needed: fewer branches
  // than a loop.
  constexpr std::size_t kBlock = 8 * kVectorBytes;
  for (const char* const end = at + size / kBlock * kBlock; at != end; at += kBlock) {
    a = _mm_add_epi8(a, load_vector(at));
    b = _mm_add_epi8(b, load_vector(at + kVectorBytes));
    a = _mm_add_epi8(a, load_vector(at + 2 * kVectorBytes));
    b = _mm_add_epi8(b, load_vector(at + 3 * kVectorBytes));
    a = _mm_add_epi8(a, load_vector(at + 4 * kVectorBytes));
    b = _mm_add_epi8(b, load_vector(at + 5 * kVectorBytes));
    a = _mm_add_epi8(a, load_vector(at + 6 * kVectorBytes));
    b = _mm_add_epi8(b, load_vector(at + 7 * kVectorBytes));
  }
  if ((size & (4 * kVectorBytes)) != 0) {
    a = _mm_add_epi8(a, load_vector(at));
    b = _mm_add_epi8(b, load_vector(at + kVectorBytes));
    a = _mm_add_epi8(a, load_vector(at + 2 * kVectorBytes));
    b = _mm_add_epi8(b, load_vector(at + 3 * kVectorBytes));
    at += 4 * kVectorBytes;
  }
  if ((size & (2 * kVectorBytes)) != 0) {
    a = _mm_add_epi8(a, load_vector(at));
    b = _mm_add_epi8(b, load_vector(at + kVectorBytes));
    at += 2 * kVectorBytes;
  }
  if ((size & kVectorBytes) != 0) a = _mm_add_epi8(a, load_vector(at));
  const __m128i sums = _mm_sad_epu8(_mm_add_epi8(a, b), _mm_setzero_si128());
  return static_cast<std::uint8_t>(_mm_cvtsi128_si32(sums) + _mm_extract_epi16(sums, 4));
}

#else

inline std::uint8_t check_sum(std::string_view bytes) noexcept {
  constexpr std::size_t kPiece = 8;
  std::uint64_t sum = 0;
  for (; bytes.size() > kPiece; bytes.remove_prefix(kPiece)) {
    sum += detail::sum_of_few(bytes.data(), kPiece);
  }
  return static_cast<std::uint8_t>(sum + detail::sum_of_few(bytes.data(), bytes.size()));
}

#endif

}  // namespace nexusfix::wire
