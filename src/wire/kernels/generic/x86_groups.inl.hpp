// The part of index_group() for windows.inl.hpp that AVX2 and AVX-512 share: eight tags at a time.
// Include this file before that one.

constexpr std::uint32_t kGroupFields = 8;
constexpr std::uint32_t kTagBytesRead = 5;

inline std::uint32_t trailing_zeros(std::uint64_t bits) noexcept {
  // The intrinsic adds an instruction that keeps old CPUs from waiting for the register.
  std::uint64_t count;
  __asm__("tzcnt %1, %0" : "=r"(count) : "r"(bits) : "cc");
  return static_cast<std::uint32_t>(count);
}
inline __m256i load_lanes(const void* from) noexcept {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}

inline void store_lanes(void* to, __m256i lanes) noexcept {
  _mm256_storeu_si256(static_cast<__m256i*>(to), lanes);
}

// The first four bytes of each of eight fields. Their addresses are arbitrary: one gather
// instruction takes more time than these loads.
template <class Start>
inline __m256i load_words(const char* frame, const Start* starts) noexcept {
  const auto word = [=](std::uint32_t i) noexcept {
    std::int32_t bytes;
    __builtin_memcpy(&bytes, frame + starts[i], sizeof bytes);
    return bytes;
  };
  __m128i low = _mm_cvtsi32_si128(word(0));
  __m128i high = _mm_cvtsi32_si128(word(4));
  low = _mm_insert_epi32(low, word(1), 1);
  high = _mm_insert_epi32(high, word(5), 1);
  low = _mm_insert_epi32(low, word(2), 2);
  high = _mm_insert_epi32(high, word(6), 2);
  low = _mm_insert_epi32(low, word(3), 3);
  high = _mm_insert_epi32(high, word(7), 3);
  return _mm256_set_m128i(high, low);
}

inline std::uint32_t sign_bits(__m256i lanes) noexcept {
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(lanes)));
}

inline __m256i aligned_lanes(const std::uint32_t* lanes) noexcept {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(lanes));
}

// A number in each of eight lanes.
struct EachLane {
  std::uint32_t lanes[8];
  constexpr explicit EachLane(std::uint32_t number) noexcept : lanes{} {
    for (std::uint32_t& lane : lanes) lane = number;
  }
  constexpr operator const std::uint32_t*() const noexcept { return lanes; }
};

