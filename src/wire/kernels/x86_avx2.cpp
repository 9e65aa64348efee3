// The kernel for x86-64 with AVX2: 64 bytes a step in two registers.
#include "wire/kernels/kernel_table.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

// Everything between here and the region's end is compiled for AVX2, whatever the flags of the
// build. The headers are included before it, and nothing inside instantiates a template with
// external linkage: the linker might otherwise keep an AVX2 copy for all users.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#endif

namespace nexusfix::wire::kernels::avx2 {

namespace {

constexpr std::uint32_t kScanCapacityExceeded = 0xffff'ffff;
constexpr std::uint32_t kBlockBytes = 64;

struct Block {
  __m256i low;
  __m256i high;
};

inline Block load_block(const char* bytes) noexcept {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes)),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + 32))};
}

inline std::uint64_t soh_bits(const Block& block) noexcept {
  const __m256i soh = _mm256_set1_epi8('\x01');
  const auto low =
      static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(block.low, soh)));
  const auto high =
      static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(block.high, soh)));
  return low | (std::uint64_t{high} << 32);
}

inline __m256i add_bytes(__m256i sum, const Block& block) noexcept {
  const __m256i zero = _mm256_setzero_si256();
  sum = _mm256_add_epi64(sum, _mm256_sad_epu8(block.low, zero));
  return _mm256_add_epi64(sum, _mm256_sad_epu8(block.high, zero));
}

inline std::uint32_t horizontal_sum(__m256i sum) noexcept {
  const __m128i half = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  return static_cast<std::uint32_t>(
      _mm_cvtsi128_si64(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half))));
}

// Writes the position of every set bit. Eight at a time without asking how many there are, because
// the number of fields in a block is what a branch predictor cannot know; entries behind the last
// one are overwritten later or lie in the slack.
inline std::uint32_t write_positions(std::uint32_t* out, std::uint32_t base,
                                     std::uint64_t bits) noexcept {
  const auto count = static_cast<std::uint32_t>(_mm_popcnt_u64(bits));
  for (std::uint32_t written = 0; written < count; written += 8) {
    for (std::uint32_t i = 0; i < 8; ++i) {
      out[written + i] = base + static_cast<std::uint32_t>(_tzcnt_u64(bits));
      bits = _blsr_u64(bits);
    }
  }
  return count;
}

// The last size bytes (fewer than a block) in front of end, at the low end of a block that is zero
// behind them. Zero is neither SOH nor does it add to a sum.
inline Block load_rest(const char* end, std::uint32_t size) noexcept {
  alignas(32) char bytes[kBlockBytes] = {};
  __builtin_memcpy(bytes, end - size, size);
  return load_block(bytes);
}

inline std::uint32_t scan_soh(const char* body, std::uint32_t size, const FieldArrays& arrays,
                              std::uint32_t& byte_sum) noexcept {
  std::uint32_t count = 0;
  std::uint32_t at = 0;
  __m256i sum = _mm256_setzero_si256();
  for (; at + kBlockBytes <= size; at += kBlockBytes) {
    if (count + kBlockBytes > arrays.capacity) return kScanCapacityExceeded;
    const Block block = load_block(body + at);
    sum = add_bytes(sum, block);
    count += write_positions(arrays.ends + count, at, soh_bits(block));
  }
  if (count + kBlockBytes > arrays.capacity) return kScanCapacityExceeded;
  const Block block = load_rest(body + size, size - at);
  sum = add_bytes(sum, block);
  count += write_positions(arrays.ends + count, at, soh_bits(block));
  byte_sum = horizontal_sum(sum);
  return count;
}

#include "wire/kernels/generic/index.inl.hpp"

}  // namespace

}  // namespace nexusfix::wire::kernels::avx2

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace nexusfix::wire::kernels::avx2 {

namespace {

// Outside of the region: it runs on CPUs that have none of this.
bool supported() noexcept {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
         __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("popcnt") != 0;
}

}  // namespace

extern const KernelTable kTable;
const KernelTable kTable{"avx2", supported, index_fields};

}  // namespace nexusfix::wire::kernels::avx2

#endif
