// The kernel for x86-64 with AVX2: blocks of 64 bytes in two registers, eight tags at a time.
#include "wire/kernels/kernel_table.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

// Everything between here and the region's end is compiled for AVX2, whatever the flags of the
// build are. The headers are included before it, and nothing inside instantiates a template with
// external linkage: the linker could otherwise keep an AVX2 copy for all users.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#endif

namespace nexusfix::wire::kernels::avx2 {

namespace {

#include "wire/kernels/generic/slow_path.inl.hpp"
#include "wire/kernels/generic/x86_groups.inl.hpp"

constexpr std::uint32_t kUsualFields = 5;

inline std::uint32_t bit_count(std::uint64_t bits) noexcept {
  return static_cast<std::uint32_t>(_mm_popcnt_u64(bits));
}

// Lanes of bytes. They may wrap.
using ByteSum = __m256i;

inline ByteSum no_bytes() noexcept { return _mm256_setzero_si256(); }

inline std::uint32_t total_of(ByteSum sum) noexcept {
  const __m128i half = _mm_add_epi8(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  const __m128i sums = _mm_sad_epu8(half, _mm_setzero_si128());
  return static_cast<std::uint32_t>(
      _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_unpackhi_epi64(sums, sums))));
}

// Sums the first 16 bytes: frames.inl.hpp adds what a head has more or less.
inline ByteSum sum_of_head(const char* frame) noexcept {
  return _mm256_zextsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(frame)));
}

inline std::uint64_t soh_bits(__m256i low, __m256i high, ByteSum& sum) noexcept {
  const __m256i soh = _mm256_set1_epi8('\x01');
  sum = _mm256_add_epi8(sum, _mm256_add_epi8(low, high));
  const auto low_bits =
      static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, soh)));
  const auto high_bits =
      static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, soh)));
  return low_bits | (std::uint64_t{high_bits} << 32);
}

inline std::uint64_t soh_bits(const char* block, ByteSum& sum) noexcept {
  return soh_bits(load_lanes(block), load_lanes(block + 32), sum);
}

inline std::uint64_t soh_bits(const char* block, const unsigned char* keep, ByteSum& sum) noexcept {
  return soh_bits(_mm256_and_si256(load_lanes(block), load_lanes(keep)),
                  _mm256_and_si256(load_lanes(block + 32), load_lanes(keep + 32)), sum);
}

constexpr std::uint32_t kVectorBytes = sizeof(ByteSum);

inline ByteSum load_vector(const void* from) noexcept { return load_lanes(from); }
inline ByteSum of_both(ByteSum one, ByteSum other) noexcept { return _mm256_and_si256(one, other); }
inline ByteSum of_either(ByteSum one, ByteSum other) noexcept {
  return _mm256_or_si256(one, other);
}
inline ByteSum sum_of(ByteSum one, ByteSum other) noexcept { return _mm256_add_epi8(one, other); }
inline ByteSum beyond(ByteSum bytes, ByteSum lowest, ByteSum width) noexcept {
  return _mm256_subs_epu8(_mm256_sub_epi8(bytes, lowest), width);
}
inline bool is_none(ByteSum bytes) noexcept { return _mm256_testz_si256(bytes, bytes) != 0; }

#include "wire/kernels/generic/bit_starts.inl.hpp"
#include "wire/kernels/generic/windows.inl.hpp"
// After windows.inl.hpp.
#include "wire/kernels/generic/usual_frames.inl.hpp"
// After usual_frames.inl.hpp.
#include "wire/kernels/generic/frames.inl.hpp"
// After frames.inl.hpp.
#include "wire/kernels/generic/fits.inl.hpp"
#include "wire/kernels/generic/known_tags.inl.hpp"

// match_known() of find_sequence.inl.hpp: tags are compared and the places of all values written at
// once.

// Bits in each byte that is not as the known ones, among the first four of each field. fields: all
// but the trailer.
[[gnu::always_inline]] inline __m256i beyond_known(const char* frame, const unsigned char* starts,
                                                   const TagTexts& known,
                                                   std::uint32_t fields) noexcept {
  __m256i others = _mm256_setzero_si256();
  for (std::uint32_t field = kFirstCompared; field < fields; field += kGroupFields) {
    others = _mm256_or_si256(
        others, beyond(load_words(frame, starts + field), load_lanes(known.lowest + field),
                       load_lanes(known.width + field)));
  }
  return others;
}

// Writes the places of the values. Returns bits for the fields whose value is empty or longer than
// the known ones may be.
[[gnu::always_inline]] inline __m256i put_places(const unsigned char* starts, const TagTexts& known,
                                                 NarrowPlace* places) noexcept {
  const __m256i begins = _mm256_add_epi8(load_lanes(starts), load_lanes(known.bytes));
  const __m256i minus_one = _mm256_set1_epi8(-1);
  const __m256i ends = _mm256_add_epi8(load_lanes(starts + 1), minus_one);
  const __m256i sizes = _mm256_sub_epi8(ends, begins);
  const __m256i low = _mm256_unpacklo_epi8(begins, sizes);
  const __m256i high = _mm256_unpackhi_epi8(begins, sizes);
  store_lanes(places, _mm256_permute2x128_si256(low, high, 0x20));
  store_lanes(places + kGroupFields * 2, _mm256_permute2x128_si256(low, high, 0x31));
  return _mm256_subs_epu8(_mm256_add_epi8(sizes, minus_one), load_lanes(known.more));
}

[[gnu::always_inline]] inline bool match_known(const char* frame, ShortStarts& starts,
                                               std::uint32_t fields, std::uint32_t size,
                                               TagSequence& sequence) noexcept {
  const TagTexts& known = sequence.texts();
  const __m256i others = beyond_known(frame, starts.at, known, fields);
  // Not before: a group would read there.
  starts.at[fields + 1] = static_cast<unsigned char>(size);
  NarrowPlace* const places = sequence.places();
  const __m256i beyond_sizes = put_places(starts.at, known, places);
  if (!are_long_tags(frame, starts.at, known)) return false;
  if (!is_none(_mm256_or_si256(others, beyond_sizes)) || !are_known_values(frame, places, known))
      [[unlikely]] {
    sequence.set_narrow(false);
    return are_tags(frame, starts.at, known, fields);
  }
  sequence.set_narrow(true);
  return true;
}

#include "wire/kernels/generic/find_sequence.inl.hpp"

}  // namespace

}  // namespace nexusfix::wire::kernels::avx2

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace nexusfix::wire::kernels::avx2 {

namespace {

// Outside of the region, because it also runs on CPUs without AVX2.
bool supported() noexcept {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
         __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("popcnt") != 0 &&
         __builtin_cpu_supports("lzcnt") != 0;
}

}  // namespace

extern const KernelTable kTable;
const KernelTable kTable{
    "avx2", supported,     {index_frame<0>, index_frame<1>, index_frame<2>, index_frame<3>},
    fits,   find_sequence, true};

}  // namespace nexusfix::wire::kernels::avx2

#endif