// Constants of index_group().
struct GroupLanes {
  alignas(32) EachLane equals_sign{0x3d3d'3d3d};
  EachLane ascii_zero{0x3030'3030};
  EachLane byte_one{0x0101'0101};
  EachLane word_one{0x0001'0001};
  EachLane lane_bits{32};
  EachLane nine{0x0909'0909};
  EachLane ten_and_one{0x010a'010a};
  EachLane hundred_and_one{0x0001'0064};
};

constexpr GroupLanes kGroupLanes;

// By minus the number of digits, modulo 4: the least tag. A tag without digits is 0, and too small
// for four digits.
alignas(32) constexpr std::uint32_t kLeastTags[8] = {1000, 100, 10, 1, 1000, 100, 10, 1};

struct Patterns {
  const GroupLanes* lanes;
  const DataTags* data;
  __m256 least_tag;
  __m256i ones;  // DataTags::digits
  __m256i tens;
  __m256i hundreds;
};

[[gnu::always_inline]] inline Patterns patterns(const DataTags& data) noexcept {
  const auto digits = [&data](std::uint32_t i) noexcept {
    const void* const table = data.digits[i];
    return _mm256_broadcastsi128_si256(_mm_load_si128(static_cast<const __m128i*>(table)));
  };
  const GroupLanes* lanes = &kGroupLanes;
  // The compiler does not see what it points to. It would make each constant by several
  // instructions instead of using it in memory.
  __asm__("" : "+r"(lanes));
  return {lanes,     &data,     _mm256_castsi256_ps(aligned_lanes(kLeastTags)),
          digits(0), digits(1), digits(2)};
}

// Nonzero in each lane whose tag may be a Length tag. digits: the ones in the highest byte. The
// byte below it lets ten more tags pass for each Length tag: those that begin with it.
inline __m256i may_be_lengths(const Patterns& all, __m256i digits) noexcept {
  const __m256i ones = _mm256_shuffle_epi8(all.ones, digits);
  const __m256i tens = _mm256_shuffle_epi8(all.tens, digits);
  const __m256i hundreds = _mm256_shuffle_epi8(all.hundreds, digits);
  const __m256i upper = _mm256_and_si256(tens, _mm256_slli_epi32(hundreds, 8));
  return _mm256_and_si256(ones, _mm256_slli_epi32(upper, 8));
}

[[gnu::always_inline]] inline std::uint32_t index_group(const char* frame,
                                                        const std::uint32_t* starts,
                                                        const FieldArrays& arrays,
                                                        std::uint32_t entry,
                                                        const Patterns& all) noexcept {
  __m256i ones = _mm256_set1_epi32(-1);
  __asm__("" : "+x"(ones));
  // All bits of the bytes before the first `=`.
  const __m256i text = load_words(frame, starts);
  const __m256i equals = _mm256_cmpeq_epi8(text, aligned_lanes(all.lanes->equals_sign));
  const __m256i tag_bytes = _mm256_andnot_si256(equals, _mm256_add_epi32(equals, ones));

  // Digits become 0 to 9 and move to the top. Then the zeros that follow below do not count.
  const __m256i minus_count =
      _mm256_madd_epi16(_mm256_maddubs_epi16(aligned_lanes(all.lanes->byte_one), tag_bytes),
                        aligned_lanes(all.lanes->word_one));
  const __m256i digits = _mm256_sllv_epi32(
      _mm256_xor_si256(text, aligned_lanes(all.lanes->ascii_zero)),
      _mm256_add_epi32(_mm256_slli_epi32(minus_count, 3), aligned_lanes(all.lanes->lane_bits)));
  const __m256i pairs = _mm256_maddubs_epi16(digits, aligned_lanes(all.lanes->ten_and_one));
  const __m256i tags = _mm256_madd_epi16(pairs, aligned_lanes(all.lanes->hundred_and_one));

  const __m256i ends = _mm256_add_epi32(load_lanes(starts + 1), ones);
  const __m256i begins = _mm256_sub_epi32(load_lanes(starts), _mm256_add_epi32(minus_count, ones));
  const __m256i low = _mm256_unpacklo_epi32(begins, ends);
  const __m256i high = _mm256_unpackhi_epi32(begins, ends);
  store_lanes(arrays.places + entry, _mm256_permute2x128_si256(low, high, 0x20));
  store_lanes(arrays.places + entry + 4, _mm256_permute2x128_si256(low, high, 0x31));
  const __m128i keys =
      _mm_packus_epi32(_mm256_castsi256_si128(tags), _mm256_extracti128_si256(tags, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(arrays.keys + entry), keys);

  // Digits without a leading zero.
  const __m256i no_digits = _mm256_subs_epu8(digits, aligned_lanes(all.lanes->nine));
  const __m256i least = _mm256_castps_si256(_mm256_permutevar_ps(all.least_tag, minus_count));
  const __m256i too_small = _mm256_cmpgt_epi32(least, tags);
  const __m256i empty = _mm256_cmpeq_epi32(begins, ends);
  const __m256i lengths = may_be_lengths(all, digits);
  const __m256i needs_slow_path =
      _mm256_or_si256(_mm256_or_si256(no_digits, too_small), _mm256_or_si256(empty, lengths));
  std::uint32_t slow = 0;
  if (_mm256_testz_si256(needs_slow_path, needs_slow_path) == 0) [[unlikely]] {
    slow = 0xff ^ sign_bits(_mm256_cmpeq_epi32(needs_slow_path, _mm256_setzero_si256()));
  }
  const std::uint32_t four_digits = sign_bits(tag_bytes);
  if (four_digits != 0) [[unlikely]]
    slow |= not_ordinary(frame, starts, arrays.keys + entry, *all.data, four_digits);
  return slow;
}
