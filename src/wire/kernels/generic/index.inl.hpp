// From SOH positions to fields. Included once by each kernel inside its own namespace and target
// region, behind a function
//
//   std::uint32_t scan_soh(const char* body, std::uint32_t size, const FieldArrays& arrays,
//                          std::uint32_t& byte_sum) noexcept
//
// that writes the positions of all SOH bytes to arrays.ends and returns their number, or
// kScanCapacityExceeded. No header guard, no standard templates: see kernels/README.md.

// Reads eight bytes, the first one lowest, whatever the machine's byte order.
inline std::uint64_t load_word(const char* bytes) noexcept {
  std::uint64_t word;
  __builtin_memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

struct Tag {
  std::uint32_t number;  // 0: malformed
  std::uint32_t bytes;   // in front of the `=`, or of the field's end if there is no `=`
  bool has_value;        // there is a `=`
};

// Any form of tag, byte by byte: what the fast road cannot decide. field[size] is the SOH.
[[gnu::noinline]] static Tag read_unusual_tag(const char* field, std::uint32_t size) noexcept {
  std::uint32_t bytes = 0;
  while (bytes < size && field[bytes] != '=') ++bytes;
  Tag tag{0, bytes, bytes < size};
  std::uint64_t number = 0;
  constexpr std::uint32_t kTagDigitsMax = 10;
  constexpr std::uint64_t kLargestTag = 0x7fff'ffff;
  if (bytes == 0 || bytes > kTagDigitsMax || field[0] == '0') return tag;
  for (std::uint32_t i = 0; i < bytes; ++i) {
    if (field[i] < '0' || field[i] > '9') return tag;
    number = number * 10 + static_cast<std::uint64_t>(field[i] - '0');
  }
  if (number <= kLargestTag) tag.number = static_cast<std::uint32_t>(number);
  return tag;
}

// A tag of one to seven digits, in a word at a time. Reads eight bytes from field: at least the
// CheckSum field follows every field, so they are there.
inline Tag read_tag(const char* field, std::uint32_t size) noexcept {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
  constexpr std::uint64_t kTops = 0x8080'8080'8080'8080;
  constexpr std::uint64_t kAboveNine = 0x7676'7676'7676'7676;  // carries a byte above 9 to its top
  const std::uint64_t word = load_word(field);
  const std::uint64_t not_equals = word ^ (kOnes * '=');
  // The lowest marked byte is a `=` for certain; those above it may be marked by a borrow.
  const std::uint64_t equals = (not_equals - kOnes) & ~not_equals & kTops;
  if (equals == 0) return read_unusual_tag(field, size);
  const auto bits = static_cast<std::uint32_t>(__builtin_ctzll(equals)) & ~7U;
  if (bits == 0) return read_unusual_tag(field, size);
  // Digits become 0 to 9 and move to the top, so that the zeros that follow below count nothing.
  std::uint64_t digits = (word ^ (kOnes * '0')) << (64 - bits);
  const std::uint64_t bad = ((digits + kAboveNine) | digits) & kTops;
  if (bad != 0 || (word & 0xff) == '0') return read_unusual_tag(field, size);
  digits = ((digits * 10) + (digits >> 8)) & 0x00ff'00ff'00ff'00ff;
  digits = ((digits * 100) + (digits >> 16)) & 0x0000'ffff'0000'ffff;
  digits = ((digits * 10'000) + (digits >> 32)) & 0xffff'ffff;
  return {static_cast<std::uint32_t>(digits), bits / 8, true};
}

inline void note_fault(Indexed& out, RawFaultRule rule, std::uint32_t offset,
                       std::uint32_t tag_bytes) noexcept {
  const RawFault fault{rule, offset, tag_bytes};
  if (out.first.rule == kNoFault) out.first = fault;
  if (rule != kValueEmpty && out.first_but_empty.rule == kNoFault) out.first_but_empty = fault;
}

// The data tag that a Length tag announces, or 0.
[[gnu::noinline]] static std::uint32_t data_tag_of(const DataTags& data,
                                                   std::uint32_t length_tag) noexcept {
  for (std::uint32_t i = 0; i < data.count; ++i) {
    if (data.length_tags[i] == length_tag) return data.data_tags[i];
  }
  return 0;
}

inline bool may_be_length_tag(const DataTags& data, std::uint32_t tag) noexcept {
  const std::uint32_t bit = tag % kLengthTagBits;
  return ((data.length_tag_bits[bit / 64] >> (bit % 64)) & 1) != 0;
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

struct Cursor {
  std::uint32_t soh;    // index of the next SOH position that is not used up
  std::uint32_t begin;  // of the next field
};

// Behind a Length field at [length_field, next.begin) whose value has length_bytes bytes. If the
// data field that it announces follows, indexes that one too and moves the cursor behind it. The
// length governs: SOH and `=` within it are data. A length that does not lead to a SOH is a fault
// and counts for nothing, so that no length can hide more than its own field.
[[gnu::noinline]] static std::uint32_t index_data_field(
    const char* body, std::uint32_t size, std::uint32_t soh_count, const DataTags& data,
    const FieldArrays& arrays, std::uint32_t count, Cursor& next, std::uint32_t length_field,
    Indexed& out) noexcept {
  const std::uint32_t length_tag = arrays.tags[count - 1];
  const std::uint32_t wanted = data_tag_of(data, length_tag);
  if (wanted == 0 || next.soh == soh_count) return count;
  const std::uint32_t field = next.begin;
  const Tag tag = read_tag(body + field, arrays.ends[next.soh] - field);
  if (tag.number != wanted || !tag.has_value) return count;

  const std::uint32_t length_begin = arrays.begins[count - 1];
  const std::uint32_t length =
      read_length(body + length_begin, arrays.ends[count - 1] - length_begin, size);
  const std::uint32_t value = field + tag.bytes + 1;
  const bool leads_to_soh = length < size - value && body[value + length] == '\x01';
  if (!leads_to_soh) {
    note_fault(out, kDataLengthWrong, length_field, length_begin - 1 - length_field);
    return count;  // the data field is then an ordinary one
  }
  const std::uint32_t end = value + length;
  while (arrays.ends[next.soh] != end) ++next.soh;
  ++next.soh;
  next.begin = end + 1;
  if (length == 0) note_fault(out, kValueEmpty, field, tag.bytes);
  arrays.tags[count] = tag.number;
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
  for (Cursor next{0, 0}; next.soh < soh_count;) {
    const std::uint32_t field = next.begin;
    const std::uint32_t end = arrays.ends[next.soh++];
    next.begin = end + 1;
    const Tag tag = read_tag(body + field, end - field);
    if (tag.number == 0 || !tag.has_value) {
      note_fault(out, tag.has_value ? kTagMalformed : kTagWithoutValue, field, tag.bytes);
      continue;
    }
    arrays.tags[count] = tag.number;
    arrays.begins[count] = field + tag.bytes + 1;
    arrays.ends[count] = end;  // in place: there are never more fields than SOH bytes used up
    if (field + tag.bytes + 1 == end) note_fault(out, kValueEmpty, field, tag.bytes);
    ++count;
    if (may_be_length_tag(data, tag.number)) {
      count = index_data_field(body, size, soh_count, data, arrays, count, next, field, out);
    }
  }
  out.field_count = count;
}
