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

template <std::uint32_t Count>
inline std::uint64_t write_some_positions(std::uint32_t* out, std::uint32_t base,
                                          std::uint64_t bits) noexcept {
#pragma GCC unroll 16
  for (std::uint32_t i = 0; i < Count; ++i) {
    out[i] = base + static_cast<std::uint32_t>(_tzcnt_u64(bits));
    bits = _blsr_u64(bits);
  }
  return bits;
}

// Writes the position of every set bit. Many at a time without asking how many there are, because
// the number of fields in a block is what a branch predictor cannot know; entries behind the last
// one are overwritten later or lie in the slack.
inline std::uint32_t write_positions(std::uint32_t* out, std::uint32_t base,
                                     std::uint64_t bits) noexcept {
  constexpr std::uint32_t kUsual = 10;  // of 64 bytes: fields of 6.4 bytes
  const auto count = static_cast<std::uint32_t>(_mm_popcnt_u64(bits));
  bits = write_some_positions<kUsual>(out, base, bits);
  for (std::uint32_t written = kUsual; written < count; written += 6) {
    bits = write_some_positions<6>(out + written, base, bits);
  }
  return count;
}
static_assert(kBlockBytes <= kArraySlack);

// 64 zero bytes and 64 set ones: from kKeep + n on, a mask that keeps all but the first 64 - n.
alignas(64) constexpr unsigned char kKeep[2 * kBlockBytes] = {
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
};

inline __m256i keep_last(const char* bytes, const unsigned char* keep) noexcept {
  return _mm256_and_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes)),
                          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keep)));
}

// A block of 64 bytes of which only the last rest count (fewer than 64), and the position of its
// first byte, which may lie in front of the message. Zero is neither SOH nor does it add to a sum.
struct Rest {
  Block block;
  std::uint32_t base;
};

inline Rest load_rest(const char* body, std::uint32_t size, std::uint32_t rest) noexcept {
  if (size >= kBlockBytes) {
    // Together with bytes that were seen before, which are masked off.
    const char* const from = body + size - kBlockBytes;
    return {{keep_last(from, kKeep + rest), keep_last(from + 32, kKeep + 32 + rest)},
            size - kBlockBytes};
  }
  if (size >= 32) {
    // Two halves that overlap in the middle, where the second one's are masked off.
    return {{_mm256_loadu_si256(reinterpret_cast<const __m256i*>(body)),
             keep_last(body + size - 32, kKeep + size)},
            0};
  }
  alignas(32) char bytes[kBlockBytes] = {};
  __builtin_memcpy(bytes, body, size);
  return {load_block(bytes), 0};
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
  const Rest rest = load_rest(body, size, size - at);
  sum = add_bytes(sum, rest.block);
  std::uint64_t bits = soh_bits(rest.block);
  std::uint32_t base = rest.base;
  if (size < kBlockBytes && size >= 32) {
    // The second half stands where its own bytes are, 64 - size further to the front.
    const std::uint64_t second = bits >> 32 << (size - 32);
    bits = (bits & 0xffff'ffff) | second;
    base = 0;
  }
  count += write_positions(arrays.ends + count, base, bits);
  byte_sum = horizontal_sum(sum);
  return count;
}

// A field begins at any address: these two loads ask for no alignment, as those of a double do.
inline __m128i load_words(const char* first, const char* second) noexcept {
  const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(first));
  return _mm_castps_si128(
      _mm_loadh_pi(_mm_castsi128_ps(low), reinterpret_cast<const __m64*>(second)));
}

inline __m128i load_four(const std::uint32_t* from) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

inline void store_four(std::uint32_t* to, __m128i four) noexcept {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), four);
}

inline __m128i table(const std::uint8_t (&entries)[16]) noexcept {
  return _mm_load_si128(reinterpret_cast<const __m128i*>(entries));
}

