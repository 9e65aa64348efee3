// Whether a frame has the tags of an earlier one, for AVX2. Where its fields begin is found as for
// any frame; then its tags are compared, not converted, and the places of all values are written at
// once. Include this file after frames.inl.hpp, x86_groups.inl.hpp and known_tags.inl.hpp.

// Where the fields of a frame begin, a byte each. Some more are written than a frame has.
struct ShortStarts {
  unsigned char at[kNarrowBytesMax + kBlockBytes + 1];
};

template <std::uint32_t Count>
[[gnu::always_inline]] inline std::uint64_t write_short_starts(unsigned char* out,
                                                               std::uint32_t base,
                                                               std::uint64_t bits) noexcept {
#pragma GCC unroll 16
  for (std::uint32_t i = 0; i < Count; ++i) {
    out[i] = static_cast<unsigned char>(base + trailing_zeros(bits));
    bits &= bits - 1;
    __asm__ volatile("" : "+r"(bits));
  }
  return bits;
}

// As write_starts(). Returns where those of the next block go.
[[gnu::always_inline]] inline unsigned char* write_block_starts(unsigned char* out,
                                                                std::uint32_t base,
                                                                std::uint64_t bits) noexcept {
  constexpr std::uint32_t kUsual = 6;
  constexpr std::uint32_t kMore = 3;
  unsigned char* const end = out + _mm_popcnt_u64(bits);
  bits = write_short_starts<kUsual>(out, base, bits);
  for (out += kUsual; out < end; out += kMore) bits = write_short_starts<kMore>(out, base, bits);
  return end;
}

// As find_fields(), after the head.
[[gnu::always_inline]] inline std::uint32_t find_short_fields(const char* frame, std::uint32_t from,
                                                              std::uint32_t end,
                                                              ShortStarts& starts,
                                                              ByteSum& sum) noexcept {
  unsigned char* const out = starts.at + kHeadFields + 1;
  unsigned char* next = out;
  const std::size_t last = end - kBlockBytes;
  std::size_t at = from;
  for (; at <= last; at += kBlockBytes) {
    next = write_block_starts(next, static_cast<std::uint32_t>(at) + 1, soh_bits(frame + at, sum));
  }
  if (at != end) {
    next = write_block_starts(next, static_cast<std::uint32_t>(last) + 1,
                              soh_bits(frame + last, kKeep.at + (end - at), sum));
  }
  // A group may read past the last field. What it finds there must lie within the frame.
  store_lanes(next, _mm256_setzero_si256());
  return static_cast<std::uint32_t>(next - out);
}

// The first four bytes of the eight fields from this start on.
[[gnu::always_inline]] inline __m256i first_words(const char* frame,
                                                  const unsigned char* starts) noexcept {
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

// Bits in each byte that is not as the known ones, among the first four of each field. fields: all
// but the trailer.
[[gnu::always_inline]] inline __m256i beyond_known(const char* frame, const unsigned char* starts,
                                                   const TagTexts& known,
                                                   std::uint32_t fields) noexcept {
  __m256i others = _mm256_setzero_si256();
  for (std::uint32_t field = kFirstCompared; field < fields; field += kGroupFields) {
    others = _mm256_or_si256(
        others, beyond(first_words(frame, starts + field), load_lanes(known.lowest + field),
                       load_lanes(known.width + field)));
  }
  return others;
}

// Writes the places of the values. Adds to others the bits of fields whose value should be one byte
// and is not. Returns whether no value is empty. fields: with the trailer.
[[gnu::always_inline]] inline bool put_places(const unsigned char* starts, const TagTexts& known,
                                              std::uint32_t fields, NarrowPlace* places,
                                              __m256i& others) noexcept {
  const __m256i begins = _mm256_add_epi8(load_lanes(starts), load_lanes(known.bytes));
  const __m256i ends = _mm256_add_epi8(load_lanes(starts + 1), _mm256_set1_epi8(-1));
  const __m256i sizes = _mm256_sub_epi8(ends, begins);
  const __m256i low = _mm256_unpacklo_epi8(begins, sizes);
  const __m256i high = _mm256_unpackhi_epi8(begins, sizes);
  store_lanes(places, _mm256_permute2x128_si256(low, high, 0x20));
  store_lanes(places + kGroupFields * 2, _mm256_permute2x128_si256(low, high, 0x31));
  const __m256i ones = _mm256_cmpeq_epi8(sizes, _mm256_set1_epi8(1));
  others = _mm256_or_si256(others, _mm256_andnot_si256(ones, load_lanes(known.single)));
  const auto empty = static_cast<std::uint32_t>(
      _mm256_movemask_epi8(_mm256_cmpeq_epi8(sizes, _mm256_setzero_si256())));
  return _bzhi_u32(empty, fields) == 0;
}

inline TagSequence* find_sequence(const char* frame, std::size_t frame_bytes,
                                  TagSequence* sequences) noexcept {
  static_assert(TagSequence::kFrameBytesMin >= kUsualFrameMin &&
                TagSequence::kFrameBytesMax <= kNarrowBytesMax);
  const auto size = static_cast<std::uint32_t>(frame_bytes);
  const UsualFields head = usual_head(frame, size);
  if (head.bytes == 0) return nullptr;
  ShortStarts starts;
  starts.at[0] = 0;
  starts.at[1] = static_cast<unsigned char>(head.body_length);
  starts.at[kHeadFields] = static_cast<unsigned char>(head.bytes);
  ByteSum sum = sum_of_head(frame);
  const std::uint32_t fields =
      kHeadFields + find_short_fields(frame, head.bytes, size - kTrailerBytes, starts, sum);
  constexpr std::uint32_t kLeastBytes = 15;
  const std::uint32_t body_sum = total_of(sum) + kRestsOfHeadSum[head.bytes - kLeastBytes];
  if (!is_trailer_of(frame, size, body_sum) || fields >= TagTexts::kFieldsMax) return nullptr;
  TagSequence& sequence =
      sequence_of(frame, head, frame[starts.at[fields - 1] + 1], fields, sequences);
  const TagTexts& known = sequence.texts();
  if (!has_type(frame + head.bytes, known, fields + 1)) return nullptr;
  __m256i others = beyond_known(frame, starts.at, known, fields);
  // Not before: a group would read there.
  starts.at[fields + 1] = static_cast<unsigned char>(size);
  if (!put_places(starts.at, known, fields + 1, sequence.places(), others) ||
      !are_long_tags(frame, starts.at, known)) {
    return nullptr;
  }
  const bool is_narrow = is_none(others);
  if (!is_narrow && !are_tags(frame, starts.at, known, fields)) return nullptr;
  sequence.set_narrow(is_narrow);
  return &sequence;
}
