// Whether a frame has the tags of an earlier one, for AVX-512: where its fields begin, the first
// bytes of each, and the places of all values are registers. Include this file after
// known_tags.inl.hpp.

// Where each field's successor begins, a byte each, counted from 0.
struct FieldEnds {
  __m512i after;
  std::uint32_t count;
};

template <std::uint32_t Blocks>
[[gnu::always_inline]] inline FieldEnds find_ends(const Window<Blocks>& window) noexcept {
  FieldEnds found{_mm512_setzero_si512(), 0};
  __m512i soh_sign = load(kLanes.soh);
  __m512i iota = load(kLanes.iota);
  asm("" : "+v"(soh_sign), "+v"(iota));
#pragma GCC unroll 4
  for (std::uint32_t i = 0; i < Blocks; ++i) {
    const __mmask64 soh = _mm512_cmpeq_epi8_mask(window.blocks[i], soh_sign);
    const __m512i after = _mm512_maskz_compress_epi8(soh, load(kLanes.position[i]));
    found.after = i == 0 ? after : _mm512_or_si512(found.after, moved_up(after, found.count, iota));
    found.count += count_bits(_cvtmask64_u64(soh));
  }
  return found;
}

// Bits in each byte that is not as the known ones, among the first four of sixteen fields.
template <std::uint32_t Blocks>
[[gnu::always_inline]] inline __m512i beyond_known(const Window<Blocks>& window, __m512i starts,
                                                   const TagTexts& known,
                                                   std::uint32_t group) noexcept {
  const __m512i index = _mm512_add_epi8(
      _mm512_permutexvar_epi8(load(kLanes.known.field[group]), starts), load(kLanes.known.within));
  const std::uint32_t field = 16 * group;
  return _mm512_subs_epu8(
      _mm512_sub_epi8(bytes_at(window, index, 0), _mm512_loadu_si512(known.lowest + field)),
      _mm512_loadu_si512(known.width + field));
}

[[gnu::always_inline]] inline __m512i first_half(const unsigned char* bytes) noexcept {
  return _mm512_zextsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes)));
}

// The second byte of the last field before the trailer. Found sooner than all fields, because the
// comparison waits for it. '\0': the field has more than a block.
[[gnu::always_inline]] inline char byte_of_last_tag(const char* body_end) noexcept {
  const std::uint64_t soh = _cvtmask64_u64(
      _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(body_end - 1 - kBlockBytes), load(kLanes.soh)));
  return soh == 0 ? '\0' : *(body_end - _lzcnt_u64(soh));
}

inline TagSequence* find_sequence(const char* frame, std::size_t frame_bytes,
                                  TagSequence* sequences) noexcept {
  static_assert(TagSequence::kFrameBytesMin >= kBlockBytes + kTrailerBytes &&
                TagSequence::kFrameBytesMax <= kNarrowBytesMax &&
                2 * TagTexts::kFieldsMax == kBlockBytes);
  const auto size = static_cast<std::uint32_t>(frame_bytes);
  const UsualFields head = usual_head(frame, size);
  if (head.bytes == 0) return nullptr;
  const Window<4> window = load_up_to<4>(frame, size - kTrailerBytes);
  if (!is_trailer_of(frame, size, sum_bytes(window, 0))) return nullptr;
  const FieldEnds ends = find_ends(window);
  const std::uint32_t fields = ends.count;
  if (fields >= TagTexts::kFieldsMax) return nullptr;
  // The trailer's end is not in the window.
  const __m512i after =
      _mm512_mask_set1_epi8(ends.after, _cvtu64_mask64(1ULL << fields), static_cast<char>(size));
  const __m512i starts = _mm512_permutexvar_epi8(load(kLanes.previous), after);
  alignas(64) unsigned char start_bytes[64];
  _mm512_store_si512(start_bytes, starts);
  TagSequence* found = &sequences[short_slot_of(frame[head.bytes + kMsgTypeAt])];
  if (!TagSequence::is_short(size)) {
    char last = byte_of_last_tag(frame + size - kTrailerBytes);
    if (last == '\0') [[unlikely]]
      last = frame[start_bytes[fields - 1] + 1];
    found = &sequence_of(frame, head, last, fields, sequences);
  }
  TagSequence& sequence = *found;
  const TagTexts& known = sequence.texts();
  if (!has_type(frame + head.bytes, known, fields + 1)) return nullptr;
  const __m512i others = _mm512_or_si512(beyond_known(window, starts, known, 0),
                                         beyond_known(window, starts, known, 1));
  const __m512i begins = _mm512_add_epi8(starts, first_half(known.bytes));
  const __m512i sizes = _mm512_sub_epi8(_mm512_sub_epi8(after, begins), load(kLanes.one_byte));
  _mm512_storeu_si512(sequence.places(),
                      _mm512_permutex2var_epi8(begins, load(kLanes.known.begin_size), sizes));
  if (!are_long_tags(frame, start_bytes, known)) return nullptr;
  // Those of empty values and of longer ones than the known ones may be.
  const __mmask64 other_sizes = _mm512_mask_cmpgt_epu8_mask(
      _cvtu64_mask64(0xffff'ffff), _mm512_sub_epi8(sizes, load(kLanes.one_byte)),
      first_half(known.more));
  const bool is_narrow =
      _cvtmask64_u64(_kor_mask64(_mm512_test_epi8_mask(others, others), other_sizes)) == 0 &&
      are_known_values(frame, sequence.places(), known);
  if (!is_narrow && !are_tags(frame, start_bytes, known, fields)) return nullptr;
  sequence.set_narrow(is_narrow);
  return &sequence;
}
