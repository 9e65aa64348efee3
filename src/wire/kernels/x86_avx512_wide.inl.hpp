// The part of x86_avx512.cpp for messages of kNarrowBytesMax to kWideBytesMax: their places do not
// fit into bytes. Included there, inside its namespace and target region.

// The places of a wide index, with those of the head's two entries, which are shifted in.
template <class Head, std::uint32_t Blocks>
[[gnu::always_inline]] inline void store_wide_places(FieldPlace* to,
                                                     const Delimiters& found) noexcept {
  constexpr std::uint32_t kVersionRow = static_cast<std::uint32_t>(Head::kVersionOf);
  constexpr std::uint32_t kEntriesOfPlaces = 8;
  const __m512i from_body = _mm512_sub_epi8(found.positions, load(kLanes.one_byte));
  const __m512i all = _mm512_alignr_epi32(from_body, _mm512_setzero_si512(), 15);
  const __mmask64 later = _kshiftli_mask64(found.later, 2 * kHeadFields);
  const auto store = [&] [[gnu::always_inline]] (std::uint32_t part, __m128i bytes,
                                                 __mmask64 lanes) noexcept {
    const __m512i base =
        load(part == 0 ? kLanes.wide.first[kVersionRow] : kLanes.wide.others[kVersionRow]);
    __m512i places = _mm512_add_epi32(_mm512_cvtepu8_epi32(bytes), base);
    if constexpr (Blocks > kNumberedBlocks) {
      places = _mm512_mask_add_epi32(places, static_cast<__mmask16>(lanes), places,
                                     load(kLanes.wide.numbered_bytes));
    }
    _mm512_storeu_si512(to + part * kEntriesOfPlaces, places);
  };
  store(0, _mm512_castsi512_si128(all), later);
  store(1, _mm512_extracti32x4_epi32(all, 1), _kshiftri_mask64(later, 16));
  store(2, _mm512_extracti32x4_epi32(all, 2), _kshiftri_mask64(later, 32));
  store(3, _mm512_extracti32x4_epi32(all, 3), _kshiftri_mask64(later, 48));
}

inline void put_trailer_place(const FieldArrays& arrays, std::uint32_t entry,
                              std::uint32_t size) noexcept {
  constexpr std::uint32_t kValueBytes = 4;  // with its SOH
  arrays.places[entry] = {size - kValueBytes, size - 1};
}

// The wide index of a message of more bytes.
template <class Head, std::uint32_t Blocks>
[[gnu::always_inline]] inline void store_wide(FieldArrays arrays, const Tags& tags,
                                              const Delimiters& found, std::uint32_t fields,
                                              std::uint32_t size) noexcept {
  const __mmask32 trailer = _cvtu32_mask32(1U << kHeadFields << fields);
  const __m512i all_keys = _mm512_alignr_epi32(tags.keys, load(kLanes.head.keys), 15);
  _mm512_storeu_si512(arrays.keys,
                      _mm512_mask_mov_epi16(all_keys, trailer, load(kLanes.trailer_key)));
  store_wide_places<Head, Blocks>(arrays.places, found);
  put_trailer_place(arrays, kHeadFields + fields, size);
}

// A body with more fields than a register holds. The third block is cut after its last SOH, so that
// no step waits for the fields before: those before the cut are in one register, those after it in
// another. Each array is written by stores that do not overlap, as a reader's loads need it.
template <unsigned Policy, class Head>
[[gnu::noinline]] static std::uint32_t index_two_parts(const char* frame, std::uint32_t size,
                                                       IndexWork& work) noexcept {
  constexpr std::uint32_t kCut = 2;
  constexpr std::uint32_t kBackBlocks = kWideBlocksMax - kCut;
  const std::uint32_t body_bytes = size - kTrailerBytes - Head::kBytes;
  const auto window = load_up_to<kWideBlocksMax>(frame + Head::kBytes, body_bytes);
  const std::uint64_t soh =
      _cvtmask64_u64(_mm512_cmpeq_epi8_mask(window.blocks[kCut], load(kLanes.soh)));
  // Positions after the cut are counted from 1 and have to fit into a byte.
  if (soh == 0 || body_bytes >= kWideBodyBytesMax) [[unlikely]]
    return index_long<Policy>(frame, size, work);
  const auto after_cut = static_cast<std::uint32_t>(_lzcnt_u64(soh));
  const __mmask64 before_cut = _cvtu64_mask64(~std::uint64_t{0} >> after_cut);
  const auto& blocks = window.blocks;
  const Window<kCut + 1> front{{blocks[0], blocks[1], blocks[2]}};
  const Window<kBackBlocks> back{{blocks[2], blocks[3], blocks[4], blocks[5]}};
  const Delimiters first = find_delimiters<Part::Front>(front, before_cut);
  Delimiters second = find_delimiters<Part::Back>(back, before_cut);
  if (first.lanes > kBodyLanesMax || second.lanes > kWindowLanesMax) [[unlikely]]
    return index_long<Policy>(frame, size, work);
  // The lane before lane 0 is the last one.
  second.positions = _mm512_mask_set1_epi8(second.positions, _cvtu64_mask64(std::uint64_t{1} << 63),
                                           static_cast<char>(kBlockBytes - after_cut));

  const Tags tags = read_tags(front, first, work.data);
  const Tags back_tags = read_tags(back, second, work.data);
  if ((_bzhi_u64(tags.slow, first.lanes) | _bzhi_u64(back_tags.slow, second.lanes)) != 0)
      [[unlikely]]
    return index_long<Policy>(frame, size, work);
  const FieldArrays arrays = work.arrays;
  const std::uint32_t entry = kHeadFields + first.lanes / 2;
  const std::uint32_t fields = second.lanes / 2;
  const __m512i front_keys = _mm512_alignr_epi32(tags.keys, load(kLanes.head.keys), 15);
  const __m512i back_keys =
      _mm512_mask_mov_epi16(back_tags.keys, _cvtu32_mask32(1U << fields), load(kLanes.trailer_key));
  const __m512i iota = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(load(kLanes.iota)));
  const __m512i turned = _mm512_permutexvar_epi16(
      _mm512_sub_epi16(iota, _mm512_set1_epi16(static_cast<short>(entry))), back_keys);
  _mm512_storeu_si512(arrays.keys, _mm512_mask_mov_epi16(
                                       turned, _cvtu32_mask32(_bzhi_u32(~0U, entry)), front_keys));
  _mm512_storeu_si512(arrays.keys + kEntriesOfRegister, turned);
  store_wide_places<Head, kCut + 1>(arrays.places, first);
  store_all_places(arrays, {Head::kBytes + kCut * kBlockBytes, entry}, fields, second.positions);
  put_trailer_place(arrays, entry + fields, size);
  const std::uint64_t last_word = load_word(frame + Head::kBytes - sizeof last_word);
  return finish_body<Policy, Head, 0>(frame, size, window, last_word, first.lanes / 2 + fields);
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
  number_lanes(found, numbered);
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
    return index_two_parts<Policy, Head>(frame, size, work);
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
