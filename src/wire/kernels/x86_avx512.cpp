// The kernel for x86-64 with AVX-512 VBMI2: a window of up to 256 bytes in four registers, all of
// its fields at once.
#include "wire/kernels/kernel_table.hpp"

#if defined(__x86_64__)

// g++ 12 warns of its own intrinsics, whose "undefined" operand is a variable that nobody reads.
#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

// Everything between here and the region's end is compiled for AVX-512, whatever the flags of the
// build. The headers are included before it, and nothing inside instantiates a template with
// external linkage: the linker might otherwise keep an AVX-512 copy for all users.
#if defined(__clang__)
#pragma clang attribute push(                                                          \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2," \
                          "avx512vnni,bmi,bmi2,lzcnt,popcnt"))),                       \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target( \
    "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,avx512vnni,bmi,bmi2,lzcnt,popcnt")
#endif

namespace nexusfix::wire::kernels::avx512 {

namespace {

#include "wire/kernels/generic/unusual.inl.hpp"

constexpr std::uint32_t kBlockBytes = 64;
constexpr std::uint32_t kWindowBlocksMax = 4;
constexpr std::uint32_t kWindowBytesMax = kBlockBytes * kWindowBlocksMax;
// Positions are bytes in the lanes of one register, `=` and SOH in turn.
constexpr std::uint32_t kWindowFieldsMax = 32;
static_assert(kWindowFieldsMax <= kEntriesAtOnce);

alignas(64) constexpr std::uint8_t kIota[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

// By the number of a tag's digits and one: the smallest tag of as many digits.
alignas(64) constexpr std::uint16_t kSmallestTags[32] = {0, 0, 1, 10, 100, 1000};

inline __m512i pairs_of(std::uint8_t low, std::uint8_t high) noexcept {
  return _mm512_set1_epi16(static_cast<short>(low | (high << 8)));
}

template <std::uint32_t Blocks>
struct Window {
  __m512i blocks[Blocks];
};

// bytes: of the window, in its last block.
template <std::uint32_t Blocks>
inline Window<Blocks> load_window(const char* from, std::uint32_t bytes) noexcept {
  Window<Blocks> window;
  for (std::uint32_t i = 0; i + 1 < Blocks; ++i) {
    window.blocks[i] = _mm512_loadu_si512(from + i * kBlockBytes);
  }
  const __mmask64 keep = _bzhi_u64(~0ULL, bytes - (Blocks - 1) * kBlockBytes);
  window.blocks[Blocks - 1] = _mm512_maskz_loadu_epi8(keep, from + (Blocks - 1) * kBlockBytes);
  return window;
}

// The bytes of the window at the positions in index, of which only the lowest eight bits count.
template <std::uint32_t Blocks>
inline __m512i bytes_at(const Window<Blocks>& window, __m512i index) noexcept {
  if constexpr (Blocks == 1) {
    return _mm512_permutexvar_epi8(index, window.blocks[0]);
  } else {
    const __m512i low = _mm512_permutex2var_epi8(window.blocks[0], index, window.blocks[1]);
    if constexpr (Blocks == 2) return low;
    const __mmask64 behind = _mm512_movepi8_mask(index);
    if constexpr (Blocks == 3) {
      return _mm512_mask_permutexvar_epi8(low, behind, index, window.blocks[2]);
    } else {
      const __m512i high = _mm512_permutex2var_epi8(window.blocks[2], index, window.blocks[3]);
      return _mm512_mask_blend_epi8(behind, low, high);
    }
  }
}

// The sum of all bytes; the low eight bits count, so lanes may wrap.
template <std::uint32_t Blocks>
inline std::uint32_t sum_bytes(const Window<Blocks>& window) noexcept {
  __m512i sum = window.blocks[0];
  for (std::uint32_t i = 1; i < Blocks; ++i) sum = _mm512_add_epi8(sum, window.blocks[i]);
  const __m256i half =
      _mm256_add_epi8(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64(sum, 1));
  const __m128i quarter =
      _mm_add_epi8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  const __m128i sums = _mm_sad_epu8(quarter, _mm_setzero_si128());
  return static_cast<std::uint32_t>(
      _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_unpackhi_epi64(sums, sums))));
}

// Where the fields of a window are.
struct Delimiters {
  __m512i positions;        // the first `=` and the SOH of each field in turn, as bytes
  std::uint32_t fields;     // whole ones; above kWindowFieldsMax only so many have lanes
  std::uint64_t no_equals;  // not 0: a field has no `=`, so the turns are out of step
};

// All bits from the given one on; none from 64 on.
inline __mmask64 lanes_from(std::uint32_t first) noexcept { return ~_bzhi_u64(~0ULL, first); }

template <std::uint32_t Blocks>
inline Delimiters find_delimiters(const Window<Blocks>& window) noexcept {
  const __m512i equals_sign = _mm512_set1_epi8('=');
  const __m512i soh = _mm512_set1_epi8('\x01');
  const __m512i iota = _mm512_load_si512(kIota);
  __m512i part[Blocks];
  std::uint32_t lanes[Blocks];
  std::uint64_t no_equals = 0;
  std::uint32_t fields = 0;
  std::uint64_t starts_carry = 1;  // the window begins with a field
  unsigned char run_carry = 0;
  for (std::uint32_t i = 0; i < Blocks; ++i) {
    const std::uint64_t equals = _mm512_cmpeq_epi8_mask(window.blocks[i], equals_sign);
    const std::uint64_t ends = _mm512_cmpeq_epi8_mask(window.blocks[i], soh);
    // A bit added at each field's start runs through the bytes that are no delimiter and stops at
    // the first that is one, so a `=` within a value is not seen.
    const std::uint64_t starts = (ends << 1) | starts_carry;
    starts_carry = ends >> 63;
    unsigned long long run;
    run_carry = _addcarry_u64(run_carry, starts, ~(equals | ends), &run);
    no_equals |= run & ends;
    const std::uint64_t delimiters = (run & equals) | ends;
    fields += static_cast<std::uint32_t>(_mm_popcnt_u64(ends));
    lanes[i] = static_cast<std::uint32_t>(_mm_popcnt_u64(delimiters));
    part[i] = _mm512_maskz_compress_epi8(
        delimiters, _mm512_or_si512(iota, _mm512_set1_epi8(static_cast<char>(i * kBlockBytes))));
  }
  if constexpr (Blocks == 1) {
    return {part[0], fields, no_equals};
  } else {
    const __m512i front = _mm512_mask_expand_epi8(part[0], lanes_from(lanes[0]), part[1]);
    if constexpr (Blocks == 2) return {front, fields, no_equals};
    __m512i back = part[2];
    if constexpr (Blocks == 4) {
      back = _mm512_mask_expand_epi8(part[2], lanes_from(lanes[2]), part[3]);
    }
    return {_mm512_mask_expand_epi8(front, lanes_from(lanes[0] + lanes[1]), back), fields,
            no_equals};
  }
}

// Tags of up to four digits and what speaks against them, a lane of 16 bits for each field.
struct Tags {
  __m512i keys;
  __mmask64 unusual_bytes;  // one or both of a field's bits
  __mmask32 unusual_fields;
};

template <std::uint32_t Blocks>
inline Tags read_tags(const Window<Blocks>& window, __m512i positions,
                      const DataTags& data) noexcept {
  const __m512i ascii_zero = _mm512_set1_epi8('0');
  const __m512i nine = _mm512_set1_epi8(9);
  const __m512i iota = _mm512_load_si512(kIota);
  // For each `=` the distance to the SOH in front of it, for each SOH that to its `=`.
  const __m512i before = _mm512_mask_permutexvar_epi8(
      _mm512_set1_epi8(-1), ~1ULL, _mm512_sub_epi8(iota, _mm512_set1_epi8(1)), positions);
  const __m512i distances = _mm512_sub_epi8(positions, before);
  // One to four digits, and a value.
  const __mmask64 odd_lengths =
      _mm512_cmpgt_epu8_mask(_mm512_sub_epi8(distances, _mm512_set1_epi8(2)), pairs_of(3, 253));

  const __m512i doubled = _mm512_and_si512(iota, _mm512_set1_epi8(0x0e));  // 0 0 2 2 4 4 ...
  const __m512i tag_bytes = _mm512_shuffle_epi8(distances, doubled);       // and one
  const __m512i index =
      _mm512_add_epi8(_mm512_shuffle_epi8(positions, doubled), pairs_of(0xfe, 0xff));
  const __m512i low_text = bytes_at(window, index);
  const __m512i high_text = bytes_at(window, _mm512_sub_epi8(index, _mm512_set1_epi8(2)));
  const __m512i low = _mm512_maskz_sub_epi8(_mm512_cmpge_epu8_mask(tag_bytes, pairs_of(3, 2)),
                                            low_text, ascii_zero);
  const __m512i high = _mm512_maskz_sub_epi8(_mm512_cmpge_epu8_mask(tag_bytes, pairs_of(5, 4)),
                                             high_text, ascii_zero);
  const __mmask64 no_digits = _mm512_cmpgt_epu8_mask(_mm512_max_epu8(low, high), nine);

  const __m512i weights = pairs_of(10, 1);
  const __m512i keys = _mm512_add_epi16(
      _mm512_maddubs_epi16(low, weights),
      _mm512_mullo_epi16(_mm512_maddubs_epi16(high, weights), _mm512_set1_epi16(100)));
  const __mmask32 leading_zeros = _mm512_cmplt_epu16_mask(
      keys, _mm512_permutexvar_epi16(distances, _mm512_load_si512(kSmallestTags)));

  const __m512i class_low = _mm512_permutexvar_epi8(keys, _mm512_load_si512(data.low));
  const __m512i class_high =
      _mm512_permutexvar_epi8(_mm512_srli_epi16(keys, 6), _mm512_load_si512(data.high));
  constexpr std::uint64_t kLowBytes = 0x5555'5555'5555'5555;
  const __mmask64 may_be_lengths = _mm512_mask_test_epi8_mask(kLowBytes, class_low, class_high);
  return {keys, odd_lengths | no_digits | may_be_lengths, leading_zeros};
}

inline void store_keys(const FieldArrays& arrays, std::uint32_t entry, __m512i keys) noexcept {
  _mm512_storeu_si512(arrays.keys + entry, keys);
}

// The begins and ends of sixteen values, from their `=` and SOH in lanes of 16 bits.
inline void store_places(const FieldArrays& arrays, std::uint32_t entry, std::uint32_t base,
                         __m256i pairs) noexcept {
  const __m512i lanes = _mm512_cvtepu16_epi32(pairs);
  const __m512i bases = _mm512_set1_epi32(static_cast<int>(base));
  const __m512i begins = _mm512_dpbusd_epi32(_mm512_add_epi32(bases, _mm512_set1_epi32(1)), lanes,
                                             _mm512_set1_epi32(0x01));
  const __m512i ends = _mm512_dpbusd_epi32(bases, lanes, _mm512_set1_epi32(0x0100));
  _mm512_storeu_si512(arrays.begins + entry, begins);
  _mm512_storeu_si512(arrays.ends + entry, ends);
}

// What one window gave.
struct Indexed {
  std::uint32_t fields;   // entries written
  std::uint32_t unusual;  // a bit for each that is to be looked at
  bool out_of_step;       // a field has no `=`: nothing of use was written
  __m512i positions;
};

template <std::uint32_t Blocks>
inline Indexed index_window(const Window<Blocks>& window, std::uint32_t base, std::uint32_t entry,
                            const IndexWork& work) noexcept {
  const Delimiters found = find_delimiters(window);
  const Tags tags = read_tags(window, found.positions, work.data);
  store_keys(work.arrays, entry, tags.keys);
  store_places(work.arrays, entry, base, _mm512_castsi512_si256(found.positions));
  if (found.fields > 16) {
    store_places(work.arrays, entry + 16, base, _mm512_extracti64x4_epi64(found.positions, 1));
  }
  const std::uint32_t fields = found.fields < kWindowFieldsMax ? found.fields : kWindowFieldsMax;
  const auto field_bits = static_cast<std::uint32_t>(_bzhi_u64(~0ULL, fields));
  std::uint64_t pairs = tags.unusual_bytes;
  pairs |= pairs >> 1;
  // Only where there is something is it worth knowing which field it is.
  const std::uint64_t field_pairs = _bzhi_u64(~0ULL, 2 * fields);
  std::uint32_t unusual = tags.unusual_fields & field_bits;
  if (((tags.unusual_bytes & field_pairs) | unusual) != 0) [[unlikely]] {
    unusual |= static_cast<std::uint32_t>(_pext_u64(pairs, 0x5555'5555'5555'5555)) & field_bits;
  }
  return {fields, unusual, found.no_equals != 0, found.positions};
}

// Looks again at the fields that a window found unusual, from the first on, whose entries begin
// with first_entry and whose bytes begin at begin. Returns where to go on: behind the window's
// last field, or earlier where the entries did not stand.
[[gnu::noinline]] static Place settle(const char* frame, std::uint32_t size, const Place& window,
                                      const Indexed& indexed, IndexWork& work) noexcept {
  const FieldArrays& arrays = work.arrays;
  const std::uint32_t end_entry = window.entry + indexed.fields;
  for (std::uint32_t rest = indexed.unusual; rest != 0; rest &= rest - 1) {
    const std::uint32_t entry = window.entry + _tzcnt_u32(rest);
    const std::uint32_t begin = entry == window.entry ? window.byte : arrays.ends[entry - 1] + 1;
    const FieldBytes field{begin, arrays.begins[entry] - 1, arrays.ends[entry]};
    const std::uint32_t tag_bytes = field.equals - begin;
    const std::uint32_t tag = read_tag(frame + begin, tag_bytes);
    if (tag == 0) {
      note_fault(work, kTagMalformed, begin, tag_bytes);
      return {field.end + 1, entry};
    }
    arrays.keys[entry] = key_of(tag);
    if (field.equals + 1 == field.end) note_fault(work, kValueEmpty, begin, tag_bytes);
    const DataValue data = announced_data(frame, size, field, tag, work);
    if (data.begin == 0) continue;
    // A value without SOH stands in its entry as it is.
    if (entry + 1 < end_entry && arrays.ends[entry + 1] == data.end) continue;
    return index_data(frame, {field.end + 1, entry + 1}, data, work);
  }
  return {arrays.ends[end_entry - 1] + 1, end_entry};
}

// Bytes of whole fields that were summed are no longer looked at: long messages are summed apart.
inline std::uint32_t sum_all(const char* bytes, std::uint32_t size) noexcept {
  __m512i sum = _mm512_setzero_si512();
  std::uint32_t at = 0;
  for (; at + kBlockBytes <= size; at += kBlockBytes) {
    sum = _mm512_add_epi8(sum, _mm512_loadu_si512(bytes + at));
  }
  const __mmask64 keep = _bzhi_u64(~0ULL, size - at);
  const Window<2> halves{{sum, _mm512_maskz_loadu_epi8(keep, bytes + at)}};
  return sum_bytes(halves);
}

// One window from place on. Where it gives nothing, because its first field is longer than it or
// because a field has no `=`, the first field goes by the common road.
template <std::uint32_t Blocks>
inline Place next_window(const char* frame, std::uint32_t size, const Place& place,
                         std::uint32_t bytes, IndexWork& work) noexcept {
  const Window<Blocks> window = load_window<Blocks>(frame + place.byte, bytes);
  const Indexed indexed = index_window(window, place.byte, place.entry, work);
  if (indexed.out_of_step || indexed.fields == 0) [[unlikely]] {
    return index_field(frame, size, place, work);
  }
  if (indexed.unusual != 0) [[unlikely]]
    return settle(frame, size, place, indexed, work);
  const std::uint32_t end_entry = place.entry + indexed.fields;
  return {work.arrays.ends[end_entry - 1] + 1, end_entry};
}

// The fields from place on, window after window. Returns the number of entries, or 0 with
// more_capacity set.
[[gnu::noinline]] static std::uint32_t index_rest(const char* frame, std::uint32_t size,
                                                  Place place, IndexWork& work) noexcept {
  while (place.byte < size) {
    // A window's fields, and a data field behind them.
    if (place.entry + kWindowFieldsMax + 1 > work.arrays.capacity) {
      work.more_capacity = 1;
      return 0;
    }
    const std::uint32_t rest = size - place.byte;
    if (rest > 3 * kBlockBytes) {
      place =
          next_window<4>(frame, size, place, rest < kWindowBytesMax ? rest : kWindowBytesMax, work);
    } else if (rest > kBlockBytes) {
      place = rest > 2 * kBlockBytes ? next_window<3>(frame, size, place, rest, work)
                                     : next_window<2>(frame, size, place, rest, work);
    } else {
      place = next_window<1>(frame, size, place, rest, work);
    }
  }
  return place.entry;
}

template <unsigned Policy>
[[gnu::noinline]] std::uint32_t index_long(const char* frame, std::uint32_t size,
                                           const Trailer& trailer, const Place& place,
                                           IndexWork& work) noexcept {
  const std::uint32_t fields = index_rest(frame, size, place, work);
  return fields == 0 ? 0
                     : verdict<Policy>(frame, size, trailer, fields, sum_all(frame, size), work);
}

template <unsigned Policy, std::uint32_t Blocks>
inline std::uint32_t index_short(const char* frame, std::uint32_t size, const Trailer& trailer,
                                 IndexWork& work) noexcept {
  const Window<Blocks> window = load_window<Blocks>(frame, size);
  const Indexed indexed = index_window(window, 0, 0, work);
  if (indexed.out_of_step || indexed.fields > kWindowFieldsMax) [[unlikely]] {
    return index_long<Policy>(frame, size, trailer, {0, 0}, work);
  }
  if (indexed.unusual != 0) [[unlikely]] {
    const Place place = settle(frame, size, {0, 0}, indexed, work);
    if (place.byte != size) return index_long<Policy>(frame, size, trailer, place, work);
  }
  return verdict<Policy>(frame, size, trailer, indexed.fields, sum_bytes(window), work);
}

template <unsigned Policy>
std::uint32_t index_frame(const char* frame, std::size_t frame_bytes, IndexWork& work) noexcept {
  const auto size = static_cast<std::uint32_t>(frame_bytes);
  if (frame_bytes < kFrameBytesMin) return 0;
  const Trailer trailer = read_trailer(frame, size);
  if (!trailer.good) return 0;
  work.first.rule = kNoFault;
  work.first_but_empty.rule = kNoFault;
  if (frame_bytes > kWindowBytesMax) {
    return index_long<Policy>(frame, size, trailer, {0, 0}, work);
  }
  if (size > 3 * kBlockBytes) return index_short<Policy, 4>(frame, size, trailer, work);
  if (size > 2 * kBlockBytes) return index_short<Policy, 3>(frame, size, trailer, work);
  if (size > kBlockBytes) return index_short<Policy, 2>(frame, size, trailer, work);
  return index_short<Policy, 1>(frame, size, trailer, work);
}

}  // namespace

}  // namespace nexusfix::wire::kernels::avx512

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#pragma GCC diagnostic pop
#endif

namespace nexusfix::wire::kernels::avx512 {

namespace {

// Outside of the region: it runs on CPUs that have none of this.
bool supported() noexcept {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("avx512vbmi2") != 0 &&
         __builtin_cpu_supports("avx512vnni") != 0 && __builtin_cpu_supports("bmi2") != 0;
}

}  // namespace

extern const KernelTable kTable;
const KernelTable kTable{
    "avx512", supported, {index_frame<0>, index_frame<1>, index_frame<2>, index_frame<3>}};

}  // namespace nexusfix::wire::kernels::avx512

#endif
