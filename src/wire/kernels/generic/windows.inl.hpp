// Indexes fields window by window, for instruction sets whose vectors cannot hold a whole frame,
// and for frames with long fields. First it finds where the fields of a window begin; then it reads
// their tags, a group at a time. Kernels include it after slow_path.inl.hpp, in their own namespace
// and target region, and define before it:
//
//   trailing_zeros(bits)            64 or any smaller number if there is no bit
//   write_starts(out, base, bits)   writes base plus the position of every bit and returns where
//                                   the next go; may write 64 numbers (bit_starts.inl.hpp)
//   ByteSum                         sums of bytes, of which the low eight bits count
//   soh_bits(block, sum)            a bit for each SOH of a block; adds its bytes to sum
//   soh_bits(block, keep, sum)      the same for the block's bytes anded with keep
//   Patterns, patterns(data)        constants for index_group(), made once for many groups
//   kTagBytesRead                   how many bytes of a field index_group() reads
//   index_group(frame, starts, arrays, entry, patterns)
//                                   kGroupFields fields at once; each begins at one of starts and
//                                   ends before the next one. Writes their entries and returns a
//                                   bit for each that is not an ordinary field. The entry of such a
//                                   field means nothing.
//
// An ordinary field has a tag of up to four digits, a value, and is not a Length field.

constexpr std::uint32_t kBlockBytes = 64;
constexpr std::uint32_t kWindowBytes = 16 * kBlockBytes;
// Every field except the trailer begins at least eight bytes before the frame's end. A group of
// several fields may read the trailer after the last field that it was given.
static_assert(kTagBytesRead <= kTrailerBytes);

// The last block of a body is loaded from the body's end.
constexpr std::uint32_t kUsualFrameMin = kBlockBytes + kTrailerBytes;

// Whether a usual frame has a valid trailer. byte_sum: of its body and its first 16 bytes.
template <unsigned Policy>
[[gnu::always_inline]] inline bool has_good_end(const char* frame, std::uint32_t size,
                                                const UsualFields& head,
                                                std::uint32_t byte_sum) noexcept {
  if constexpr ((Policy & kLeaveOutCheckSum) != 0) return read_trailer(frame, size).good;
  // Heads of 15 to 17 bytes have no 3 of MsgType, or one SOH more.
  constexpr std::uint32_t kLeastBytes = 15;
  static constexpr std::uint8_t kRests[3] = {256 - '3', 0, '\x01'};
  return is_trailer_of(frame, size, byte_sum + kRests[head.bytes - kLeastBytes]);
}

// Where the fields of a window begin. at[0] is the first one; at[fields] follows the last one.
struct Starts {
  std::uint32_t at[kWindowBytes + kBlockBytes];
};
// Those of a frame of up to kNarrowBytesMax.
struct ShortStarts {
  unsigned char at[kNarrowBytesMax + kBlockBytes + 1];
};

// The bits of a block from the given byte on. The bits before it lie within a data field.
inline std::uint64_t bits_from(std::uint64_t bits, std::size_t first) noexcept {
  return first < kBlockBytes ? bits >> first << first : 0;
}

