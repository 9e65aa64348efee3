// A frame in windows, written once for the instruction sets that have no vectors wide enough for a
// whole one: first where the fields of a window begin, then their tags, a group of them at a time.
// Kernels include it behind unusual.inl.hpp, in their own namespace and target region, and define
// in front of it:
//
//   kUsualFields                    how many fields a block of 64 bytes has at most, as a rule
//   trailing_zeros(bits)            64 or any smaller number if there is no bit
//   bit_count(bits)
//   ByteSum, no_bytes()             sums of bytes, of which the low eight bits count
//   total_of(sum)
//   soh_bits(block, sum)            a bit for each SOH of a block; its bytes are added to sum
//   soh_bits(block, keep, sum)      the same of a block's bytes anded with those of keep
//   Patterns, patterns()            what index_group() is given, made once for many groups
//   kTagBytesRead                   how many bytes of a field index_group() reads
//   index_group(frame, starts, data, arrays, entry, patterns)
//                                   kGroupFields fields at once, which begin at starts[0] and so on
//                                   and end in front of the next one: writes their entries and
//                                   returns a bit for each that is not an ordinary one, whose entry
//                                   then is rubbish
//
// An ordinary field has a tag of up to four digits, a value, and is no Length field.

constexpr std::uint32_t kBlockBytes = 64;
constexpr std::uint32_t kWindowBytes = 16 * kBlockBytes;
// All fields but the trailer begin at least eight bytes in front of the frame's end. A group of
// more than one may hold the trailer behind the last field that it is asked for.
static_assert(kTagBytesRead <= (kGroupFields == 1 ? kTrailerBytes + 1 : kTrailerBytes));

// Where the fields of a window begin: at[0] the first one, at[fields] what follows the last one.
struct Starts {
  std::uint32_t at[kWindowBytes + kBlockBytes];
};

// 64 zero bytes and 64 set ones: from kKeep + n on, a mask that keeps the last n of 64.
constexpr struct KeepBytes {
  alignas(64) unsigned char at[2 * kBlockBytes];
  constexpr KeepBytes() noexcept : at{} {
    for (std::uint32_t i = kBlockBytes; i < 2 * kBlockBytes; ++i) at[i] = 0xff;
  }
} kKeep;

template <std::uint32_t Count>
[[gnu::always_inline]] inline std::uint64_t write_some_starts(std::uint32_t* out,
                                                              std::uint32_t base,
                                                              std::uint64_t bits) noexcept {
#pragma GCC unroll 16
  for (std::uint32_t i = 0; i < Count; ++i) {
    out[i] = base + trailing_zeros(bits);
    bits &= bits - 1;
    __asm__ volatile("" : "+r"(bits));
  }
  return bits;
}

// Writes base and the position of every bit. Many at a time without asking how many there are,
// because the number of fields in a block is what a branch predictor cannot know; the entries
// behind the last one are overwritten later.
[[gnu::always_inline]] inline std::uint32_t write_starts(std::uint32_t* out, std::uint32_t base,
                                                         std::uint64_t bits) noexcept {
  constexpr std::uint32_t kMore = 6;
  const std::uint32_t count = bit_count(bits);
  bits = write_some_starts<kUsualFields>(out, base, bits);
  for (std::uint32_t written = kUsualFields; written < count; written += kMore) {
    bits = write_some_starts<kMore>(out + written, base, bits);
  }
  return count;
}

// The bits of a block from the given byte on; those in front lie within a data field.
inline std::uint64_t bits_from(std::uint64_t bits, std::uint32_t first) noexcept {
  return first < kBlockBytes ? bits >> first << first : 0;
}

