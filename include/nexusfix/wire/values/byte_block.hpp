// Up to sixteen bytes in a register: loads them without reading past them, searches them for SOH,
// and sums them for CheckSum. Inline, because every encoded field passes here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <nexusfix/base/language.hpp>

#if defined(__SSE2__) && defined(__x86_64__)
#define NEXUSFIX_BYTE_BLOCK_SSE2 1
#include <emmintrin.h>
#else
#define NEXUSFIX_BYTE_BLOCK_SSE2 0
#endif

namespace nexusfix::wire::detail {

// The compiler's cost model must not turn these into calls, because a field's bytes would then
// leave their registers.
#define NEXUSFIX_ALWAYS_INLINE [[gnu::always_inline]] inline

inline constexpr std::size_t kBlockBytes = 16;

// bytes, rounded up to whole blocks, so that those can be copied.
[[nodiscard]] constexpr std::size_t whole_blocks(std::size_t bytes) noexcept {
  return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

template <class Word>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t load(const char* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

template <class Word>
NEXUSFIX_ALWAYS_INLINE void store(char* to, Word word) noexcept {
  std::memcpy(to, &word, sizeof word);
}

#if NEXUSFIX_BYTE_BLOCK_SSE2

struct Block {
  __m128i bytes;
};

[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block no_bytes() noexcept { return {_mm_setzero_si128()}; }
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block block_of(std::uint64_t low) noexcept {
  return {_mm_cvtsi64_si128(static_cast<long long>(low))};
}
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block block_of(std::uint64_t low,
                                                    std::uint64_t high) noexcept {
  return {_mm_unpacklo_epi64(block_of(low).bytes, block_of(high).bytes)};
}
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block load_block(const char* from) noexcept {
  Block block;
  std::memcpy(&block.bytes, from, kBlockBytes);
  return block;
}
NEXUSFIX_ALWAYS_INLINE void store_block(char* to, Block block) noexcept {
  std::memcpy(to, &block.bytes, kBlockBytes);
}
// Stores the first eight bytes of the block.
NEXUSFIX_ALWAYS_INLINE void store_low_half(char* to, Block block) noexcept {
  void* const address = to;
  _mm_storel_epi64(static_cast<__m128i*>(address), block.bytes);
}
// Lane by lane, modulo 256, which is enough for CheckSum.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block add_bytes(Block a, Block b) noexcept {
  return {_mm_add_epi8(a.bytes, b.bytes)};
}
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE bool holds_soh(Block block) noexcept {
  return _mm_movemask_epi8(_mm_cmpeq_epi8(block.bytes, _mm_set1_epi8('\x01'))) != 0;
}
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint32_t sum_of(Block block) noexcept {
  const __m128i sums = _mm_sad_epu8(block.bytes, _mm_setzero_si128());
  return static_cast<std::uint32_t>(
      _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_unpackhi_epi64(sums, sums))));
}

#else

struct Block {
  std::uint64_t low;
  std::uint64_t high;
};

inline constexpr std::uint64_t kLowBits = 0x0101'0101'0101'0101;
inline constexpr std::uint64_t kHighBits = kLowBits << 7U;

[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block no_bytes() noexcept { return {0, 0}; }
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block block_of(std::uint64_t low,
                                                    std::uint64_t high = 0) noexcept {
  return {low, high};
}
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block load_block(const char* from) noexcept {
  return {load<std::uint64_t>(from), load<std::uint64_t>(from + 8)};
}
NEXUSFIX_ALWAYS_INLINE void store_block(char* to, Block block) noexcept {
  store(to, block.low);
  store(to + 8, block.high);
}
NEXUSFIX_ALWAYS_INLINE void store_low_half(char* to, Block block) noexcept { store(to, block.low); }
// The high bit of each byte is added without its carry.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t add_bytes(std::uint64_t a,
                                                             std::uint64_t b) noexcept {
  return ((a & ~kHighBits) + (b & ~kHighBits)) ^ ((a ^ b) & kHighBits);
}
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block add_bytes(Block a, Block b) noexcept {
  return {add_bytes(a.low, b.low), add_bytes(a.high, b.high)};
}
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE bool holds_soh(Block block) noexcept {
  const std::uint64_t low = block.low ^ kLowBits;
  const std::uint64_t high = block.high ^ kLowBits;
  return ((((low - kLowBits) & ~low) | ((high - kLowBits) & ~high)) & kHighBits) != 0;
}
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint32_t sum_of(Block block) noexcept {
  std::uint64_t sum = 0;
  for (const std::uint64_t word : {block.low, block.high}) {
    for (unsigned shift = 0; shift < 64; shift += 8) sum += word >> shift & 0xffU;
  }
  return static_cast<std::uint32_t>(sum);
}

#endif

#if NEXUSFIX_BYTE_BLOCK_SSE2
// By the number of bytes: the shift of the second of two overlapping pieces of 8 or 4 bytes.
inline constexpr std::array<std::uint64_t, kBlockBytes + 1> kPieceShifts = [] {
  std::array<std::uint64_t, kBlockBytes + 1> shifts{};
  for (std::size_t i = 4; i < shifts.size(); ++i) {
    shifts[i] = 8 * (i > 8 ? kBlockBytes - i : i - 4);
  }
  return shifts;
}();

[[nodiscard]] NEXUSFIX_ALWAYS_INLINE __m128i load_half(const void* from) noexcept {
  return _mm_loadl_epi64(static_cast<const __m128i*>(from));
}

// Loads a table's entry. If the compiler knew the table, it would load the entry into a
// general register first, and an encoder has few of them.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE __m128i load_entry(const std::uint64_t& entry) noexcept {
  __m128i half;
  asm("movq %1, %0" : "=x"(half) : "m"(entry));
  return half;
}

[[nodiscard]] NEXUSFIX_ALWAYS_INLINE __m128i load_quarter(const char* from) noexcept {
  return _mm_cvtsi32_si128(static_cast<int>(load<std::uint32_t>(from)));
}
#endif

// bytes: 1 to kBlockBytes. Bytes after them are not read and are zero in the block. Pieces of a
// fixed size overlap if the number of bytes is not a power of two.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block load_block(const char* from,
                                                      std::size_t bytes) noexcept {
#if NEXUSFIX_BYTE_BLOCK_SSE2
  // Shifted in the vector register, because the general registers have more to do.
  if (bytes > 8) {
    const __m128i last =
        _mm_srl_epi64(load_half(from + bytes - 8), load_entry(kPieceShifts[bytes]));
    return {_mm_unpacklo_epi64(load_half(from), last)};
  }
  if (bytes >= 4) {
    const __m128i last =
        _mm_sll_epi64(load_quarter(from + bytes - 4), load_entry(kPieceShifts[bytes]));
    return {_mm_or_si128(load_quarter(from), last)};
  }
#else
  if (bytes > 8) {
    // Modulo 64 this is 8 * (16 - bytes), which shifts out the overlap.
    const std::size_t overlap_bits = (0 - 8 * bytes) & 63U;
    return block_of(load<std::uint64_t>(from),
                    load<std::uint64_t>(from + bytes - 8) >> overlap_bits);
  }
  if (bytes >= 4) {
    return block_of(load<std::uint32_t>(from) | load<std::uint32_t>(from + bytes - 4)
                                                    << (8 * (bytes - 4)));
  }
#endif
  const std::size_t middle = bytes / 2;
  return block_of(load<std::uint8_t>(from) | load<std::uint8_t>(from + middle) << (8 * middle) |
                  load<std::uint8_t>(from + bytes - 1) << (8 * (bytes - 1)));
}

}  // namespace nexusfix::wire::detail
