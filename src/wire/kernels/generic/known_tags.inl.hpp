// What every kernel does that compares the tags of a frame with those of an earlier one. Include
// this file after slow_path.inl.hpp.

// The first field whose tag no other function has compared.
constexpr std::uint32_t kFirstCompared = kHeadFields + 1;

// Where the tags of such a frame are remembered. last: the second byte of the last of its fields,
// which are all but the trailer.
constexpr std::uint32_t kMsgTypeAt = 3;  // from the beginning of its field
inline TagSequence& sequence_of(const char* frame, const UsualFields& head, char last,
                                std::uint32_t fields, TagSequence* sequences) noexcept {
  return sequences[slot_of(fields + 1, frame[head.bytes + kMsgTypeAt], last)];
}

// Whether the known ones are as many, with the trailer, and of this MsgType.
inline bool has_type(const char* msg_type, const TagTexts& known, std::uint32_t fields) noexcept {
  return known.fields == fields &&
         ((load_word(msg_type) ^ known.msg_type) & known.msg_type_bits) == 0;
}

// Whether the tags are the known ones, and no value is empty, whatever the values are. For frames
// with a value that is not as narrow as the known ones.
[[gnu::noinline, maybe_unused]] static bool are_tags(const char* frame, const unsigned char* starts,
                                                     const TagTexts& known,
                                                     std::uint32_t fields) noexcept {
  for (std::uint32_t field = kFirstCompared; field < fields; ++field) {
    std::uint32_t word;
    __builtin_memcpy(&word, frame + starts[field], sizeof word);
    const std::uint32_t bytes = starts[field + 1] - starts[field] - known.bytes[field];
    if (((word ^ known.lowest[field]) & known.tag_bits[field]) != 0 || bytes == 1) return false;
  }
  return true;
}

inline bool are_long_tags(const char* frame, const unsigned char* starts,
                          const TagTexts& known) noexcept {
  for (std::uint32_t i = 0; i < known.long_count; ++i) {
    const TagTexts::Word& one = known.longs[i];
    if (((load_word(frame + starts[one.field]) ^ one.text) & one.bits) != 0) return false;
  }
  return true;
}

// Whether the values that are compared by themselves are the known ones. places: of all values.
[[maybe_unused]] inline bool are_known_values(const char* frame, const NarrowPlace* places,
                                              const TagTexts& known) noexcept {
  for (std::uint32_t i = 0; i < known.value_count; ++i) {
    const TagTexts::Word& one = known.values[i];
    if (((load_word(frame + places[one.field].begin) - one.text) & one.bits) > one.width)
      return false;
  }
  return true;
}
