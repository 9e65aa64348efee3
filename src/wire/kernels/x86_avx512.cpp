// The kernel for x86-64 with AVX-512 VBMI2: a window of up to 384 bytes in six registers, and all
// of its fields at once.
#include "wire/kernels/kernel_table.hpp"

#if defined(__x86_64__)

// g++ 12 warns about its own intrinsics, whose "undefined" operand is never read.
#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

// Everything between here and the region's end is compiled for AVX-512, whatever the flags of the
// build are. The headers are included before it, and nothing inside instantiates a template with
// external linkage: the linker could otherwise keep an AVX-512 copy for all users.
#if defined(__clang__)
#pragma clang attribute push(                                                          \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2," \
                          "bmi,bmi2,lzcnt,popcnt"))),                                  \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target( \
    "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt")
#endif

namespace nexusfix::wire::kernels::avx512 {

namespace {

#include "wire/kernels/generic/slow_path.inl.hpp"

constexpr std::uint32_t kBlockBytes = 64;
// Positions in a window are bytes, counted from 1. So 0 is before all of them.
constexpr std::uint32_t kWindowBytesMax = 255;
// They are the lanes of one register, `=` and SOH in turn. The last pair stays free: its 0 precedes
// the first position.
constexpr std::uint32_t kWindowFieldsMax = 31;
constexpr std::uint32_t kWindowLanesMax = 2 * kWindowFieldsMax;
// The entries of a narrow index fill one register, and three of them belong to head and trailer.
constexpr std::uint32_t kEntriesOfRegister = 32;
constexpr std::uint32_t kBodyLanesMax = 2 * (kEntriesOfRegister - kHeadFields - 1);
static_assert(kBodyLanesMax <= kWindowLanesMax);
constexpr std::uint32_t kHeadBytesMin = 15;
static_assert(kWindowFieldsMax < kEntriesAtOnce);
// A byte numbers the positions of four blocks. Those of later blocks begin with 0 again, and a mask
// has their lanes.
constexpr std::uint32_t kNumberedBlocks = 4;
constexpr std::uint32_t kWideBlocksMax = 6;
constexpr std::uint32_t kWideBodyBytesMax = kWideBlocksMax * kBlockBytes;
constexpr std::uint32_t kWideBytesMax =
    kWideBodyBytesMax + UsualHead<Version::Fixt1, 3>::kBytes + kTrailerBytes;

}  // namespace

// For the two entries of the head.
struct HeadLanes {
  std::uint32_t keys[16];
  // Rows by the head's length, from kHeadBytesMin; one more with FIXT.
  std::uint32_t fix4_places[2][16];
  std::uint32_t fixt1_places[2][16];
  std::uint8_t from_position[64];  // all bits of the lanes whose place is a position
  std::uint8_t bytes[3][64];       // what those lack; what the other ones are too large by
};

// For the fifth digit of a tag, counted from the right.
struct FifthDigitLanes {
  std::uint8_t back[64];       // from the lane of the `=` to the digit
  std::uint8_t lengths[64];    // the number of digits and one, from which on there is a fifth
  std::uint8_t digit_max[64];  // a larger digit might make too large a key
  std::uint16_t weights[32];
};

// For the last four digits of a tag.
struct TagLanes {
  std::uint8_t equals[64];     // the lane of the `=`, within 16, for each byte of its pair
  std::uint8_t low_back[64];   // from there to the last two digits of the tag
  std::uint8_t high_back[64];  // and to the two before those
  // By the number of digits and one: all bits of the digits that the tag has.
  std::uint16_t low_digits[32];
  std::uint16_t high_digits[32];
  std::uint8_t ascii_zero[64];
  std::uint8_t nine[64];
  std::uint8_t weights[64];
  std::uint16_t hundred[32];
  std::uint16_t smallest[32];  // by the number of its digits and one
};

// For the places of a body after a head of three digits, by Version.
struct WideLanes {
  std::uint32_t first[2][16];  // with the places of the head
  std::uint32_t others[2][16];
  std::uint32_t numbered_bytes[16];
};

// For the fields of a frame whose tags are compared.
struct KnownLanes {
  std::uint8_t field[2][64];    // of each byte of the first words of sixteen fields
  std::uint8_t within[64];      // the word
  std::uint8_t begin_size[64];  // of the two registers, in turn
};

// The constants, as operands in memory. Weak, so that the compiler cannot see their values. It
// would otherwise replace a free load by a move to a general register and a broadcast.
struct alignas(64) Lanes {
  std::uint8_t equals[64];
  std::uint8_t soh[64];
  std::uint8_t position[4][64];
  std::uint8_t iota[64];
  HeadLanes head;
  std::uint8_t one_byte[64];
  std::uint8_t turn[64];      // `=` and SOH
  std::uint8_t previous[64];  // the lane before; lane 63 before lane 0
  std::uint8_t two[64];
  std::uint8_t length_max[64];       // of a tag, of a value; both minus one
  std::uint8_t wide_length_max[64];  // with tags of five digits
  FifthDigitLanes fifth_digit;
  TagLanes tag;
  std::uint16_t trailer_key[32];
  std::uint32_t place[16];
  WideLanes wide;
  KnownLanes known;
};
static_assert(sizeof(HeadLanes) % 64 == 0 && sizeof(FifthDigitLanes) % 64 == 0 &&
              sizeof(TagLanes) % 64 == 0 && sizeof(WideLanes) % 64 == 0);

namespace {

template <Version kVersion>
constexpr void fill(WideLanes& wide) noexcept {
  using Head = UsualHead<kVersion, 3>;
  constexpr std::uint32_t kRow = static_cast<std::uint32_t>(kVersion);
  for (std::uint32_t i = 0; i < 16; ++i) {
    // A value begins after its `=` and ends at its SOH.
    wide.others[kRow][i] = Head::kBytes + (i % 2 == 0 ? 1 : 0);
    wide.first[kRow][i] = wide.others[kRow][i];
    wide.numbered_bytes[i] = kNumberedBlocks * kBlockBytes;
  }
  constexpr std::uint32_t kVersionBegin = Head::kPlaces & 0xff;
  constexpr std::uint32_t kLengthBegin = Head::kPlaces >> 16 & 0xff;
  wide.first[kRow][0] = kVersionBegin;
  wide.first[kRow][1] = kVersionBegin + (Head::kPlaces >> 8 & 0xff);
  wide.first[kRow][2] = kLengthBegin;
  wide.first[kRow][3] = kLengthBegin + (Head::kPlaces >> 24);
}

constexpr Lanes make_lanes() noexcept {
  Lanes lanes{};
  for (std::uint32_t i = 0; i < 64; ++i) {
    const bool even = i % 2 == 0;
    lanes.equals[i] = '=';
    lanes.soh[i] = '\x01';
    for (std::uint32_t block = 0; block < 4; ++block) {
      lanes.position[block][i] = static_cast<std::uint8_t>(block * kBlockBytes + i + 1);
    }
    lanes.one_byte[i] = 1;
    lanes.turn[i] = even ? '=' : '\x01';
    for (std::uint32_t row = 0; row < 3; ++row) {
      lanes.head.bytes[row][i] = static_cast<std::uint8_t>(even ? kHeadBytesMin + row : 255);
    }
    lanes.head.from_position[i] = even ? 255 : 0;
    lanes.iota[i] = static_cast<std::uint8_t>(i);
    lanes.previous[i] = static_cast<std::uint8_t>((i + 63) % 64);
    lanes.two[i] = 2;
    lanes.length_max[i] = even ? 3 : 253;
    lanes.wide_length_max[i] = even ? 4 : 253;
    lanes.fifth_digit.back[i] = static_cast<std::uint8_t>(-6);
    lanes.fifth_digit.lengths[i] = even ? 6 : 255;
    lanes.fifth_digit.digit_max[i] = 5;
    lanes.tag.equals[i] = i % 16 & ~1U;
    lanes.tag.low_back[i] = static_cast<std::uint8_t>(even ? -3 : -2);
    lanes.tag.high_back[i] = static_cast<std::uint8_t>(even ? -5 : -4);
    lanes.tag.ascii_zero[i] = '0';
    lanes.tag.nine[i] = 9;
    lanes.tag.weights[i] = even ? 10 : 1;
    constexpr std::uint32_t kWordBytes = 4;
    for (std::uint32_t group = 0; group < 2; ++group) {
      lanes.known.field[group][i] = static_cast<std::uint8_t>(16 * group + i / kWordBytes);
    }
    lanes.known.within[i] = i % kWordBytes;
    lanes.known.begin_size[i] = static_cast<std::uint8_t>(i / 2 + (even ? 0 : 64));
  }
  for (std::uint16_t& lane : lanes.tag.hundred) lane = 100;
  for (std::uint16_t& lane : lanes.trailer_key) lane = 10;
  for (std::uint16_t& lane : lanes.fifth_digit.weights) lane = 10'000;
  lanes.head.keys[15] = UsualHead<Version::Fix4, 2>::kKeys;
  lanes.head.fix4_places[0][15] = UsualHead<Version::Fix4, 2>::kPlaces;
  lanes.head.fix4_places[1][15] = UsualHead<Version::Fix4, 3>::kPlaces;
  lanes.head.fixt1_places[0][15] = UsualHead<Version::Fixt1, 2>::kPlaces;
  lanes.head.fixt1_places[1][15] = UsualHead<Version::Fixt1, 3>::kPlaces;
  for (std::uint32_t i = 2; i < 32; ++i) {
    lanes.tag.low_digits[i] = i == 2 ? 0xff00 : 0xffff;
    lanes.tag.high_digits[i] = i < 4 ? 0 : i == 4 ? 0xff00 : 0xffff;
  }
  lanes.tag.smallest[2] = 1;
  lanes.tag.smallest[3] = 10;
  lanes.tag.smallest[4] = 100;
  lanes.tag.smallest[5] = 1000;
  lanes.tag.smallest[6] = 10'000;
  for (std::uint32_t i = 1; i < 16; i += 2) lanes.place[i] = ~0U;
  fill<Version::Fix4>(lanes.wide);
  fill<Version::Fixt1>(lanes.wide);
  return lanes;
}

}  // namespace

[[gnu::weak, gnu::visibility("hidden")]] extern const Lanes kLanes;
constinit const Lanes kLanes = make_lanes();

namespace {

[[gnu::always_inline]] inline __m512i load(const void* lanes) noexcept {
  return _mm512_load_si512(lanes);
}

template <std::uint32_t Blocks>
struct Window {
  __m512i blocks[Blocks];
};

// bytes: the number of bytes of the window. Its last block holds at least one of them.
template <std::uint32_t Blocks>
[[gnu::always_inline]] inline Window<Blocks> load_window(const char* from,
                                                         std::uint32_t bytes) noexcept {
  Window<Blocks> window;
#pragma GCC unroll 6
  for (std::uint32_t i = 0; i + 1 < Blocks; ++i) {
    window.blocks[i] = _mm512_loadu_si512(from + i * kBlockBytes);
  }
  const __mmask64 keep = _bzhi_u64(~0ULL, bytes - (Blocks - 1) * kBlockBytes);
  window.blocks[Blocks - 1] = _mm512_maskz_loadu_epi8(keep, from + (Blocks - 1) * kBlockBytes);
  return window;
}

// Loads 1 to Blocks blocks. The other ones are zeros.
template <std::uint32_t Blocks>
[[gnu::always_inline]] inline Window<Blocks> load_up_to(const char* from,
                                                        std::uint32_t bytes) noexcept {
  Window<Blocks> window;
#pragma GCC unroll 6
  for (std::uint32_t i = 0; i < Blocks; ++i) {
    const std::uint32_t at = i * kBlockBytes;
    const std::uint32_t rest = at < bytes ? bytes - at : 0;
    const __mmask64 keep = _bzhi_u64(~0ULL, rest < kBlockBytes ? rest : kBlockBytes);
    window.blocks[i] = _mm512_maskz_loadu_epi8(keep, from + at);
  }
  return window;
}

// The bytes of the window at the positions in index, which count from 0. later: the lanes of
// delimiters after the numbered blocks. A byte before such a delimiter may be in the block before.
template <std::uint32_t Blocks>
[[gnu::always_inline]] inline __m512i bytes_at(const Window<Blocks>& window, __m512i index,
                                               [[maybe_unused]] __mmask64 later) noexcept {
  if constexpr (Blocks == 1) {
    return _mm512_permutexvar_epi8(index, window.blocks[0]);
  } else {
    __m512i low = _mm512_permutex2var_epi8(window.blocks[0], index, window.blocks[1]);
    if constexpr (Blocks == 2) return low;
    if constexpr (Blocks == 5) {
      low = _mm512_mask_permutexvar_epi8(low, later, index, window.blocks[4]);
    } else if constexpr (Blocks == 6) {
      low = _mm512_mask_blend_epi8(
          later, low, _mm512_permutex2var_epi8(window.blocks[4], index, window.blocks[5]));
    }
    const __mmask64 upper = _mm512_movepi8_mask(index);
    if constexpr (Blocks == 3) {
      return _mm512_mask_permutexvar_epi8(low, upper, index, window.blocks[2]);
    } else {
      const __m512i high = _mm512_permutex2var_epi8(window.blocks[2], index, window.blocks[3]);
      return _mm512_mask_blend_epi8(upper, low, high);
    }
  }
}

// The sum of all bytes and those of one more word. Only the low eight bits count, so lanes may
// wrap.
template <std::uint32_t Blocks>
[[gnu::always_inline]] inline std::uint32_t sum_bytes(const Window<Blocks>& window,
                                                      std::uint64_t more) noexcept {
  __m512i sum = window.blocks[0];
#pragma GCC unroll 6
  for (std::uint32_t i = 1; i < Blocks; ++i) sum = _mm512_add_epi8(sum, window.blocks[i]);
  const __m128i sums = _mm512_cvtepi64_epi8(_mm512_sad_epu8(sum, _mm512_setzero_si512()));
  const __m128i all = _mm_add_epi8(sums, _mm_cvtsi64_si128(static_cast<long long>(more)));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_sad_epu8(all, _mm_setzero_si128())));
}