// Finds the fields that end in frame[from, end), where from is the window's begin and
// starts.at[kKnown] the begin of the first of them. Adds the bytes to sum. A SOH before that field
// is data. If other fields are known, there is none, and end is at least kBlockBytes. Returns the
// number of fields found.
template <std::uint32_t kKnown = 0, class AnyStarts>
[[gnu::always_inline]] inline std::uint32_t find_fields(const char* frame, std::uint32_t from,
                                                        std::uint32_t end, AnyStarts& starts,
                                                        ByteSum& sum) noexcept {
  auto* const out = starts.at + kKnown + 1;
  auto* next = out;
  const std::size_t first = starts.at[kKnown];
  const std::size_t last = end - kBlockBytes;
  std::size_t at = from;
  for (; kKnown != 0 ? at <= last : at + kBlockBytes <= end; at += kBlockBytes) {
    std::uint64_t bits = soh_bits(frame + at, sum);
    if (kKnown == 0 && at < first) [[unlikely]]
      bits = bits_from(bits, first - at);
    next = write_starts(next, static_cast<std::uint32_t>(at) + 1, bits);
  }
  if (const std::size_t rest = end - at; rest != 0) {
    std::uint64_t bits;
    if (kKnown != 0 || end >= kBlockBytes) [[likely]] {
      // Reads some bytes that were seen before.
      at = last;
      bits = soh_bits(frame + at, kKeep.at + rest, sum);
    } else {
      alignas(64) char block[kBlockBytes] = {};
      __builtin_memcpy(block, frame + at, rest);
      bits = soh_bits(block, sum);
    }
    if (kKnown == 0 && at < first) bits = bits_from(bits, first - at);
    next = write_starts(next, static_cast<std::uint32_t>(at) + 1, bits);
  }
  // A group may read past the last field. What it finds there must lie within the frame.
  __builtin_memset(next, 0, kGroupFields * sizeof *next);
  return static_cast<std::uint32_t>(next - out);
}

// How far a window's fields are indexed: its next field and the next entry.
struct Progress {
  std::uint32_t field;
  std::uint32_t entry;
};

// Keeps how the fields of entry and entry + 1 began. The first one begins at begin.
inline void keep_pair(const char* frame, std::uint32_t begin, std::uint32_t entry,
                      IndexWork& work) noexcept {
  const FieldArrays& arrays = work.arrays;
  const std::uint32_t data_begin = arrays.places[entry].end + 1;
  const std::uint32_t length_bytes = arrays.places[entry].begin - begin;
  const std::uint32_t data_bytes = arrays.places[entry + 1].begin - data_begin;
  constexpr std::uint32_t kWordBytes = 8;
  if (length_bytes > kWordBytes || data_bytes > kWordBytes) return;
  work.last_pair = {load_word(frame + begin),
                    ~std::uint64_t{0} >> (64 - 8 * length_bytes),
                    load_word(frame + data_begin),
                    ~std::uint64_t{0} >> (64 - 8 * data_bytes),
                    length_bytes,
                    data_bytes,
                    arrays.keys[entry],
                    arrays.keys[entry + 1]};
}

// Indexes the field at starts.at[field] and its data field if they begin like those of the last
// pair and the length leads to a SOH. Returns the position after the data field, or 0 for nothing.
inline std::uint32_t index_like_pair(const char* frame, std::uint32_t size, const Starts& starts,
                                     std::uint32_t fields, std::uint32_t field, std::uint32_t entry,
                                     const IndexWork& work) noexcept {
  const DataPair& pair = work.last_pair;
  const FieldArrays& arrays = work.arrays;
  const std::uint32_t begin = starts.at[field];
  if (pair.length_bytes == 0 || field + 1 >= fields || begin < kNumberDigitsMax) return 0;
  // Each of the two fields has at least one byte, and the trailer follows them.
  const std::uint32_t data_begin = starts.at[field + 1];
  if (((load_word(frame + begin) ^ pair.length_text) & pair.length_bits) != 0 ||
      ((load_word(frame + data_begin) ^ pair.data_text) & pair.data_bits) != 0) {
    return 0;
  }
  const std::uint32_t length_value = begin + pair.length_bytes;
  const std::uint32_t length_end = data_begin - 1;
  const std::uint32_t length = number_before(frame + length_end, length_end - length_value);
  const std::uint32_t value = data_begin + pair.data_bytes;
  if (length - 1 >= size - kTrailerBytes - value - 1 || frame[value + length] != '\x01') return 0;
  put_entry(arrays, entry, pair.length_key, {length_value, length_end});
  put_entry(arrays, entry + 1, pair.data_key, {value, value + length});
  return value + length + 1;
}

