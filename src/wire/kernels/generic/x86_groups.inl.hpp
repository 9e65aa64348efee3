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

// The four bytes from offset on of each of eight fields. Their addresses are arbitrary: one gather
// instruction takes more time than these loads.
inline __m256i load_words(const char* frame, const std::uint32_t* starts,
                          std::uint32_t offset) noexcept {
  const auto word = [=](std::uint32_t i) noexcept {
    std::int32_t bytes;
    __builtin_memcpy(&bytes, frame + starts[i] + offset, sizeof bytes);
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

// Nonzero in the low byte of each lane whose tag may be a Length tag. The other bytes mean nothing.
inline __m256i may_be_lengths(const DataTags& data, __m256i tags) noexcept {
  const __m256i low_four = _mm256_set1_epi32(15);
  const auto entries = [&data](std::uint32_t i, __m256i index) noexcept {
    const void* const table = data.nibbles[i];
    return _mm256_shuffle_epi8(
        _mm256_broadcastsi128_si256(_mm_load_si128(static_cast<const __m128i*>(table))), index);
  };
  const __m256i low = entries(0, _mm256_and_si256(tags, low_four));
  const __m256i middle = entries(1, _mm256_and_si256(_mm256_srli_epi32(tags, 4), low_four));
  const __m256i high = entries(2, _mm256_srli_epi32(tags, 8));
  return _mm256_and_si256(_mm256_and_si256(low, middle), high);
}

// Constants that the compiler would otherwise make again for every group.
struct Patterns {
  __m256i equals_sign;
  __m256i ascii_zero;
  __m256i ones;  // all bits
  __m256i byte_one;
  __m256i word_one;
  __m256i lane_bits;
  __m256i low_bytes;
};

struct PatternLanes {
  alignas(32) std::uint32_t lanes[8];
};

constexpr PatternLanes in_each_lane(std::uint32_t lane) noexcept {
  return {{lane, lane, lane, lane, lane, lane, lane, lane}};
}

constexpr PatternLanes kEqualsSigns = in_each_lane(0x3d3d'3d3d);
constexpr PatternLanes kAsciiZeros = in_each_lane(0x3030'3030);
constexpr PatternLanes kByteOnes = in_each_lane(0x0101'0101);
constexpr PatternLanes kWordOnes = in_each_lane(0x0001'0001);
constexpr PatternLanes kLaneBits = in_each_lane(32);
constexpr PatternLanes kLowBytes = in_each_lane(0xff);

// One load. From a constant that it knows, the compiler makes three instructions.
inline __m256i kept(const PatternLanes& pattern) noexcept {
  __m256i lanes;
  __asm__("vmovdqa %1, %0" : "=x"(lanes) : "m"(pattern));
  return lanes;
}

[[gnu::always_inline]] inline Patterns patterns() noexcept {
  __m256i ones = _mm256_set1_epi32(-1);
  __asm__("" : "+x"(ones));
  return {kept(kEqualsSigns), kept(kAsciiZeros), ones,           kept(kByteOnes),
          kept(kWordOnes),    kept(kLaneBits),   kept(kLowBytes)};
}

// Which of the given fields, whose first four bytes contain no `=`, have one directly after them.
[[gnu::noinline]] static std::uint32_t with_four_digits(const char* frame,
                                                        const std::uint32_t* starts) noexcept {
  return sign_bits(_mm256_cmpeq_epi8(load_words(frame, starts, 1), _mm256_set1_epi8('=')));
}

[[gnu::always_inline]] inline std::uint32_t index_group(
    const char* frame, const std::uint32_t* starts, const DataTags& data, const FieldArrays& arrays,
    std::uint32_t entry, const Patterns& all) noexcept {
  // All bits of the bytes before the first `=`.
  const __m256i text = load_words(frame, starts, 0);
  const __m256i equals = _mm256_cmpeq_epi8(text, all.equals_sign);
  const __m256i tag_bytes = _mm256_andnot_si256(equals, _mm256_add_epi32(equals, all.ones));

  // Digits become 0 to 9 and move to the top. Then the zeros that follow below do not count.
  const __m256i minus_count =
      _mm256_madd_epi16(_mm256_maddubs_epi16(all.byte_one, tag_bytes), all.word_one);
  const __m256i digits =
      _mm256_sllv_epi32(_mm256_xor_si256(text, all.ascii_zero),
                        _mm256_add_epi32(_mm256_slli_epi32(minus_count, 3), all.lane_bits));
  const __m256i pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x010a));
  const __m256i tags = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x0001'0064));

  const __m256i ends = _mm256_add_epi32(load_lanes(starts + 1), all.ones);
  const __m256i begins =
      _mm256_sub_epi32(load_lanes(starts), _mm256_add_epi32(minus_count, all.ones));
  const __m256i low = _mm256_unpacklo_epi32(begins, ends);
  const __m256i high = _mm256_unpackhi_epi32(begins, ends);
  store_lanes(arrays.places + entry, _mm256_permute2x128_si256(low, high, 0x20));
  store_lanes(arrays.places + entry + 4, _mm256_permute2x128_si256(low, high, 0x31));
  const __m128i keys =
      _mm_packus_epi32(_mm256_castsi256_si128(tags), _mm256_extracti128_si256(tags, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(arrays.keys + entry), keys);

  // Digits without a leading zero. The first byte is checked even if there is no tag.
  const __m256i above_first = _mm256_sub_epi8(text, _mm256_set1_epi32(0x3030'3031));
  const __m256i looked_at = _mm256_or_si256(tag_bytes, all.low_bytes);
  const __m256i no_digits =
      _mm256_subs_epu8(_mm256_and_si256(above_first, looked_at), _mm256_set1_epi32(0x0909'0908));
  const __m256i empty = _mm256_cmpeq_epi32(begins, ends);
  const __m256i lengths = _mm256_and_si256(may_be_lengths(data, tags), all.low_bytes);
  const __m256i needs_slow_path = _mm256_or_si256(_mm256_or_si256(no_digits, empty), lengths);
  std::uint32_t slow =
      0xff ^ sign_bits(_mm256_cmpeq_epi32(needs_slow_path, _mm256_setzero_si256()));
  const std::uint32_t four_digits = sign_bits(tag_bytes);
  if (four_digits != 0) [[unlikely]]
    slow |= four_digits & ~with_four_digits(frame, starts);
  return slow;
}
