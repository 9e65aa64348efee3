// match_known() of find_sequence.inl.hpp for AVX2: tags are compared and the places of all values
// written at once. Include this file before that one, and after windows.inl.hpp, x86_groups.inl.hpp
// and known_tags.inl.hpp.

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

[[gnu::always_inline]] inline bool match_known(const char* frame, ShortStarts& starts,
                                               std::uint32_t fields, std::uint32_t size,
                                               TagSequence& sequence) noexcept {
  const TagTexts& known = sequence.texts();
  __m256i others = beyond_known(frame, starts.at, known, fields);
  // Not before: a group would read there.
  starts.at[fields + 1] = static_cast<unsigned char>(size);
  if (!put_places(starts.at, known, fields + 1, sequence.places(), others) ||
      !are_long_tags(frame, starts.at, known)) {
    return false;
  }
  const bool is_narrow = is_none(others);
  sequence.set_narrow(is_narrow);
  return is_narrow || are_tags(frame, starts.at, known, fields);
}