[[gnu::always_inline]] inline std::uint32_t count_bits(std::uint64_t bits) noexcept {
  // The intrinsic adds an instruction that keeps old CPUs from waiting for the register.
  std::uint64_t count;
  asm("popcnt %1, %0" : "=r"(count) : "r"(bits) : "cc");
  return static_cast<std::uint32_t>(count);
}

// Where the `=` and SOH of a window are.
struct Delimiters {
  __m512i positions;        // counted from 1; 0 in the unused lanes
  __m512i bytes;            // the bytes at these positions; anything in the unused lanes
  std::uint32_t lanes;      // above kWindowLanesMax, the other members mean nothing
  std::uint64_t last_bits;  // of the last block
  __mmask64 later;          // the lanes from the first one after the numbered blocks on
  std::uint32_t numbered_lanes;
  bool has_far_field;  // the other members mean nothing
};

[[gnu::always_inline]] inline void number_lanes(Delimiters& found, std::uint32_t lanes) noexcept {
  found.numbered_lanes = lanes;
  found.later = _cvtu64_mask64(~_bzhi_u64(~0ULL, lanes));
}

// The lanes moved up by count. The freed lanes are 0 if no lane except lane 0 is moved out.
[[gnu::always_inline]] inline __m512i moved_up(__m512i lanes, std::uint32_t count,
                                               __m512i iota) noexcept {
  const __m512i back = _mm512_set1_epi8(static_cast<char>(count));
  return _mm512_permutexvar_epi8(_mm512_sub_epi8(iota, back), lanes);
}