// Finds the fields that end in frame[from, end), where from is the window's begin and starts.at[0]
// the begin of the first field, and adds the bytes to sum. A SOH in front of starts.at[0] is data.
[[gnu::always_inline]] inline std::uint32_t find_fields(const char* frame, std::uint32_t from,
                                                        std::uint32_t end, Starts& starts,
                                                        ByteSum& sum) noexcept {
  std::uint32_t* const out = starts.at + 1;
  const std::uint32_t first = starts.at[0];
  std::uint32_t fields = 0;
  std::uint32_t at = from;
  for (; at + kBlockBytes <= end; at += kBlockBytes) {
    std::uint64_t bits = soh_bits(frame + at, sum);
    if (at < first) [[unlikely]]
      bits = bits_from(bits, first - at);
    fields += write_starts(out + fields, at + 1, bits);
  }
  const std::uint32_t rest = end - at;
  if (rest != 0) {
    std::uint64_t bits;
    if (end >= kBlockBytes) [[likely]] {
      // Together with bytes that were seen before.
      at = end - kBlockBytes;
      bits = soh_bits(frame + at, kKeep.at + rest, sum);
    } else {
      alignas(64) char block[kBlockBytes] = {};
      __builtin_memcpy(block, frame, rest);
      at = 0;
      bits = soh_bits(block, sum);
    }
    if (at < first) bits = bits_from(bits, first - at);
    fields += write_starts(out + fields, at + 1, bits);
  }
  // A group may be read beyond the last field; what it finds there must lie within the frame.
  __builtin_memset(out + fields, 0, kGroupFields * sizeof(std::uint32_t));
  return fields;
}

// How far a window's fields are indexed: the next field of it, and the next entry.
struct Progress {
  std::uint32_t field;
  std::uint32_t entry;
};

// Looks again at the fields that a group found unusual, and returns where to go on: behind the
// group, or earlier where the entries do not stand. starts.at[fields] is moved where a data field
// ends behind the window.
[[gnu::noinline]] static Progress settle(const char* frame, std::uint32_t size, Starts& starts,
                                         std::uint32_t fields, const Progress& group,
                                         std::uint32_t unusual, IndexWork& work) noexcept {
  std::uint32_t done = group.field;  // fields that are settled
  for (; unusual != 0; unusual &= unusual - 1) {
    const std::uint32_t lane = trailing_zeros(unusual);
    const std::uint32_t at = group.field + lane;
    if (at < done) continue;
    const std::uint32_t entry = group.entry + lane;
    const Place next =
        index_bounded_field(frame, size, starts.at[at], starts.at[at + 1] - 1, entry, work);
    if (next.entry == entry + 1) continue;
    if (next.entry == entry) return {at + 1, entry};
    // It brought its data field with it.
    done = at + 2;
    if (done <= fields && starts.at[done] == next.byte) {
      // A value without SOH: the fields behind it have their entries.
      if (lane + 1 < kGroupFields) continue;
      return {done, next.entry};
    }
    while (done < fields && starts.at[done] < next.byte) ++done;
    if (done >= fields) {
      done = fields;
      if (starts.at[fields] < next.byte) starts.at[fields] = next.byte;
    }
    return {done, next.entry};
  }
  return {group.field + kGroupFields, group.entry + kGroupFields};
}

// Indexes the fields that find_fields() found, from the given entry on, and returns the next one:
// one above the capacity where that was too small.
[[gnu::always_inline]] inline std::uint32_t index_fields(const char* frame, std::uint32_t size,
                                                         Starts& starts, std::uint32_t fields,
                                                         std::uint32_t entry,
                                                         IndexWork& work) noexcept {
  const FieldArrays arrays = work.arrays;
  const Patterns all = patterns();
  std::uint32_t field = 0;
  while (field < fields) {
    // A group and a data field behind it fit into what lies behind the capacity.
    if (entry > arrays.capacity) [[unlikely]]
      return entry;
    std::uint32_t unusual = index_group(frame, starts.at + field, work.data, arrays, entry, all);
    if (unusual != 0) [[unlikely]] {
      // Behind the last field stands the frame's first one, which mostly is an ordinary one.
      const std::uint32_t rest = fields - field;
      if (rest < kGroupFields) unusual &= (1U << rest) - 1;
      if (unusual != 0) {
        const Progress progress =
            settle(frame, size, starts, fields, {field, entry}, unusual, work);
        field = progress.field;
        entry = progress.entry;
        continue;
      }
    }
    field += kGroupFields;
    entry += kGroupFields;
  }
  return entry - (field - fields);
}

static_assert(kGroupFields + 1 < kEntriesAtOnce);

