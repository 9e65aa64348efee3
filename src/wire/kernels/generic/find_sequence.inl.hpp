// find_sequence() of a kernel that finds the fields as in any frame, and then compares their tags
// instead of converting them. Include this file after frames.inl.hpp, short_sequence.inl.hpp, and:
//
//   match_known(frame, starts, fields, size, sequence)
//                                   whether the fields have the tags of the sequence, and values.
//                                   Writes their places, with the trailer's, and set_narrow()

[[gnu::noinline]] static TagSequence* find_long(const char* frame, std::uint32_t size,
                                                TagSequence* sequences) noexcept {
  static_assert(TagSequence::kFrameBytesMax <= kNarrowBytesMax);
  const UsualFields head = usual_head<false>(frame, size);
  if (head.bytes == 0) return nullptr;
  ShortStarts starts;
  starts.at[0] = 0;
  starts.at[1] = static_cast<unsigned char>(head.body_length);
  starts.at[kHeadFields] = static_cast<unsigned char>(head.bytes);
  ByteSum sum = sum_of_head(frame);
  const std::uint32_t fields =
      kHeadFields + find_fields<kHeadFields>(frame, head.bytes, size - kTrailerBytes, starts, sum);
  if (!has_good_end<0>(frame, size, head, total_of(sum)) || fields >= TagTexts::kFieldsMax)
    return nullptr;
  TagSequence& sequence =
      sequence_of(frame, head, frame[starts.at[fields - 1] + 1], fields, sequences);
  if (!has_type(frame + head.bytes, sequence.texts(), fields + 1)) return nullptr;
  return match_known(frame, starts, fields, size, sequence) ? &sequence : nullptr;
}

inline TagSequence* find_sequence(const char* frame, std::size_t frame_bytes,
                                  TagSequence* sequences) noexcept {
  const auto size = static_cast<std::uint32_t>(frame_bytes);
  return TagSequence::is_short(size) ? find_short(frame, size, sequences)
                                     : find_long(frame, size, sequences);
}