// Which delimiters of a window count: all, those up to a place in its last block, or those after
// one in its first block.
enum class Part { Whole, Front, Back };

// front: the bits of that block up to that place.
template <Part kPart = Part::Whole, std::uint32_t Blocks>
[[gnu::always_inline]] inline Delimiters find_delimiters(
    const Window<Blocks>& window, [[maybe_unused]] __mmask64 front = 0) noexcept {
  Delimiters found{};
  // In registers, because memory operands would be loaded for each block.
  __m512i equals_sign = load(kLanes.equals);
  __m512i soh_sign = load(kLanes.soh);
  __m512i iota = load(kLanes.iota);
  asm("" : "+v"(equals_sign), "+v"(soh_sign), "+v"(iota));
  std::uint32_t lanes_before[Blocks + 1];
#pragma GCC unroll 6
  for (std::uint32_t i = 0; i < Blocks; ++i) {
    lanes_before[i] = found.lanes;
    __mmask64 both = _kor_mask64(_mm512_cmpeq_epi8_mask(window.blocks[i], equals_sign),
                                 _mm512_cmpeq_epi8_mask(window.blocks[i], soh_sign));
    if (kPart == Part::Front && i + 1 == Blocks) both = _kand_mask64(front, both);
    if (kPart == Part::Back && i == 0) both = _kandn_mask64(front, both);
    found.last_bits = _cvtmask64_u64(both);
    const __m512i positions =
        _mm512_maskz_compress_epi8(both, load(kLanes.position[i % kNumberedBlocks]));
    found.positions =
        i == 0 ? positions
               : _mm512_or_si512(found.positions, moved_up(positions, found.lanes, iota));
    found.lanes += count_bits(found.last_bits);
  }
  lanes_before[Blocks] = found.lanes;
  if constexpr (Blocks > kNumberedBlocks) {
    // Both delimiters of a field are numbered, or in blocks next to each other, or it is long. A
    // body begins with `35=` and ends with SOH, so that any field of 256 bytes has those blocks.
    found.has_far_field = lanes_before[kNumberedBlocks - 2] == lanes_before[kNumberedBlocks];
    number_lanes(found, lanes_before[kNumberedBlocks]);
  }
  found.bytes =
      bytes_at(window, _mm512_sub_epi8(found.positions, load(kLanes.one_byte)), found.later);
  return found;
}