// By BodyLength below 256 as nearly all write it: the four bytes in front of its SOH, `9=` or `=`
// included.
struct ShortBodyLengths {
  std::uint32_t words[256];
};

constexpr ShortBodyLengths make_short_body_lengths() noexcept {
  ShortBodyLengths lengths{};
  for (std::uint32_t length = 0; length < 256; ++length) {
    const std::uint32_t tens = '0' + length / 10 % 10;
    const std::uint32_t ones = '0' + length % 10;
    lengths.words[length] = length >= 100
                                ? '=' | ('0' + length / 100) << 8 | tens << 16 | ones << 24
                            : length >= 10 ? '9' | '=' << 8 | tens << 16 | ones << 24
                                           : '\x01' | '9' << 8 | '=' << 16 | ones << 24;
  }
  return lengths;
}

alignas(64) constexpr ShortBodyLengths kShortBodyLengths = make_short_body_lengths();

// Whether BodyLength is the given one, below 256, and written as nearly all write it. body is where
// the body begins, behind `8=...` SOH, `9=...` SOH: the bytes in front of it are there.
inline bool is_short_body_length(const char* body, std::uint32_t length) noexcept {
  std::uint32_t word;
  __builtin_memcpy(&word, body - 1 - sizeof word, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap32(word);
#endif
  return word == kShortBodyLengths.words[length & 0xff];
}

// What has_good_head() finds in the index, from the bytes, so that nobody waits for what was just
// stored; false also where that would take longer.
inline bool has_usual_head(const char* frame, std::uint32_t body_end,
                           const std::uint32_t* starts) noexcept {
  constexpr std::uint32_t kLengthsMax = 256;  // that is_short_body_length() knows
  const std::uint32_t length = body_end - starts[2];
  // Of the second field, with its SOH.
  const std::uint32_t field_bytes = 4U + (length >= 10 ? 1U : 0U) + (length >= 100 ? 1U : 0U);
  return __builtin_memcmp(frame, "8=", 2) == 0 &&
         __builtin_memcmp(frame + starts[1], "9=", 2) == 0 &&
         __builtin_memcmp(frame + starts[2], "35=", 3) == 0 && length < kLengthsMax &&
         starts[2] - starts[1] == field_bytes && is_short_body_length(frame + starts[2], length);
}

template <unsigned Policy>
std::uint32_t index_frame(const char* frame, std::size_t frame_bytes, IndexWork& work) noexcept {
  // One comparison for both limits.
  if (frame_bytes - kFrameBytesMin > kFrameBytesMax - kFrameBytesMin) return 0;
  const auto size = static_cast<std::uint32_t>(frame_bytes);
  const Trailer trailer = read_trailer(frame, size);
  if (!trailer.good) return 0;
  work.first.rule = kNoFault;
  work.first_but_empty.rule = kNoFault;
  const std::uint32_t body_end = size - kTrailerBytes;
  ByteSum sum = no_bytes();
  std::uint32_t entry = 0;
  bool is_usual = false;
  Starts starts;
  starts.at[0] = 0;
  for (std::uint32_t from = 0; from < body_end; from += kWindowBytes) {
    const std::uint32_t rest = body_end - from;
    const std::uint32_t bytes = rest < kWindowBytes ? rest : kWindowBytes;
    const std::uint32_t fields = find_fields(frame, from, from + bytes, starts, sum);
    constexpr std::uint32_t kFieldsInFront = 3;
    is_usual = from == 0 && fields >= kFieldsInFront && has_usual_head(frame, body_end, starts.at);
    entry = index_fields(frame, size, starts, fields, entry, work);
    if (entry > work.arrays.capacity) {
      work.more_capacity = 1;
      return 0;
    }
    starts.at[0] = starts.at[fields];
  }
  put_trailer(work.arrays, entry, size);
  if constexpr (Policy == 0) {
    // Without a fault the first three fields of the message are those of the index.
    if (is_usual && work.first.rule == kNoFault) {
      constexpr std::uint32_t kCheckSumModulus = 256;
      return total_of(sum) % kCheckSumModulus == trailer.check_sum ? entry + 1 : 0;
    }
  }
  return verdict<Policy>(frame, size, trailer, entry + 1, total_of(sum) + trailer.byte_sum, work);
}
