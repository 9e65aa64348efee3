// The part of x86_avx512.cpp for messages of kNarrowBytesMax to kWideBytesMax: their places do not
// fit into bytes. Included there, inside its namespace and target region.

// The wide index of a message of more bytes. The head's two entries are shifted in, too.
template <class Head, std::uint32_t Blocks>
[[gnu::always_inline]] inline void store_wide(const FieldArrays& arrays, const Tags& tags,
                                              const Delimiters& found, std::uint32_t fields,
                                              std::uint32_t size) noexcept {
  constexpr std::uint32_t kVersionRow = static_cast<std::uint32_t>(Head::kVersionOf);
  constexpr std::uint32_t kEntriesOfPlaces = 8;
  const __mmask32 trailer = _cvtu32_mask32(1U << kHeadFields << fields);
  const __m512i all_keys = _mm512_alignr_epi32(tags.keys, load(kLanes.head.keys), 15);
  _mm512_storeu_si512(arrays.keys,
                      _mm512_mask_mov_epi16(all_keys, trailer, load(kLanes.trailer_key)));
  const __m512i from_body = _mm512_sub_epi8(found.positions, load(kLanes.one_byte));
  const __m512i all = _mm512_alignr_epi32(from_body, _mm512_setzero_si512(), 15);
  const __m512i first_later =
      _mm512_set1_epi32(static_cast<int>(found.numbered_lanes + 2 * kHeadFields));
  const auto store = [&] [[gnu::always_inline]] (std::uint32_t part, __m128i bytes) noexcept {
    const __m512i base =
        load(part == 0 ? kLanes.wide.first[kVersionRow] : kLanes.wide.others[kVersionRow]);
    __m512i places = _mm512_add_epi32(_mm512_cvtepu8_epi32(bytes), base);
    if constexpr (Blocks > kNumberedBlocks) {
      const __mmask16 later = _mm512_cmpge_epu32_mask(load(kLanes.wide.lane[part]), first_later);
      places = _mm512_mask_add_epi32(places, later, places, load(kLanes.wide.numbered_bytes));
    }
    _mm512_storeu_si512(arrays.places + part * kEntriesOfPlaces, places);
  };
  store(0, _mm512_castsi512_si128(all));
  store(1, _mm512_extracti32x4_epi32(all, 1));
  store(2, _mm512_extracti32x4_epi32(all, 2));
  store(3, _mm512_extracti32x4_epi32(all, 3));
  constexpr std::uint32_t kValueBytes = 4;  // of the trailer, with its SOH
  arrays.places[kHeadFields + fields] = {size - kValueBytes, size - 1};
}

// index_wide_body() for a body with a slow-path field.
template <unsigned Policy, class Head>
[[gnu::noinline]] static std::uint32_t index_slow_path_wide_body(const char* frame,
                                                                 std::uint32_t size,
                                                                 std::uint64_t slow_lanes,
                                                                 IndexWork& work) noexcept {
  const std::uint32_t body_end = size - kTrailerBytes;
  const auto window = load_up_to<kWideBlocksMax>(frame + Head::kBytes, body_end - Head::kBytes);
  Delimiters found = find_delimiters(window);
  if (const std::uint64_t out_of_turn = lanes_out_of_turn(found); out_of_turn != 0) {
    if (is_cut_by_data(out_of_turn, slow_lanes)) {
      return index_long<Policy>(frame, size, work, FirstPart::Sparse);
    }
    remove_text(found);
  }
  const std::uint32_t numbered = found.numbered_lanes;
  // The tag of a field that is only partly in the numbered blocks is in them.
  number_lanes(found, numbered + numbered % 2);
  const Tags tags = read_tags<TagDigits::Five>(window, found, work.data);
  const std::uint32_t fields = found.lanes / 2;
  found.numbered_lanes = numbered;
  store_wide<Head, kWideBlocksMax>(work.arrays, tags, found, fields, size);
  work.first.rule = kNoFault;
  const std::uint64_t slow = _bzhi_u64(tags.slow, found.lanes);
  const Place end = settle(frame, size, {Head::kBytes, kHeadFields}, fields,
                           slow_path_fields(slow, fields), work);
  if (work.first.rule != kNoFault || end.byte != body_end || end.entry != kHeadFields + fields) {
    return index_long<Policy>(frame, size, work, FirstPart::Sparse);
  }
  const std::uint64_t last_word = load_word(frame + Head::kBytes - sizeof last_word);
  return finish_body<Policy, Head, 0>(frame, size, window, last_word, fields);
}

// The body of a message of more than kNarrowBytesMax with a usual head.
template <unsigned Policy, class Head, std::uint32_t Blocks>
[[gnu::always_inline]] inline std::uint32_t index_wide_body(const char* frame, std::uint32_t size,
                                                            std::uint64_t last_word,
                                                            IndexWork& work) noexcept {
  const Window<Blocks> window =
      load_window<Blocks>(frame + Head::kBytes, size - kTrailerBytes - Head::kBytes);
  const Delimiters found = find_delimiters(window);
  if (found.lanes > kBodyLanesMax || found.has_far_field) [[unlikely]]
    return index_long<Policy>(frame, size, work);
  const Tags tags = read_tags(window, found, work.data);
  const std::uint32_t fields = found.lanes / 2;
  store_wide<Head, Blocks>(work.arrays, tags, found, fields, size);
  const std::uint64_t slow = _bzhi_u64(tags.slow, found.lanes);
  if (slow != 0) [[unlikely]] {
    return index_slow_path_wide_body<Policy, Head>(frame, size, slow, work);
  }
  return finish_body<Policy, Head, 0>(frame, size, window, last_word, fields);
}

// A message of kNarrowBytesMax to kWideBytesMax.
template <unsigned Policy, Version kVersion>
[[gnu::noinline]] std::uint32_t index_wide(const char* frame, std::uint32_t size,
                                           IndexWork& work) noexcept {
  using Head = UsualHead<kVersion, 3>;
  const std::uint32_t body_bytes = size - kTrailerBytes - Head::kBytes;
  const std::uint64_t last_word = load_word(frame + Head::kBytes - 8);
  if (body_bytes > kWideBodyBytesMax || !is_usual_head<kVersion, 3>(last_word, body_bytes))
      [[unlikely]] {
    return index_long<Policy>(frame, size, work);
  }
  if (body_bytes > 5 * kBlockBytes) {
    return index_wide_body<Policy, Head, 6>(frame, size, last_word, work);
  }
  if (body_bytes > 4 * kBlockBytes) {
    return index_wide_body<Policy, Head, 5>(frame, size, last_word, work);
  }
  return index_wide_body<Policy, Head, 4>(frame, size, last_word, work);
}
