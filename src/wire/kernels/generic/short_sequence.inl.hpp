// Whether a short frame, such as a Heartbeat, has the tags of an earlier one. Its body fits into
// one register, and its MsgType selects the sequence, so that no step waits for the number of
// fields. Include this file after known_tags.inl.hpp, and:
//
//   sum_of_head(bytes)              a ByteSum of 16 bytes
//   short_body(body, bytes, sum)    what match_short() needs of up to 64 bytes, which it adds to
//                                   sum: a bit for each SOH. The frame has 64 bytes before the end
//                                   of the body
//   match_short<kBegin>(frame, body, sequence)
//                                   whether the fields from frame[kBegin] on have the tags of the
//                                   sequence, and values. Writes their places, and set_narrow().
//                                   Returns the number of all fields of the frame; 0: no

template <class Head>
[[gnu::always_inline]] inline TagSequence* find_short(const char* frame, std::uint32_t size,
                                                      TagSequence* sequences) noexcept {
  constexpr std::uint32_t kTypeBytes = 5;  // `35=`, one character and SOH
  constexpr std::uint32_t kBegin = Head::kBytes + kTypeBytes;
  static_assert(TagSequence::kFrameBytesMin >= kBlockBytes + kTrailerBytes &&
                TagSequence::kShortBytesMax <= kBegin + kBlockBytes + kTrailerBytes);
  const std::uint64_t last_word = load_word(frame + Head::kBytes - sizeof last_word);
  TagSequence& sequence = sequences[short_slot_of(frame[kBegin - 2])];
  const TagTexts& known = sequence.texts();
  // The sequence may be of longer frames, with long tags. If MsgType has two characters, the first
  // field would begin with SOH.
  if (!is_usual_head<Head::kVersionOf, 2>(last_word, size - kTrailerBytes - Head::kBytes) ||
      known.long_count != 0 || !has_type(frame + Head::kBytes, known, known.fields))
    return nullptr;
  constexpr std::uint32_t kSummedBytes = 16;
  ByteSum sum = sum_of_head(frame + kBegin - kSummedBytes);
  const auto body = short_body(frame + kBegin, size - kTrailerBytes - kBegin, sum);
  constexpr std::uint32_t kRestSum =
      '8' + '=' + 'F' + 'I' + (Head::kVersionOf == Version::Fixt1 ? 'X' : 0);
  if (!is_trailer_of(frame, size, total_of(sum) + kRestSum)) return nullptr;
  const std::uint32_t fields = match_short<kBegin>(frame, body, sequence);
  if (fields == 0) return nullptr;
  NarrowPlace* const places = sequence.places();
  places[0] = {2, Head::kBytes - 8};
  places[1] = {Head::kBytes - 3, 2};
  places[2] = {kBegin - 2, 1};
  places[fields - 1] = {static_cast<std::uint8_t>(size - 4), 3};
  if (!are_known_values(frame, places, known)) sequence.set_narrow(false);
  return &sequence;
}

// find_sequence() for frames of these sizes.
[[gnu::always_inline]] inline TagSequence* find_short(const char* frame, std::uint32_t size,
                                                      TagSequence* sequences) noexcept {
  const std::uint64_t start = load_word(frame);
  if (start == kFix4Start) return find_short<UsualHead<Version::Fix4, 2>>(frame, size, sequences);
  if (is_fixt1_start(frame, start))
    return find_short<UsualHead<Version::Fixt1, 2>>(frame, size, sequences);
  return nullptr;
}
