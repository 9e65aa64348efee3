// The rules of a field, written once: one field after the other, byte by byte. Kernels take this
// road for whatever their own cannot decide, and each compiles it inside its own namespace and
// target region. No header guard, no standard templates: see kernels/README.md.

inline void note_fault(IndexWork& work, RawFaultRule rule, std::uint32_t offset,
                       std::uint32_t tag_bytes) noexcept {
  const RawFault fault{rule, offset, tag_bytes};
  if (work.first.rule == kNoFault) work.first = fault;
  if (rule != kValueEmpty && work.first_but_empty.rule == kNoFault) work.first_but_empty = fault;
}

// The tag in text[0, bytes), or 0 if it is malformed.
inline std::uint32_t read_tag(const char* text, std::uint32_t bytes) noexcept {
  constexpr std::uint32_t kTagDigitsMax = 10;
  constexpr std::uint64_t kLargestTag = 0x7fff'ffff;
  if (bytes == 0 || bytes > kTagDigitsMax || text[0] == '0') return 0;
  std::uint64_t number = 0;
  for (std::uint32_t i = 0; i < bytes; ++i) {
    if (text[i] < '0' || text[i] > '9') return 0;
    number = number * 10 + static_cast<std::uint64_t>(text[i] - '0');
  }
  return number <= kLargestTag ? static_cast<std::uint32_t>(number) : 0;
}

inline std::uint16_t key_of(std::uint32_t tag) noexcept {
  constexpr std::uint32_t kLargeTagKey = 0xffff;  // as field_index.hpp has it
  return static_cast<std::uint16_t>(tag < kLargeTagKey ? tag : kLargeTagKey);
}

// The data tag that a Length tag announces, or 0.
inline std::uint32_t data_tag_of(const DataTags& data, std::uint32_t length_tag) noexcept {
  if ((data.low[length_tag & 63] & data.high[(length_tag >> 6) & 63]) == 0) return 0;
  std::uint32_t first = 0;
  for (std::uint32_t rest = data.count; rest > 1;) {
    const std::uint32_t half = rest / 2;
    if (data.length_tags[first + half] <= length_tag) first += half;
    rest -= half;
  }
  return data.count != 0 && data.length_tags[first] == length_tag ? data.data_tags[first] : 0;
}

// The value of a Length field, or limit if it is no number below that.
inline std::uint32_t read_length(const char* text, std::uint32_t bytes,
                                 std::uint32_t limit) noexcept {
  std::uint64_t length = 0;
  for (std::uint32_t i = 0; i < bytes; ++i) {
    if (text[i] < '0' || text[i] > '9') return limit;
    length = length * 10 + static_cast<std::uint64_t>(text[i] - '0');
    if (length >= limit) return limit;
  }
  return bytes == 0 ? limit : static_cast<std::uint32_t>(length);
}

// A field as its bytes say: where its `=` and its SOH are. equals is end if it has none.
struct FieldBytes {
  std::uint32_t begin;
  std::uint32_t equals;
  std::uint32_t end;
};

// Where the value of a data field begins and ends; 0 and 0 if there is none.
struct DataValue {
  std::uint32_t begin;
  std::uint32_t end;
};

// What length_field, which has the given tag, says of the field behind it. If it is a Length field
// and its data field follows, the length governs: SOH and `=` within the value are data. A length
// that does not lead to a SOH within the body is a fault and counts for nothing, so that no length
// can hide more than its own field; the data field is then an ordinary one.
[[gnu::noinline]] static DataValue announced_data(const char* frame, std::uint32_t size,
                                                  const FieldBytes& length_field, std::uint32_t tag,
                                                  IndexWork& work) noexcept {
  constexpr DataValue kNone{0, 0};
  const std::uint32_t wanted = data_tag_of(work.data, tag);
  const std::uint32_t body_end = size - kTrailerBytes;
  const std::uint32_t field = length_field.end + 1;
  if (wanted == 0 || field >= body_end) return kNone;
  std::uint32_t equals = field;
  while (frame[equals] != '=' && frame[equals] != '\x01') ++equals;
  if (frame[equals] != '=' || read_tag(frame + field, equals - field) != wanted) return kNone;

  const std::uint32_t length_begin = length_field.equals + 1;
  const std::uint32_t value = equals + 1;
  const std::uint32_t limit = body_end - value;  // at least 0: the body's last byte is a SOH
  const std::uint32_t length =
      read_length(frame + length_begin, length_field.end - length_begin, limit);
  if (length >= limit || frame[value + length] != '\x01') {
    note_fault(work, kDataLengthWrong, length_field.begin,
               length_field.equals - length_field.begin);
    return kNone;
  }
  return {value, value + length};
}

inline void put_entry(const FieldArrays& arrays, std::uint32_t at, std::uint16_t key,
                      const DataValue& value) noexcept {
  arrays.keys[at] = key;
  arrays.begins[at] = value.begin;
  arrays.ends[at] = value.end;
}

// The place of an index: the byte where the next field begins, and the next entry.
struct Place {
  std::uint32_t byte;
  std::uint32_t entry;
};