[[gnu::always_inline]] inline std::uint64_t lanes_out_of_turn(const Delimiters& found) noexcept {
  const __mmask64 others = _mm512_cmpneq_epi8_mask(found.bytes, load(kLanes.turn));
  return _bzhi_u64(_cvtmask64_u64(others), found.lanes);
}

// Removes the lane of a `=` within a value. If a field has no `=`, removes its lane and all later
// ones.
[[gnu::always_inline]] inline void remove_text(Delimiters& found) noexcept {
  std::uint64_t all = _bzhi_u64(~0ULL, found.lanes);
  const std::uint64_t equals =
      _cvtmask64_u64(_mm512_cmpeq_epi8_mask(found.bytes, load(kLanes.equals)));
  const std::uint64_t soh = all & ~equals;
  const std::uint64_t lacking = soh & ((soh << 1) | 1);
  if (lacking != 0) all = _bzhi_u64(all, static_cast<std::uint32_t>(_tzcnt_u64(lacking)));
  const std::uint64_t kept = all & ~(equals & (equals << 1));
  found.positions = _mm512_maskz_compress_epi8(_cvtu64_mask64(kept), found.positions);
  found.bytes = load(kLanes.turn);
  found.lanes = static_cast<std::uint32_t>(_mm_popcnt_u64(kept));
  number_lanes(found, count_bits(_bzhi_u64(kept, found.numbered_lanes)));
}

// Tags of up to four digits, one lane of 16 bits for each field, and the lanes of fields that need
// the slow path: one or both lanes of each such field.
struct Tags {
  __m512i keys;
  __m512i distances;  // of each delimiter from the one before
  std::uint64_t slow;
};

// Five digits only on the slow path, because they cost each field a little.
enum class TagDigits { Four, Five };

