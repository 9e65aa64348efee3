// From SOH positions to fields. Included once by each kernel inside its own namespace and target
// region. No header guard, no standard templates: see kernels/README.md. The kernel provides
//
//   std::uint32_t scan_soh(const char* body, std::uint32_t size, const FieldArrays& arrays,
//                          std::uint32_t& byte_sum) noexcept
// that writes the positions of all SOH bytes to arrays.ends and returns their number, or
// kScanCapacityExceeded;
//
//   constexpr std::uint32_t kFieldsAtOnce
//   bool index_ordinary_fields(const char* body, const DataTags& data, const FieldArrays& arrays,
//                              std::uint32_t soh, std::uint32_t count) noexcept
// that indexes kFieldsAtOnce fields, the first of which ends at arrays.ends[soh], as entries count
// and following, if all of them are ordinary: a tag of one to seven digits without a zero in front,
// a value that is not empty, and surely no Length tag. If one is not, it says false and need not
// have written anything of use. It may be called again for fields that it indexed before.
//
// A field begins behind the SOH in front of it. arrays.ends[-1] exists and is such that this holds
// for the first field too. Compaction in place never disturbs it: entries are written at or in
// front of the SOH position that they come from.

// Reads eight bytes, the first one lowest, whatever the machine's byte order.
inline std::uint64_t load_word(const char* bytes) noexcept {
  std::uint64_t word;
  __builtin_memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

inline void note_fault(Indexed& out, RawFaultRule rule, std::uint32_t offset,
                       std::uint32_t tag_bytes) noexcept {
  const RawFault fault{rule, offset, tag_bytes};
  if (out.first.rule == kNoFault) out.first = fault;
  if (rule != kValueEmpty && out.first_but_empty.rule == kNoFault) out.first_but_empty = fault;
}

// The tag in text[0, bytes), or 0 if it is malformed.
inline std::uint32_t read_any_tag(const char* text, std::uint32_t bytes) noexcept {
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

// The field [begin, end), byte by byte: what the fast road cannot decide. Returns the new count.
[[gnu::noinline]] static std::uint32_t index_unusual_field(const char* body, std::uint32_t begin,
                                                           std::uint32_t end,
                                                           const FieldArrays& arrays,
                                                           std::uint32_t count,
                                                           Indexed& out) noexcept {
  std::uint32_t equals = begin;
  while (equals < end && body[equals] != '=') ++equals;
  const std::uint32_t tag_bytes = equals - begin;
  if (equals == end) {
    note_fault(out, kTagWithoutValue, begin, tag_bytes);
    return count;
  }
  const std::uint32_t tag = read_any_tag(body + begin, tag_bytes);
  if (tag == 0) {
    note_fault(out, kTagMalformed, begin, tag_bytes);
    return count;
  }
  if (equals + 1 == end) note_fault(out, kValueEmpty, begin, tag_bytes);
  arrays.tags[count] = tag;
  arrays.begins[count] = equals + 1;
  arrays.ends[count] = end;
  return count + 1;
}

// One field; returns the new count. Reads eight bytes from begin: at least the CheckSum field
// follows every field, so they are there.
inline std::uint32_t index_field(const char* body, std::uint32_t begin, std::uint32_t end,
                                 const FieldArrays& arrays, std::uint32_t count,
                                 Indexed& out) noexcept {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
  constexpr std::uint64_t kTops = 0x8080'8080'8080'8080;
  constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;    // stands in where there is no `=`
  constexpr std::uint64_t kAboveNine = 0x7676'7676'7676'7676;  // carries a byte above 9 to its top
  const std::uint64_t word = load_word(body + begin);
  const std::uint64_t not_equals = word ^ (kOnes * '=');
  // The lowest marked byte is a `=` for certain; those above it may be marked by a borrow.
  const std::uint64_t equals = (not_equals - kOnes) & ~not_equals & kTops;
  const auto bits = static_cast<std::uint32_t>(__builtin_ctzll(equals | kTopBit)) & 0x38;
  // Digits become 0 to 9 and move to the top, so that the zeros that follow below count nothing.
  std::uint64_t digits = (word ^ (kOnes * '0')) << ((64 - bits) & 63);
  const std::uint64_t bad = ((digits + kAboveNine) | digits) & kTops;
  const std::uint32_t value = begin + bits / 8 + 1;
  const bool ordinary =
      (equals != 0) & (bits != 0) & (bad == 0) & ((word & 0xff) != '0') & (value != end);
  if (!ordinary) return index_unusual_field(body, begin, end, arrays, count, out);
  digits = ((digits * 10) + (digits >> 8)) & 0x00ff'00ff'00ff'00ff;
  digits = ((digits * 100) + (digits >> 16)) & 0x0000'ffff'0000'ffff;
  digits = ((digits * 10'000) + (digits >> 32)) & 0xffff'ffff;
  arrays.tags[count] = static_cast<std::uint32_t>(digits);
  arrays.begins[count] = value;
  arrays.ends[count] = end;
  return count + 1;
}

// The data tag that a Length tag announces, or 0.
inline std::uint32_t data_tag_of(const DataTags& data, std::uint32_t length_tag) noexcept {
  for (std::uint32_t i = 0; i < data.count; ++i) {
    if (data.length_tags[i] == length_tag) return data.data_tags[i];
  }
  return 0;
}

inline bool may_be_length_tag(const DataTags& data, std::uint32_t tag) noexcept {
  return (data.low_nibbles[tag & 15] & data.high_nibbles[(tag >> 4) & 15] &
          data.third_nibbles[(tag >> 8) & 15]) != 0;
}

// The value of a Length field, or size if it is no number below that.
inline std::uint32_t read_length(const char* text, std::uint32_t bytes,
                                 std::uint32_t size) noexcept {
  std::uint64_t length = 0;
  for (std::uint32_t i = 0; i < bytes; ++i) {
    if (text[i] < '0' || text[i] > '9') return size;
    length = length * 10 + static_cast<std::uint64_t>(text[i] - '0');
    if (length >= size) return size;
  }
  return bytes == 0 ? size : static_cast<std::uint32_t>(length);
}

// Behind a field that may be a Length field and is entry count - 1: if the data field that it
// announces follows, indexes that one too. The length governs: SOH and `=` within it are data. A
// length that does not lead to a SOH is a fault and counts for nothing, so that no length can hide
// more than its own field. Returns the new count and moves soh behind the data field.
[[gnu::noinline]] static std::uint32_t index_data_field(
    const char* body, std::uint32_t size, std::uint32_t soh_count, const DataTags& data,
    const FieldArrays& arrays, std::uint32_t count, std::uint32_t& soh, Indexed& out) noexcept {
  const std::uint32_t wanted = data_tag_of(data, arrays.tags[count - 1]);
  if (wanted == 0 || soh == soh_count) return count;
  const std::uint32_t length_end = arrays.ends[count - 1];
  const std::uint32_t field = length_end + 1;
  std::uint32_t equals = field;
  while (body[equals] != '=' && body[equals] != '\x01') ++equals;
  if (body[equals] != '=' || read_any_tag(body + field, equals - field) != wanted) return count;

  const std::uint32_t length_begin = arrays.begins[count - 1];
  const std::uint32_t length = read_length(body + length_begin, length_end - length_begin, size);
  const std::uint32_t value = equals + 1;
  const bool leads_to_soh = length < size - value && body[value + length] == '\x01';
  if (!leads_to_soh) {
    std::uint32_t length_field = length_begin - 1;  // at its `=`
    while (length_field != 0 && body[length_field - 1] != '\x01') --length_field;
    note_fault(out, kDataLengthWrong, length_field, length_begin - 1 - length_field);
    return count;  // the data field is then an ordinary one
  }
  const std::uint32_t end = value + length;
  while (arrays.ends[soh] != end) ++soh;
  ++soh;
  if (length == 0) note_fault(out, kValueEmpty, field, equals - field);
  arrays.tags[count] = wanted;
  arrays.begins[count] = value;
  arrays.ends[count] = end;
  return count + 1;
}

static void index_fields(const char* body, std::uint32_t size, const DataTags& data,
                         const FieldArrays& arrays, Indexed& out) noexcept {
  out.first.rule = kNoFault;
  out.first_but_empty.rule = kNoFault;
  out.capacity_exceeded = 0;
  const std::uint32_t soh_count = scan_soh(body, size, arrays, out.byte_sum);
  if (soh_count == kScanCapacityExceeded) {
    out.capacity_exceeded = 1;
    return;
  }
  std::uint32_t count = 0;
  std::uint32_t soh = 0;
  while (soh < soh_count) {
    if constexpr (kFieldsAtOnce > 1) {
      while (soh < soh_count && soh_count >= kFieldsAtOnce) {
        // The last few are indexed together with some that are done already, where they lie.
        const std::uint32_t last = soh_count - kFieldsAtOnce;
        const std::uint32_t from = soh <= last ? soh : last;
        if (from != soh && soh != count) break;
        if (!index_ordinary_fields(body, data, arrays, from, count - (soh - from))) break;
        count += from + kFieldsAtOnce - soh;
        soh = from + kFieldsAtOnce;
      }
    }
    // One by one what is not ordinary, and what stands with it, so that it is not tried again.
    for (std::uint32_t i = 0; i < kFieldsAtOnce && soh < soh_count; ++i) {
      const std::uint32_t begin = arrays.ends[static_cast<std::ptrdiff_t>(soh) - 1] + 1;
      const std::uint32_t before = count;
      count = index_field(body, begin, arrays.ends[soh], arrays, count, out);
      ++soh;
      if (count != before && may_be_length_tag(data, arrays.tags[before])) {
        count = index_data_field(body, size, soh_count, data, arrays, count, soh, out);
      }
    }
  }
  out.field_count = count;
}
