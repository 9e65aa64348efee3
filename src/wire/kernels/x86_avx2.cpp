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

constexpr std::uint32_t kUsualFields = 6;

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

inline std::uint32_t soh_bits_of(__m256i bytes) noexcept {
  return static_cast<std::uint32_t>(
      _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\x01'))));
}

inline std::uint64_t soh_bits(__m256i low, __m256i high, ByteSum& sum) noexcept {
  sum = _mm256_add_epi8(sum, _mm256_add_epi8(low, high));
  return soh_bits_of(low) | (std::uint64_t{soh_bits_of(high)} << 32);
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

// match_short() of short_sequence.inl.hpp: four fields are compared at once.

inline std::uint64_t short_body(const char* body, std::uint32_t bytes, ByteSum& sum) noexcept {
  const std::uint32_t more = bytes - kVectorBytes;  // than the first vector has
  const __m256i low = load_lanes(body);
  const __m256i high = load_lanes(body + more);
  const __m256i others = _mm256_and_si256(high, load_lanes(kKeep.at + kVectorBytes + more));
  sum = _mm256_add_epi8(sum, _mm256_add_epi8(low, others));
  return soh_bits_of(low) | std::uint64_t{soh_bits_of(high)} << more;
}

using SixteenBytes = char __attribute__((vector_size(16)));
using FourWords = std::int32_t __attribute__((vector_size(16)));
constexpr std::uint32_t kFourFields = 4;

inline __m128i load_sixteen(const void* from) noexcept {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

template <std::uint32_t kBegin>
[[gnu::always_inline]] inline std::uint32_t match_short(const char* frame, std::uint64_t soh,
                                                        TagSequence& sequence) noexcept {
  const TagTexts& known = sequence.texts();
  const std::uint32_t count = bit_count(soh);
  const std::uint32_t fields = kFirstCompared + count + 1;
  if (fields != known.fields || count - kFourFields > kFourFields) return 0;
  SixteenBytes bits{};  // those of soh, a byte each; 0: there is no such field
  std::uint64_t start = 0;
  // Bits in each byte that is not as the known one, among the first bytes of four fields.
  const auto beyond_four = [&] [[gnu::always_inline]] (std::uint32_t first) noexcept {
    FourWords words{};
#pragma GCC unroll 4
    for (std::uint32_t i = 0; i < kFourFields; ++i) {
      std::int32_t word;
      __builtin_memcpy(&word, frame + kBegin + start, sizeof word);
      words[i] = word;
      std::uint64_t bit;
      __asm__("tzcnt %1, %0" : "=r"(bit) : "r"(soh) : "cc");
      if (first != 0) bit %= kBlockBytes;
      soh &= soh - 1;
      bits[first + i] = static_cast<char>(bit);
      start = bit + 1;
    }
    const std::uint32_t field = kFirstCompared + first;
    return _mm_subs_epu8(_mm_sub_epi8(__m128i(words), load_sixteen(known.lowest + field)),
                         load_sixteen(known.width + field));
  };
  __m128i others = beyond_four(0);
  if (count != kFourFields) others = _mm_or_si128(others, beyond_four(kFourFields));
  __m128i minus_one = _mm_cmpeq_epi8(others, others);
  __asm__("" : "+x"(minus_one));  // or the compiler would make three constants
  const __m128i after_first = _mm_set1_epi8(kBegin + 1);
  const __m128i next = _mm_add_epi8(__m128i(bits), after_first);
  const __m128i starts = _mm_alignr_epi8(next, _mm_add_epi8(after_first, minus_one), 15);
  const __m128i begins = _mm_add_epi8(starts, load_sixteen(known.bytes + kFirstCompared));
  const __m128i sizes = _mm_add_epi8(_mm_sub_epi8(next, begins), minus_one);
  void* const places = sequence.places() + kFirstCompared;
  _mm_storeu_si128(static_cast<__m128i*>(places), _mm_unpacklo_epi8(begins, sizes));
  // Empty values, and longer ones than the known ones may be. Where there is no field, the size is
  // not 0.
  others = _mm_or_si128(others, _mm_subs_epu8(_mm_add_epi8(sizes, minus_one),
                                              load_sixteen(known.more + kFirstCompared)));
  sequence.set_narrow(true);
  return is_none(_mm256_zextsi128_si256(others)) ? fields : 0;
}

#include "wire/kernels/generic/short_sequence.inl.hpp"
// After short_sequence.inl.hpp.
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
    fits,   find_sequence, TagSequence::kFrameBytesMax};

}  // namespace nexusfix::wire::kernels::avx2

#endif