template <TagDigits kMax = TagDigits::Four, std::uint32_t Blocks>
[[gnu::always_inline]] inline Tags read_tags(const Window<Blocks>& window, const Delimiters& found,
                                             const DataTags& data) noexcept {
  const __m512i positions = found.positions;
  // The distance of each `=` from the SOH before it, and of each SOH from its `=`. A lane needs the
  // slow path if its distance is above the maximum, or if it is nonzero in one of the other slow
  // vectors.
  const __m512i distances =
      _mm512_sub_epi8(positions, _mm512_permutexvar_epi8(load(kLanes.previous), positions));
  const __m512i slow_lengths =
      _mm512_subs_epu8(_mm512_sub_epi8(distances, load(kLanes.two)),
                       load(kMax == TagDigits::Five ? kLanes.wide_length_max : kLanes.length_max));

  const __m512i equals = _mm512_shuffle_epi8(positions, load(kLanes.tag.equals));
  const __m512i low_text =
      bytes_at(window, _mm512_add_epi8(equals, load(kLanes.tag.low_back)), found.later);
  const __m512i high_text =
      bytes_at(window, _mm512_add_epi8(equals, load(kLanes.tag.high_back)), found.later);
  // Indexed by the distance of a field's `=`, which is the number of digits plus one. For distances
  // of 32 or more the result is invalid, but such a field needs the slow path for its length.
  const auto of_digits = [&](const std::uint16_t* table) noexcept {
    return _mm512_permutexvar_epi16(distances, load(table));
  };
  constexpr int kDifferenceAnd = 0x48;  // (a ^ c) & b
  const __m512i low = _mm512_ternarylogic_epi64(low_text, of_digits(kLanes.tag.low_digits),
                                                load(kLanes.tag.ascii_zero), kDifferenceAnd);
  const __m512i high = _mm512_ternarylogic_epi64(high_text, of_digits(kLanes.tag.high_digits),
                                                 load(kLanes.tag.ascii_zero), kDifferenceAnd);
  __m512i slow_digits = _mm512_subs_epu8(_mm512_max_epu8(low, high), load(kLanes.tag.nine));

  const __m512i low_two = _mm512_maddubs_epi16(low, load(kLanes.tag.weights));
  const __m512i high_two = _mm512_maddubs_epi16(high, load(kLanes.tag.weights));
  __m512i keys = _mm512_add_epi16(low_two, _mm512_mullo_epi16(high_two, load(kLanes.tag.hundred)));
  if constexpr (kMax == TagDigits::Five) {
    const __m512i digits = _mm512_shuffle_epi8(distances, load(kLanes.tag.equals));  // and one
    const __m512i text =
        bytes_at(window, _mm512_add_epi8(equals, load(kLanes.fifth_digit.back)), found.later);
    const __m512i top =
        _mm512_maskz_sub_epi8(_mm512_cmpge_epu8_mask(digits, load(kLanes.fifth_digit.lengths)),
                              text, load(kLanes.tag.ascii_zero));
    keys = _mm512_add_epi16(keys, _mm512_mullo_epi16(top, load(kLanes.fifth_digit.weights)));
    // A key from 60,000 on might be too large.
    slow_digits =
        _mm512_or_si512(slow_digits, _mm512_subs_epu8(top, load(kLanes.fifth_digit.digit_max)));
  }
  const __m512i leading_zeros =
      _mm512_subs_epu16(_mm512_permutexvar_epi16(distances, load(kLanes.tag.smallest)), keys);
  const __m512i length_class_low =
      _mm512_permutex2var_epi8(load(data.low_two), low_two, load(data.low_two + 64));
  const __m512i length_class_high = _mm512_permutexvar_epi8(high_two, load(data.high_two));

  constexpr int kOr = 0xfe;
  constexpr int kOrOfAnd = 0xf8;         // a | (b & c)
  constexpr int kOrOfDifference = 0xf6;  // a | (b ^ c)
  const __m512i slow = _mm512_ternarylogic_epi64(
      _mm512_ternarylogic_epi64(slow_lengths, found.bytes, load(kLanes.turn), kOrOfDifference),
      _mm512_ternarylogic_epi64(slow_digits, length_class_low, length_class_high, kOrOfAnd),
      leading_zeros, kOr);
  return {keys, distances, _cvtmask64_u64(_mm512_test_epi8_mask(slow, slow))};
}

// Stores the places of eight values.
[[gnu::always_inline]] inline void store_places(FieldPlace* to, __m512i base,
                                                __m128i positions) noexcept {
  _mm512_storeu_si512(to, _mm512_add_epi32(_mm512_cvtepu8_epi32(positions), base));
}

[[gnu::always_inline]] inline void store_all_places(const FieldArrays& arrays, const Place& place,
                                                    std::uint32_t fields,
                                                    __m512i positions) noexcept {
  // A value begins after its `=` and ends at its SOH. Both are counted from 1.
  const __m512i base =
      _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(place.byte)), load(kLanes.place));
  FieldPlace* const to = arrays.places + place.entry;
  store_places(to, base, _mm512_castsi512_si128(positions));
  store_places(to + 8, base, _mm512_extracti32x4_epi32(positions, 1));
  if (fields > 16) {
    store_places(to + 16, base, _mm512_extracti32x4_epi32(positions, 2));
    store_places(to + 24, base, _mm512_extracti32x4_epi32(positions, 3));
  }
}

