// The rules of a field, written once: the slow path, one field after the other, byte by byte.
// Kernels use it for every field that their fast path cannot decide. Each kernel compiles it inside
// its own namespace and target region. No header guard, no standard templates: see
// docs/internals/kernels.md.

inline void record_fault(IndexWork& work, RawFaultRule rule, std::uint32_t offset,
                         std::uint32_t tag_bytes) noexcept {
  const RawFault fault{rule, offset, tag_bytes};
  if (work.first.rule == kNoFault) work.first = fault;
  if (rule != kValueEmpty && work.first_but_empty.rule == kNoFault) work.first_but_empty = fault;
}

// 64 zero bytes and 64 set ones: from kKeep.at + n on, a mask that keeps the last n of 64.
constexpr struct KeepBytes {
  alignas(64) unsigned char at[128];
  constexpr KeepBytes() noexcept : at{} {
    for (std::uint32_t i = 64; i < 128; ++i) at[i] = 0xff;
  }
} kKeep;

// Eight bytes as a word. The first one is the lowest, whatever the machine's byte order is.
inline std::uint64_t load_word(const char* bytes) noexcept {
  std::uint64_t word;
  __builtin_memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
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

// The number whose up to eight digits end before end, or kNoNumber. Eight bytes before end are
// readable.
constexpr std::uint32_t kNumberDigitsMax = 8;
constexpr std::uint32_t kNoNumber = 0xffff'ffff;

inline std::uint32_t number_before(const char* end, std::uint32_t digits) noexcept {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
  constexpr std::uint64_t kTops = 0x8080'8080'8080'8080;
  constexpr std::uint64_t kAboveNine = 0x7676'7676'7676'7676;  // carries a byte above 9 to its top
  if (digits - 1 >= kNumberDigitsMax) return kNoNumber;
  // The last digit is the highest byte. All bytes below the first digit become 0.
  const std::uint32_t below = 64 - 8 * digits;
  std::uint64_t word = (load_word(end - kNumberDigitsMax) ^ (kOnes * '0')) >> below << below;
  const bool malformed = (((word + kAboveNine) | word) & kTops) != 0;
  word = (word * 10 + (word >> 8)) & 0x00ff'00ff'00ff'00ff;
  word = (word * 100 + (word >> 16)) & 0x0000'ffff'0000'ffff;
  word = (word * 10'000 + (word >> 32)) & 0xffff'ffff;
  return malformed ? kNoNumber : static_cast<std::uint32_t>(word);
}

inline std::uint16_t key_of(std::uint32_t tag) noexcept {
  return static_cast<std::uint16_t>(tag < kLargeTagKey ? tag : kLargeTagKey);
}

// False: it is no Length tag.
inline bool may_be_length(const DataTags& data, std::uint32_t tag) noexcept {
  return (data.low_two[tag % 100] & data.high_two[tag / 100 % 100 % 64]) != 0;
}

// Which of the given fields of a group, whose first four bytes contain no `=`, are not ordinary:
// they have none directly after them, or may be Length fields.
inline std::uint32_t not_ordinary(const char* frame, const std::uint32_t* starts,
                                  const std::uint16_t* keys, const DataTags& data,
                                  std::uint32_t fields) noexcept {
  std::uint32_t found = 0;
  for (; fields != 0; fields &= fields - 1) {
    const std::uint32_t field = static_cast<std::uint32_t>(__builtin_ctz(fields));
    if (frame[starts[field] + 4] != '=' || may_be_length(data, keys[field])) found |= 1U << field;
  }
  return found;
}

// The data tag that a Length tag announces, or 0.
inline std::uint32_t data_tag_of(const DataTags& data, std::uint32_t length_tag) noexcept {
  if (!may_be_length(data, length_tag)) return 0;
  std::uint32_t first = 0;
  for (std::uint32_t rest = data.count; rest > 1;) {
    const std::uint32_t half = rest / 2;
    if (data.length_tags[first + half] <= length_tag) first += half;
    rest -= half;
  }
  return data.count != 0 && data.length_tags[first] == length_tag ? data.data_tags[first] : 0;
}

// The value of a Length field, or limit if it is not a number below limit.
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

// A field according to its bytes: where its `=` and its SOH are. equals == end: there is no `=`.
struct FieldBytes {
  std::uint32_t begin;
  std::uint32_t equals;
  std::uint32_t end;
};

// What length_field, which has the given tag, announces about the next field: where its value
// begins and ends, or 0 and 0 for nothing. If it is a Length field and its data field follows, the
// length governs: SOH and `=` within the value are data. A length that does not lead to a SOH
// within the body is a fault and is ignored, so that no length can hide more than its own field.
// The data field is then an ordinary field.
[[gnu::noinline]] static FieldPlace announced_data(const char* frame, std::uint32_t size,
                                                   const FieldBytes& length_field,
                                                   std::uint32_t tag, IndexWork& work) noexcept {
  constexpr FieldPlace kNone{0, 0};
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
    record_fault(work, kDataLengthWrong, length_field.begin,
                 length_field.equals - length_field.begin);
    return kNone;
  }
  return {value, value + length};
}

inline void put_entry(const FieldArrays& arrays, std::uint32_t at, std::uint16_t key,
                      const FieldPlace& value) noexcept {
  arrays.keys[at] = key;
  arrays.places[at] = value;
}

// A position in the index: the byte where the next field begins, and the next entry.
struct Place {
  std::uint32_t byte;
  std::uint32_t entry;
};

// Indexes the data field that announced_data() found. Its tag precedes the value.
inline Place index_data(const char* frame, const Place& place, const FieldPlace& value,
                        IndexWork& work) noexcept {
  const std::uint32_t tag_bytes = value.begin - 1 - place.byte;
  if (value.begin == value.end) record_fault(work, kValueEmpty, place.byte, tag_bytes);
  put_entry(work.arrays, place.entry, key_of(read_tag(frame + place.byte, tag_bytes)), value);
  return {value.end + 1, place.entry + 1};
}

// Indexes the field in frame[begin, end), where end is its SOH. For a Length field, also indexes
// its data field. A field without `=` or with a malformed tag is a fault and gets no entry.
[[gnu::noinline]] static Place index_bounded_field(const char* frame, std::uint32_t size,
                                                   std::uint32_t begin, std::uint32_t end,
                                                   std::uint32_t entry, IndexWork& work) noexcept {
  FieldBytes field{begin, begin, end};
  while (frame[field.equals] != '=' && frame[field.equals] != '\x01') ++field.equals;
  const std::uint32_t tag_bytes = field.equals - field.begin;
  if (field.equals == field.end) {
    record_fault(work, kTagWithoutValue, field.begin, tag_bytes);
    return {field.end + 1, entry};
  }
  const std::uint32_t tag = read_tag(frame + field.begin, tag_bytes);
  if (tag == 0) {
    record_fault(work, kTagMalformed, field.begin, tag_bytes);
    return {field.end + 1, entry};
  }
  if (field.equals + 1 == field.end) record_fault(work, kValueEmpty, field.begin, tag_bytes);
  put_entry(work.arrays, entry, key_of(tag), {field.equals + 1, field.end});
  const Place next{field.end + 1, entry + 1};
  const FieldPlace data = announced_data(frame, size, field, tag, work);
  return data.begin == 0 ? next : index_data(frame, next, data, work);
}

// Whether 8, 9 and 35 are the first of at least three fields, with nothing between them, and
// BodyLength is valid.
inline bool has_good_head(const char* frame, std::uint32_t size, const FieldArrays& arrays,
                          bool check_body_length) noexcept {
  constexpr std::uint16_t kBeginString = 8;
  constexpr std::uint16_t kBodyLength = 9;
  constexpr std::uint16_t kMsgType = 35;
  constexpr std::uint32_t kOneDigitTagBytes = 2;  // with its `=`
  constexpr std::uint32_t kMsgTypeTagBytes = 3;
  const FieldPlace* const places = arrays.places;
  if (arrays.keys[0] != kBeginString || arrays.keys[1] != kBodyLength ||
      arrays.keys[2] != kMsgType || places[0].begin != kOneDigitTagBytes ||
      places[1].begin != places[0].end + 1 + kOneDigitTagBytes ||
      places[2].begin != places[1].end + 1 + kMsgTypeTagBytes) {
    return false;
  }
  if (!check_body_length) return true;
  const std::uint32_t body_bytes = size - kTrailerBytes - (places[1].end + 1);
  return read_length(frame + places[1].begin, places[1].end - places[1].begin, body_bytes + 1) ==
         body_bytes;
}

// Whether CheckSum is the sum of the bytes, for a frame that ends with it, in digits. byte_sum: of
// the whole frame; its low eight bits count.
inline bool is_sum_valid(const char* frame, std::size_t size, std::uint32_t byte_sum) noexcept {
  constexpr std::uint32_t kOtherBytes = '1' + '0' + '=' + '\x01' + 3 * '0';
  // With its digits a, b and c, whose bytes are in the sum, that must be 101 a + 11 b + 2 c.
  constexpr std::uint32_t kWeights = 101 << 16 | 11 << 8 | 2;
  constexpr std::uint32_t kDigits = 0x000f'0f0f;
  constexpr std::uint32_t kMost = 0x0205'0500;  // 255, the first digit highest
  const auto digits = static_cast<std::uint32_t>(load_word(frame + size - 8) >> 32) & kDigits;
  return __builtin_bswap32(digits) <= kMost &&
         ((digits * kWeights >> 16 ^ (byte_sum - kOtherBytes)) & 0xff) == 0;
}

// The digits of the trailer `10=ddd` SOH, which follows a SOH at the end of the frame.
struct Trailer {
  bool good;
  std::uint32_t check_sum;
  std::uint32_t byte_sum;  // of its own bytes
};

inline Trailer read_trailer(const char* frame, std::uint32_t size) noexcept {
  // SOH 1 0 = three digits SOH, the first byte lowest, with zeros as the digits.
  constexpr std::uint64_t kPattern = 0x0130'3030'3d30'3101;
  constexpr std::uint64_t kConstants = 0xff00'0000'ffff'ffff;
  constexpr std::uint64_t kAboveNine = 0x0076'7676'0000'0000;  // carries a byte above 9 to its top
  constexpr std::uint64_t kTops = 0x0080'8080'0000'0000;
  const std::uint64_t word = load_word(frame + size - 1 - kTrailerBytes) ^ kPattern;
  const bool good = ((word & kConstants) | (((word + kAboveNine) | word) & kTops)) == 0;
  const auto hundreds = static_cast<std::uint32_t>(word >> 32) & 0xff;
  const auto tens = static_cast<std::uint32_t>(word >> 40) & 0xff;
  const auto ones = static_cast<std::uint32_t>(word >> 48) & 0xff;
  constexpr std::uint32_t kConstantBytes = '1' + '0' + '=' + '\x01' + 3 * '0';
  return {good, hundreds * 100 + tens * 10 + ones, kConstantBytes + hundreds + tens + ones};
}

// By the sum of the bytes before it: the trailer and the SOH before that, as one word.
struct Trailers {
  std::uint64_t words[256];
};

constexpr Trailers make_trailers() noexcept {
  Trailers trailers{};
  for (std::uint64_t sum = 0; sum < 256; ++sum) {
    trailers.words[sum] =
        0x0130'3030'3d30'3101 | (sum / 100) << 32 | (sum / 10 % 10) << 40 | (sum % 10) << 48;
  }
  return trailers;
}

alignas(64) constexpr Trailers kTrailers = make_trailers();

// Whether the frame ends with a SOH and the CheckSum field for the sum of all bytes before that
// field.
inline bool is_trailer_of(const char* frame, std::uint32_t size, std::uint32_t body_sum) noexcept {
  const std::uint64_t word = load_word(frame + size - 1 - kTrailerBytes);
  return word == kTrailers.words[body_sum & 0xff];
}

// The head of a message of less than 256 bytes in its common form: `8=FIX.4.x` or `8=FIXT.1.x`,
// `9=` and two or three correct digits. The frame's size determines the number of digits.
constexpr std::uint32_t kUsualBytesMin = 48;
constexpr std::uint32_t kHeadFields = 2;

enum class Version : std::uint32_t { Fix4 = 0, Fixt1 = 1 };

template <Version kVersion, std::uint32_t Digits>
struct UsualHead {
  static constexpr Version kVersionOf = kVersion;
  static constexpr std::uint32_t kBytes = 13 + static_cast<std::uint32_t>(kVersion) + Digits;
  // BeginString's and BodyLength's narrow places.
  static constexpr std::uint32_t kPlaces =
      (2 | 7 << 8 | 12 << 16 | Digits << 24) + static_cast<std::uint32_t>(kVersion) * 0x01'0100;
  static constexpr std::uint32_t kKeys = 8 | 9 << 16;
  // The sum of the bytes before the last eight. With FIX.4 and two digits, the last eight repeat a
  // point.
  static constexpr std::uint32_t kOtherSum =
      kVersion == Version::Fix4
          ? '8' + '=' + 'F' + 'I' + 'X' + '.' + '4' + (Digits == 3 ? '.' : 0)
          : '8' + '=' + 'F' + 'I' + 'X' + 'T' + '.' + '1' + (Digits == 3 ? '.' : 0);
};

// By BodyLength: the last eight bytes of the head. `.0`, SOH, `9=`, two digits and SOH, or the same
// with three digits and without the point.
constexpr std::uint32_t kHeadWordCount = 1024;  // a power of two

struct HeadWords {
  std::uint64_t words[kHeadWordCount];
};

constexpr HeadWords make_head_words() noexcept {
  HeadWords head{};
  // No head has the words from 1,000 on, which remain 0.
  for (std::uint64_t length = 0; length < 1000; ++length) {
    constexpr std::uint64_t kThreeDigits = 0x0130'3030'3d39'0130;
    constexpr std::uint64_t kTwoDigits = 0x0130'303d'3901'302e;
    head.words[length] = (length >= 100 ? kThreeDigits | (length / 100) << 32 : kTwoDigits) |
                         (length / 10 % 10) << 40 | (length % 10) << 48;
  }
  return head;
}

alignas(64) constexpr HeadWords kHeadWords = make_head_words();

constexpr std::uint64_t kFix4Start = 0x2e34'2e58'4946'3d38;   // 8=FIX.4.
constexpr std::uint64_t kFixt1Start = 0x312e'5458'4946'3d38;  // 8=FIXT.1

// Whether a frame begins with `8=FIXT.1.`; start: its first eight bytes. If BodyLength has three
// digits, the second point is between the first and the last eight bytes of the head.
inline bool is_fixt1_start(const char* frame, std::uint64_t start) noexcept {
  return start == kFixt1Start && frame[sizeof start] == '.';
}

// Whether the head that begins with kVersion's eight bytes continues in the common form. last_word:
// its last eight bytes. Of the version's last character only the upper half is compared: it is 0 to
// 9, or one of the next six bytes of ASCII, and none of those is a SOH.
template <Version kVersion, std::uint32_t Digits>
[[gnu::always_inline]] inline bool is_usual_head(std::uint64_t last_word,
                                                 std::uint32_t body_bytes) noexcept {
  constexpr std::uint64_t kLowerHalf = Digits == 3 ? 0x0f : 0x0f00;
  return ((last_word ^ kHeadWords.words[body_bytes % kHeadWordCount]) & ~kLowerHalf) == 0;
}

// Where the fields of a usual head end. The bytes of the head are 15 to 17; 0: it is not one.
struct UsualFields {
  std::uint32_t body_length;  // where BodyLength begins
  std::uint32_t bytes;
};

// The head of a usual frame: `8=FIX.4.x` or `8=FIXT.1.x`, `9=` and a valid BodyLength in two or
// three digits. 35 is the next field, unless has_type() finds that out.
template <bool kFindsType = true>
inline UsualFields usual_head(const char* frame, std::uint32_t size) noexcept {
  constexpr UsualFields kNone{0, 0};
  constexpr std::uint32_t kTwoDigitBytes = 5;  // the field with its SOH
  constexpr std::uint32_t kTwoDigitsMax = 99;
  const std::uint64_t start = load_word(frame);
  std::uint32_t body_length = 10;
  if (start != kFix4Start) {
    if (!is_fixt1_start(frame, start)) return kNone;
    body_length = 11;
  }
  std::uint32_t bytes = body_length + kTwoDigitBytes;
  const std::uint32_t three = size - kTrailerBytes - bytes > kTwoDigitsMax ? 1 : 0;
  bytes += three;
  const std::uint64_t word = load_word(frame + bytes - sizeof word);
  const std::uint64_t wanted = kHeadWords.words[(size - kTrailerBytes - bytes) % kHeadWordCount];
  // The lower half of the version's last character: see is_usual_head().
  const std::uint64_t version_bits = three != 0 ? 0x0f : 0x0f00;
  constexpr std::uint32_t kMsgTypeStart = '3' | '5' << 8 | '=' << 16;
  const auto msg_type = static_cast<std::uint32_t>(load_word(frame + bytes)) & 0xff'ffff;
  if (((word ^ wanted) & ~version_bits) != 0 || (kFindsType && msg_type != kMsgTypeStart))
    return kNone;
  return {body_length, bytes};
}

inline void put_trailer(const FieldArrays& arrays, std::uint32_t entry,
                        std::uint32_t size) noexcept {
  constexpr std::uint16_t kCheckSum = 10;
  constexpr std::uint32_t kValueBytes = 4;  // with its SOH
  put_entry(arrays, entry, kCheckSum, {size - kValueBytes, size - 1});
}

// The result for a frame whose fields are all indexed, with the trailer. byte_sum: of the whole
// frame; its low eight bits count.
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