// Continues after a data field that ends at place.byte: with the first field that begins there,
// which is at or after starts.at[field], and with all pairs like the last one. Moves
// starts.at[fields] if a data field ends after the window.
inline Progress index_pairs(const char* frame, std::uint32_t size, Starts& starts,
                            std::uint32_t fields, std::uint32_t field, Place place,
                            const IndexWork& work) noexcept {
  while (true) {
    while (field < fields && starts.at[field] < place.byte) ++field;
    if (field >= fields) {
      if (starts.at[fields] < place.byte) starts.at[fields] = place.byte;
      return {fields, place.entry};
    }
    if (place.entry > work.arrays.capacity) return {field, place.entry};
    const std::uint32_t next =
        index_like_pair(frame, size, starts, fields, field, place.entry, work);
    if (next == 0) return {field, place.entry};
    place = {next, place.entry + 2};
    field += 2;
  }
}

// Examines the fields again that index_group() did not accept. Returns where to continue: after the
// group, or earlier if the entries after that field are invalid.
[[gnu::noinline]] static Progress settle(const char* frame, std::uint32_t size, Starts& starts,
                                         std::uint32_t fields, const Progress& group,
                                         std::uint32_t slow, IndexWork& work) noexcept {
  std::uint32_t done = group.field;  // fields that are settled
  for (; slow != 0; slow &= slow - 1) {
    const std::uint32_t lane = trailing_zeros(slow);
    const std::uint32_t at = group.field + lane;
    if (at < done) continue;
    const std::uint32_t entry = group.entry + lane;
    Place next{index_like_pair(frame, size, starts, fields, at, entry, work), entry + 2};
    if (next.byte == 0) {
      const std::uint32_t begin = starts.at[at];
      next = index_bounded_field(frame, size, begin, starts.at[at + 1] - 1, entry, work);
      if (next.entry == entry + 1) continue;
      if (next.entry == entry) return {at + 1, entry};
      keep_pair(frame, begin, entry, work);
    }
    // Its data field is indexed, too.
    done = at + 2;
    if (done <= fields && starts.at[done] == next.byte) {
      // A value without SOH: the entries of the next fields are valid.
      if (lane + 1 < kGroupFields) continue;
      return {done, next.entry};
    }
    return index_pairs(frame, size, starts, fields, done, next, work);
  }
  return {group.field + kGroupFields, group.entry + kGroupFields};
}

// The bits of index_group() that count if this number of its fields are not the trailer or after
// it.
inline std::uint32_t bits_of(std::uint32_t slow, std::uint32_t fields) noexcept {
  return fields < kGroupFields ? slow & ((1U << fields) - 1) : slow;
}

// Indexes the fields that find_fields() found and the trailer if it is the next start, from the
// given field and entry on. The trailer's end is not set. Returns the next entry, which is above
// the capacity if that was too small.
[[gnu::always_inline]] inline std::uint32_t index_fields(const char* frame, std::uint32_t size,
                                                         Starts& starts, std::uint32_t fields,
                                                         std::uint32_t entry, IndexWork& work,
                                                         std::uint32_t trailers = 0,
                                                         std::uint32_t field = 0) noexcept {
  const FieldArrays arrays = work.arrays;
  const Patterns all = patterns(work.data);
  while (field < fields + trailers) {
    // A group and one more data field fit into the entries above the capacity.
    if (entry > arrays.capacity) [[unlikely]]
      return entry;
    std::uint32_t slow = index_group(frame, starts.at + field, arrays, entry, all);
    if (slow != 0) [[unlikely]] {
      slow = bits_of(slow, fields - field);
      if (slow != 0) {
        const Progress progress = settle(frame, size, starts, fields, {field, entry}, slow, work);
        field = progress.field;
        entry = progress.entry;
        continue;
      }
    }
    field += kGroupFields;
    entry += kGroupFields;
  }
  return entry - (field - fields) + trailers;
}

static_assert(kGroupFields + 1 < kEntriesAtOnce);