// Not 0 in the lanes whose tag may be a Length tag.
inline __m128i may_be_length_tags(const DataTags& data, __m128i tags) noexcept {
  const __m128i low_four = _mm_set1_epi32(15);
  const __m128i low = _mm_shuffle_epi8(table(data.low_nibbles), _mm_and_si128(tags, low_four));
  const __m128i high =
      _mm_shuffle_epi8(table(data.high_nibbles), _mm_and_si128(_mm_srli_epi32(tags, 4), low_four));
  const __m128i third =
      _mm_shuffle_epi8(table(data.third_nibbles), _mm_and_si128(_mm_srli_epi32(tags, 8), low_four));
  // Only the lowest byte of each lane was looked up.
  return _mm_and_si128(_mm_and_si128(low, high), _mm_and_si128(third, _mm_set1_epi32(0xff)));
}

// Four tags at a time: the first eight bytes of each field in a lane of 64 bits.
constexpr std::uint32_t kFieldsAtOnce = 4;
inline bool index_ordinary_fields(const char* body, const DataTags& data, const FieldArrays& arrays,
                                  std::uint32_t soh, std::uint32_t count) noexcept {
  const std::uint32_t* const ends = arrays.ends + soh;
  const __m256i zero = _mm256_setzero_si256();
  const __m256i words = _mm256_set_m128i(
      load_words(body + (ends[1] + 1), body + (ends[2] + 1)),
      load_words(body + static_cast<std::uint32_t>(ends[-1] + 1), body + (ends[0] + 1)));

  // All bits of the bytes in front of the first `=`; of all bytes if there is none.
  const __m256i equals = _mm256_cmpeq_epi8(words, _mm256_set1_epi8('='));
  const __m256i in_front =
      _mm256_andnot_si256(equals, _mm256_add_epi64(equals, _mm256_set1_epi8(-1)));
  const __m256i tag_bytes = _mm256_sad_epu8(_mm256_and_si256(in_front, _mm256_set1_epi8(1)), zero);

  // Digits become 0 to 9 and move to the top, so that the zeros that follow below count nothing.
  const __m256i from_zero = _mm256_xor_si256(words, _mm256_set1_epi8('0'));
  const __m256i shift = _mm256_sub_epi64(_mm256_set1_epi64x(64), _mm256_slli_epi64(tag_bytes, 3));
  const __m256i digits = _mm256_sllv_epi64(from_zero, shift);
  const __m256i pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x010a));
  const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x0001'0064));
  const __m256i numbers = _mm256_add_epi64(_mm256_mul_epu32(fours, _mm256_set1_epi64x(10'000)),
                                           _mm256_srli_epi64(fours, 32));

  const __m256i not_digits = _mm256_subs_epu8(digits, _mm256_set1_epi8(9));
  const __m256i leading_zero =
      _mm256_cmpeq_epi64(_mm256_and_si256(from_zero, _mm256_set1_epi64x(0xff)), zero);
  const __m256i no_equals = _mm256_cmpeq_epi64(equals, zero);
  const __m256i bad = _mm256_or_si256(_mm256_or_si256(not_digits, leading_zero), no_equals);

  // The lanes' low halves side by side: tags in the lower half, their lengths in the upper one.
  const __m256i both =
      _mm256_permutevar8x32_epi32(_mm256_or_si256(numbers, _mm256_slli_epi64(tag_bytes, 32)),
                                  _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
  const __m128i tags = _mm256_castsi256_si128(both);
  const __m128i value_ends = load_four(ends);
  // One behind the SOH in front, the tag, and one for the `=`.
  const __m128i begins = _mm_add_epi32(_mm_add_epi32(load_four(ends - 1), _mm_set1_epi32(2)),
                                       _mm256_extracti128_si256(both, 1));
  const __m128i unusual = _mm_or_si128(
      _mm_or_si128(_mm_cmpeq_epi32(begins, value_ends), _mm_cmpeq_epi32(tags, _mm_setzero_si128())),
      may_be_length_tags(data, tags));
  if (!_mm256_testz_si256(bad, bad) || !_mm_testz_si128(unusual, unusual)) return false;
  store_four(arrays.tags + count, tags);
  store_four(arrays.begins + count, begins);
  // Mostly they stand there already. Storing them again would cost more than it looks: the next
  // four are loaded together with the last of these, which no store buffer forwards.
  if (count != soh) store_four(arrays.ends + count, value_ends);
  return true;
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