[[gnu::always_inline]] inline void store_entries(const FieldArrays& arrays, const Place& place,
                                                 std::uint32_t fields, __m512i keys,
                                                 __m512i positions) noexcept {
  _mm512_storeu_si512(arrays.keys + place.entry, keys);
  store_all_places(arrays, place, fields, positions);
}

// A bit for each field of a window that needs the slow path.
[[gnu::always_inline]] inline std::uint32_t slow_path_fields(std::uint64_t slow,
                                                             std::uint32_t fields) noexcept {
  const auto pairs =
      static_cast<std::uint32_t>(_pext_u64(slow | (slow >> 1), 0x5555'5555'5555'5555));
  return _bzhi_u32(pairs, fields);
}

// The tag whose digits end at equals, or 0 if it is malformed. Eight bytes before equals are
// readable.
inline std::uint32_t read_tag_at(const char* equals, std::uint32_t digits) noexcept {
  if (digits - 1 >= kNumberDigitsMax) return read_tag(equals - digits, digits);
  const std::uint32_t tag = number_before(equals, digits);
  return tag == kNoNumber || *(equals - digits) == '0' ? 0 : tag;
}

#include "wire/kernels/x86_avx512_long.inl.hpp"

// The narrow index of a short message with a usual head. The head's two entries are shifted in from
// below, and the trailer's is moved in, so that one store writes each array: a reader's loads would
// wait until a second store has reached the cache.
template <class Head>
[[gnu::always_inline]] inline void store_narrow(const FieldArrays& arrays, const Tags& tags,
                                                __m512i positions, std::uint32_t fields,
                                                std::uint32_t size) noexcept {
  constexpr std::uint32_t kTrailerPlace = (3 << 8) - 4;  // of three bytes, four before the end
  const __mmask32 trailer = _cvtu32_mask32(1U << kHeadFields << fields);
  constexpr int kSelect = 0xe4;  // c ? a : b
  constexpr std::uint32_t kRow = Head::kBytes - kHeadBytesMin;
  const __m512i places =
      _mm512_add_epi8(_mm512_ternarylogic_epi64(positions, tags.distances,
                                                load(kLanes.head.from_position), kSelect),
                      load(kLanes.head.bytes[kRow]));
  const __m512i all_keys = _mm512_alignr_epi32(tags.keys, load(kLanes.head.keys), 15);
  const __m512i all_places = _mm512_alignr_epi32(
      places,
      load(Head::kVersionOf == Version::Fix4 ? kLanes.head.fix4_places[kRow]
                                             : kLanes.head.fixt1_places[kRow - 1]),
      15);
  _mm512_storeu_si512(arrays.keys,
                      _mm512_mask_mov_epi16(all_keys, trailer, load(kLanes.trailer_key)));
  _mm512_storeu_si512(
      arrays.narrow_places,
      _mm512_mask_set1_epi16(all_places, trailer, static_cast<short>(size + kTrailerPlace)));
}

// The position of its SOH.
inline std::uint32_t end_of(const NarrowPlace& place) noexcept {
  return std::uint32_t{place.begin} + place.size;
}

// Examines the slow-path fields of a narrow index again. False: they need a wide index.
[[gnu::noinline]] static bool settle_narrow(const char* frame, std::uint32_t size,
                                            std::uint32_t fields, std::uint32_t slow,
                                            IndexWork& work) noexcept {
  const FieldArrays& arrays = work.arrays;
  work.first.rule = kNoFault;
  work.first_but_empty.rule = kNoFault;
  for (; slow != 0; slow &= slow - 1) {
    const std::uint32_t at = _tzcnt_u32(slow);
    const std::uint32_t entry = kHeadFields + at;
    const std::uint32_t begin = end_of(arrays.narrow_places[entry - 1]) + 1;
    const NarrowPlace place = arrays.narrow_places[entry];
    const FieldBytes field{begin, place.begin - 1U, end_of(place)};
    const std::uint32_t tag = read_tag_at(frame + field.equals, field.equals - begin);
    if (tag == 0 || field.equals + 1 == field.end) return false;
    arrays.keys[entry] = key_of(tag);
    if (data_tag_of(work.data, tag) == 0) continue;
    const FieldPlace data = announced_data(frame, size, field, tag, work);
    if (work.first.rule != kNoFault) return false;
    if (data.begin == 0) continue;
    // The entry of a value without SOH is valid. Whatever its tag is, it is not a Length field.
    if (at + 1 == fields || end_of(arrays.narrow_places[entry + 1]) != data.end ||
        data.begin == data.end) {
      return false;
    }
    const std::uint32_t tag_begin = field.end + 1;
    arrays.keys[entry + 1] = key_of(read_tag(frame + tag_begin, data.begin - 1 - tag_begin));
    slow &= ~static_cast<std::uint32_t>(2ULL << at);
  }
  return true;
}

// The end of index_body(), for a body whose fields are all in the index: of narrow or of wide
// places (0).
template <unsigned Policy, class Head, std::uint32_t Places, std::uint32_t Blocks>
[[gnu::always_inline]] inline std::uint32_t finish_body(const char* frame, std::uint32_t size,
                                                        const Window<Blocks>& window,
                                                        std::uint64_t last_word,
                                                        std::uint32_t fields) noexcept {
  // Starts with the head's last byte.
  constexpr std::uint32_t kMsgTypeStart = '\x01' | '3' << 8 | '5' << 16 | '=' << 24;
  std::uint32_t body_start;
  __builtin_memcpy(&body_start, frame + Head::kBytes - 1, sizeof body_start);
  if (body_start != kMsgTypeStart) return 0;
  if constexpr ((Policy & kLeaveOutCheckSum) == 0) {
    const std::uint32_t byte_sum = sum_bytes(window, last_word) + Head::kOtherSum;
    if (!is_trailer_of(frame, size, byte_sum)) return 0;
  } else {
    if (!read_trailer(frame, size).good) return 0;
  }
  return fields + ((kHeadFields + 1) | Places);
}

// Whether the first lane out of turn may lie in a data field: one of the two fields before it needs
// the slow path, as a Length field does.
[[gnu::always_inline]] inline bool is_cut_by_data(std::uint64_t out_of_turn,
                                                  std::uint64_t slow) noexcept {
  constexpr std::uint64_t kTwoFields = 0xf;
  const auto lane = static_cast<std::uint32_t>(_tzcnt_u64(out_of_turn)) & ~1U;
  return lane < 4 || (slow >> (lane - 4) & kTwoFields) != 0;
}

// index_body() for a window with a slow-path field. All arguments are values, because the fast path
// would have to keep in memory anything whose address is taken.
template <unsigned Policy, class Head, std::uint32_t Blocks>
[[gnu::noinline]] static std::uint32_t index_slow_path_body(const char* frame, std::uint32_t size,
                                                            std::uint32_t lanes,
                                                            std::uint64_t slow_lanes,
                                                            __m512i positions, __m512i bytes,
                                                            IndexWork& work) noexcept {
  const std::uint32_t body_end = size - kTrailerBytes;
  const Window<Blocks> window = load_window<Blocks>(frame + Head::kBytes, body_end - Head::kBytes);
  Delimiters found{positions, bytes, lanes, 0, 0, 0, false};
  if (const std::uint64_t out_of_turn = lanes_out_of_turn(found); out_of_turn != 0) {
    if (is_cut_by_data(out_of_turn, slow_lanes)) {
      return index_long<Policy>(frame, size, work, FirstPart::Sparse);
    }
    remove_text(found);
  }
  const Tags tags = read_tags<TagDigits::Five>(window, found, work.data);
  const std::uint64_t slow = _bzhi_u64(tags.slow, found.lanes);
  const std::uint32_t fields = found.lanes / 2;
  store_narrow<Head>(work.arrays, tags, found.positions, fields, size);
  if (end_of(work.arrays.narrow_places[kHeadFields + fields - 1]) + 1 != body_end ||
      (slow != 0 && !settle_narrow(frame, size, fields, slow_path_fields(slow, fields), work))) {
    // The usual cause is a data field that contains SOH.
    return index_long<Policy>(frame, size, work, FirstPart::Sparse);
  }
  const std::uint64_t last_word = load_word(frame + Head::kBytes - sizeof last_word);
  return finish_body<Policy, Head, kNarrowPlaces>(frame, size, window, last_word, fields);
}

// The body of a short message with a usual head, in one window.
template <unsigned Policy, class Head, std::uint32_t Blocks>
[[gnu::always_inline]] inline std::uint32_t index_body(const char* frame, std::uint32_t size,
                                                       std::uint64_t last_word,
                                                       IndexWork& work) noexcept {
  const std::uint32_t body_bytes = size - kTrailerBytes - Head::kBytes;
  const Window<Blocks> window = load_window<Blocks>(frame + Head::kBytes, body_bytes);
  const Delimiters found = find_delimiters(window);
  if (found.lanes > kBodyLanesMax) [[unlikely]]
    return index_long<Policy>(frame, size, work);
  const Tags tags = read_tags(window, found, work.data);
  store_narrow<Head>(work.arrays, tags, found.positions, found.lanes / 2, size);
  const std::uint64_t slow = _bzhi_u64(tags.slow, found.lanes);
  if (slow != 0) [[unlikely]] {
    return index_slow_path_body<Policy, Head, Blocks>(frame, size, found.lanes, slow,
                                                      found.positions, found.bytes, work);
  }
  return finish_body<Policy, Head, kNarrowPlaces>(frame, size, window, last_word, found.lanes / 2);
}

template <unsigned Policy, Version kVersion>
[[gnu::noinline]] std::uint32_t index_short(const char* frame, std::uint32_t size,
                                            IndexWork& work) noexcept {
  using TwoDigits = UsualHead<kVersion, 2>;
  using ThreeDigits = UsualHead<kVersion, 3>;
  constexpr std::uint32_t kTwoDigitsMax = 99;
  const std::uint32_t body_bytes_of_two = size - kTrailerBytes - TwoDigits::kBytes;
  if (body_bytes_of_two > kTwoDigitsMax) {
    const std::uint32_t body_bytes = body_bytes_of_two - 1;
    const std::uint64_t last_word = load_word(frame + ThreeDigits::kBytes - 8);
    if (!is_usual_head<kVersion, 3>(last_word, body_bytes)) [[unlikely]] {
      return index_long<Policy>(frame, size, work);
    }
    if (body_bytes > 3 * kBlockBytes) {
      return index_body<Policy, ThreeDigits, 4>(frame, size, last_word, work);
    }
    if (body_bytes > 2 * kBlockBytes) {
      return index_body<Policy, ThreeDigits, 3>(frame, size, last_word, work);
    }
    return index_body<Policy, ThreeDigits, 2>(frame, size, last_word, work);
  }
  const std::uint64_t last_word = load_word(frame + TwoDigits::kBytes - 8);
  if (!is_usual_head<kVersion, 2>(last_word, body_bytes_of_two)) [[unlikely]] {
    return index_long<Policy>(frame, size, work);
  }
  if (body_bytes_of_two > kBlockBytes) {
    return index_body<Policy, TwoDigits, 2>(frame, size, last_word, work);
  }
  return index_body<Policy, TwoDigits, 1>(frame, size, last_word, work);
}

#include "wire/kernels/generic/known_tags.inl.hpp"
#include "wire/kernels/x86_avx512_known_tags.inl.hpp"
#include "wire/kernels/x86_avx512_wide.inl.hpp"

bool fits(const char* frame, std::size_t size, const ByteRanges& ranges) noexcept {
  __m512i sum = _mm512_setzero_si512();
  __m512i others = _mm512_setzero_si512();
  const auto look_at = [&] [[gnu::always_inline]] (__m512i bytes, std::size_t at) noexcept {
    sum = _mm512_add_epi8(sum, bytes);
    others =
        _mm512_or_si512(others, _mm512_subs_epu8(_mm512_sub_epi8(bytes, load(ranges.lowest + at)),
                                                 load(ranges.width + at)));
  };
  std::size_t at = 0;
  for (; at + kBlockBytes <= size; at += kBlockBytes) {
    look_at(_mm512_loadu_si512(frame + at), at);
  }
  look_at(_mm512_maskz_loadu_epi8(_bzhi_u64(~0ULL, static_cast<unsigned>(size - at)), frame + at),
          at);
  const __m128i sums = _mm512_cvtepi64_epi8(_mm512_sad_epu8(sum, _mm512_setzero_si512()));
  const auto byte_sum =
      static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_sad_epu8(sums, _mm_setzero_si128())));
  return _mm512_test_epi8_mask(others, others) == 0 && is_sum_valid(frame, size, byte_sum);
}

