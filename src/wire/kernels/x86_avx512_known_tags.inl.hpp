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

// match_short() of short_sequence.inl.hpp: the body is one register.

using ByteSum = __m512i;

inline __m128i load_sixteen(const void* from) noexcept {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}
inline __m256i load_half(const void* from) noexcept {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}

inline ByteSum sum_of_head(const char* bytes) noexcept {
  return _mm512_zextsi128_si512(load_sixteen(bytes));
}
inline std::uint32_t total_of(ByteSum sum) noexcept { return sum_bytes(Window<1>{{sum}}, 0); }

struct ShortBody {
  __m512i bytes;
  __mmask64 soh;
};

[[gnu::always_inline]] inline ShortBody short_body(const char* body, std::uint32_t bytes,
                                                   ByteSum& sum) noexcept {
  const __m512i all = _mm512_maskz_loadu_epi8(_bzhi_u64(~0ULL, bytes), body);
  sum = _mm512_add_epi8(sum, all);
  return {all, _mm512_cmpeq_epi8_mask(all, load(kLanes.soh))};
}

template <std::uint32_t kBegin>
[[gnu::always_inline]] inline std::uint32_t match_short(const char* /*frame*/,
                                                        const ShortBody& body,
                                                        TagSequence& sequence) noexcept {
  constexpr std::uint32_t kFieldsLeast = 4;  // eight at most
  const TagTexts& known = sequence.texts();
  const std::uint32_t count = count_bits(_cvtmask64_u64(body.soh));
  const std::uint32_t fields = kFirstCompared + count + 1;
  if (fields != known.fields || count - kFieldsLeast > kFieldsLeast) return 0;
  // From the body on. 0: there is no such field.
  const __m128i after =
      _mm512_castsi512_si128(_mm512_maskz_compress_epi8(body.soh, load(kLanes.position[0])));
  const __m128i starts = _mm_slli_si128(after, 1);
  const __m256i index = _mm256_add_epi8(
      _mm256_permutexvar_epi8(load_half(kLanes.known.field[0]), _mm256_castsi128_si256(starts)),
      load_half(kLanes.known.within));
  const __m256i words =
      _mm512_castsi512_si256(_mm512_permutexvar_epi8(_mm512_castsi256_si512(index), body.bytes));
  const __m256i others =
      _mm256_subs_epu8(_mm256_sub_epi8(words, load_half(known.lowest + kFirstCompared)),
                       load_half(known.width + kFirstCompared));
  const __m128i begins = _mm_add_epi8(starts, load_sixteen(known.bytes + kFirstCompared));
  __m128i minus_one = _mm_cmpeq_epi8(after, after);
  __asm__("" : "+v"(minus_one));  // or the compiler would load two constants
  const __m128i sizes = _mm_add_epi8(_mm_sub_epi8(after, begins), minus_one);
  const __m128i in_frame = _mm_add_epi8(begins, _mm_set1_epi8(kBegin));
  void* const places = sequence.places() + kFirstCompared;
  _mm_storeu_si128(static_cast<__m128i*>(places), _mm_unpacklo_epi8(in_frame, sizes));
  // Empty values, and longer ones than the known ones may be. Where there is no field, the size is
  // not 0.
  const __m128i other_sizes =
      _mm_subs_epu8(_mm_add_epi8(sizes, minus_one), load_sixteen(known.more + kFirstCompared));
  const __m256i any = _mm256_or_si256(others, _mm256_zextsi128_si256(other_sizes));
  sequence.set_narrow(true);
  return _mm256_testz_si256(any, any) != 0 ? fields : 0;
}

#include "wire/kernels/generic/short_sequence.inl.hpp"

[[gnu::noinline]] static TagSequence* find_long(const char* frame, std::uint32_t size,
                                                TagSequence* sequences) noexcept {
  static_assert(TagSequence::kFrameBytesMin >= kBlockBytes + kTrailerBytes &&
                TagSequence::kFrameBytesMax <= kNarrowBytesMax &&
                2 * TagTexts::kFieldsMax == kBlockBytes);
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
  char last = byte_of_last_tag(frame + size - kTrailerBytes);
  if (last == '\0') [[unlikely]]
    last = frame[start_bytes[fields - 1] + 1];
  TagSequence& sequence = sequence_of(frame, head, last, fields, sequences);
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

inline TagSequence* find_sequence(const char* frame, std::size_t frame_bytes,
                                  TagSequence* sequences) noexcept {
  const auto size = static_cast<std::uint32_t>(frame_bytes);
  return TagSequence::is_short(size) ? find_short(frame, size, sequences)
                                     : find_long(frame, size, sequences);
}