// Indexes the data field that was found by announced_data(): its tag stands in front of the value.
inline Place index_data(const char* frame, const Place& place, const DataValue& value,
                        IndexWork& work) noexcept {
  const std::uint32_t tag_bytes = value.begin - 1 - place.byte;
  if (value.begin == value.end) note_fault(work, kValueEmpty, place.byte, tag_bytes);
  put_entry(work.arrays, place.entry, key_of(read_tag(frame + place.byte, tag_bytes)), value);
  return {value.end + 1, place.entry + 1};
}

// Indexes the field at place, and with a Length field its data field. A field without `=` or with a
// malformed tag is a fault and no entry.
[[gnu::noinline]] static Place index_field(const char* frame, std::uint32_t size,
                                           const Place& place, IndexWork& work) noexcept {
  FieldBytes field{place.byte, place.byte, place.byte};
  while (frame[field.equals] != '=' && frame[field.equals] != '\x01') ++field.equals;
  field.end = field.equals;
  while (frame[field.end] != '\x01') ++field.end;
  const std::uint32_t tag_bytes = field.equals - field.begin;
  if (field.equals == field.end) {
    note_fault(work, kTagWithoutValue, field.begin, tag_bytes);
    return {field.end + 1, place.entry};
  }
  const std::uint32_t tag = read_tag(frame + field.begin, tag_bytes);
  if (tag == 0) {
    note_fault(work, kTagMalformed, field.begin, tag_bytes);
    return {field.end + 1, place.entry};
  }
  if (field.equals + 1 == field.end) note_fault(work, kValueEmpty, field.begin, tag_bytes);
  put_entry(work.arrays, place.entry, key_of(tag), {field.equals + 1, field.end});
  const Place next{field.end + 1, place.entry + 1};
  const DataValue data = announced_data(frame, size, field, tag, work);
  return data.begin == 0 ? next : index_data(frame, next, data, work);
}

// Whether 8, 9 and 35 stand at the front of at least three fields, with nothing between them, and
// BodyLength is right.
inline bool has_good_head(const char* frame, std::uint32_t size, const FieldArrays& arrays,
                          bool check_body_length) noexcept {
  constexpr std::uint16_t kBeginString = 8;
  constexpr std::uint16_t kBodyLength = 9;
  constexpr std::uint16_t kMsgType = 35;
  constexpr std::uint32_t kOneDigitTagBytes = 2;  // with its `=`
  constexpr std::uint32_t kMsgTypeTagBytes = 3;
  if (arrays.keys[0] != kBeginString || arrays.keys[1] != kBodyLength ||
      arrays.keys[2] != kMsgType || arrays.begins[0] != kOneDigitTagBytes ||
      arrays.begins[1] != arrays.ends[0] + 1 + kOneDigitTagBytes ||
      arrays.begins[2] != arrays.ends[1] + 1 + kMsgTypeTagBytes) {
    return false;
  }
  if (!check_body_length) return true;
  const std::uint32_t body_bytes = size - kTrailerBytes - (arrays.ends[1] + 1);
  return read_length(frame + arrays.begins[1], arrays.ends[1] - arrays.begins[1], body_bytes + 1) ==
         body_bytes;
}

// The digits of the trailer `10=ddd` and SOH that follows a SOH at the end of the frame.
struct Trailer {
  bool good;
  std::uint32_t check_sum;
  std::uint32_t byte_sum;  // of its own bytes
};

inline Trailer read_trailer(const char* frame, std::uint32_t size) noexcept {
  const char* const trailer = frame + size - kTrailerBytes;
  const auto hundreds = static_cast<std::uint32_t>(trailer[3] - '0');
  const auto tens = static_cast<std::uint32_t>(trailer[4] - '0');
  const auto ones = static_cast<std::uint32_t>(trailer[5] - '0');
  const bool good = trailer[-1] == '\x01' && trailer[0] == '1' && trailer[1] == '0' &&
                    trailer[2] == '=' && hundreds <= 9 && tens <= 9 && ones <= 9 &&
                    trailer[6] == '\x01';
  constexpr std::uint32_t kConstantBytes = '1' + '0' + '=' + '\x01' + 3 * '0';
  return {good, hundreds * 100 + tens * 10 + ones, kConstantBytes + hundreds + tens + ones};
}

// The answer for a frame whose fields are all indexed, trailer included. byte_sum: of the whole
// frame; the low eight bits count.
template <unsigned Policy>
inline std::uint32_t verdict(const char* frame, std::uint32_t size, const Trailer& trailer,
                             std::uint32_t field_count, std::uint32_t byte_sum,
                             const IndexWork& work) noexcept {
  constexpr std::uint32_t kFieldsMin = 4;  // 8, 9, 35, 10
  constexpr std::uint32_t kCheckSumModulus = 256;
  if constexpr ((Policy & kLeaveOutCheckSum) == 0) {
    if ((byte_sum - trailer.byte_sum) % kCheckSumModulus != trailer.check_sum) return 0;
  }
  if (field_count < kFieldsMin ||
      !has_good_head(frame, size, work.arrays, (Policy & kLeaveOutBodyLength) == 0)) {
    return 0;
  }
  return work.first.rule == kNoFault ? field_count : field_count | kFaultyMessage;
}