template <unsigned Policy>
std::uint32_t index_frame(const char* frame, std::size_t frame_bytes, IndexWork& work) noexcept {
  if (frame_bytes - kUsualBytesMin <= kNarrowBytesMax - kUsualBytesMin) {
    const auto size = static_cast<std::uint32_t>(frame_bytes);
    const std::uint64_t start = load_word(frame);
    if (start == kFix4Start) return index_short<Policy, Version::Fix4>(frame, size, work);
    if (is_fixt1_start(frame, start)) return index_short<Policy, Version::Fixt1>(frame, size, work);
  } else if (frame_bytes - kNarrowBytesMax <= kWideBytesMax - kNarrowBytesMax) {
    const auto size = static_cast<std::uint32_t>(frame_bytes);
    const std::uint64_t start = load_word(frame);
    if (start == kFix4Start) return index_wide<Policy, Version::Fix4>(frame, size, work);
    if (is_fixt1_start(frame, start)) return index_wide<Policy, Version::Fixt1>(frame, size, work);
  }
  if (frame_bytes < kFrameBytesMin || frame_bytes > kFrameBytesMax) return 0;
  return index_long<Policy>(frame, static_cast<std::uint32_t>(frame_bytes), work);
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

// Outside of the region, because it also runs on CPUs without AVX-512.
bool supported() noexcept {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("avx512vbmi2") != 0 &&
         __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
         __builtin_cpu_supports("popcnt") != 0 && __builtin_cpu_supports("lzcnt") != 0;
}

}  // namespace

extern const KernelTable kTable;
const KernelTable kTable{
    "avx512", supported,     {index_frame<0>, index_frame<1>, index_frame<2>, index_frame<3>},
    fits,     find_sequence, TagSequence::kShortBytesMax};

}  // namespace nexusfix::wire::kernels::avx512

#endif
