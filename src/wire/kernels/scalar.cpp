// The kernel for any machine: eight bytes at a time in an ordinary register.
#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::wire::kernels::scalar {

namespace {

#include "wire/kernels/generic/slow_path.inl.hpp"

constexpr std::uint32_t kGroupFields = 1;
constexpr std::uint32_t kTagBytesRead = 5;

constexpr std::uint64_t kEach = 0x0101'0101'0101'0101;  // times a byte: that byte eight times
constexpr std::uint64_t kTopBits = 0x80 * kEach;
constexpr std::uint64_t kEachLane = 0x0001'0001'0001'0001;

inline std::uint32_t trailing_zeros(std::uint64_t bits) noexcept {
  return static_cast<std::uint32_t>(__builtin_ctzll(bits));
}

// Bit by bit: to count them first would take longer here.
template <class Start>
inline Start* write_starts(Start* out, std::uint32_t base, std::uint64_t bits) noexcept {
  for (; bits != 0; bits &= bits - 1) *out++ = static_cast<Start>(base + trailing_zeros(bits));
  return out;
}

using ByteSum = std::uint64_t;

inline ByteSum no_bytes() noexcept { return 0; }
inline std::uint32_t total_of(ByteSum sum) noexcept { return static_cast<std::uint32_t>(sum); }

// A constant that the compiler would otherwise make again, or multiply by in several steps.
inline std::uint64_t kept(std::uint64_t constant) noexcept {
  __asm__("" : "+r"(constant));
  return constant;
}

// For a block with a byte that is 0 or above 128.
[[gnu::noinline]] static std::uint64_t soh_bits_of_bytes(const char* block,
                                                         const unsigned char* keep,
                                                         ByteSum& sum) noexcept {
  std::uint64_t bits = 0;
  for (std::uint32_t i = 0; i < 64; ++i) {
    const std::uint64_t byte = static_cast<unsigned char>(block[i]) & keep[i];
    sum += byte;
    bits |= std::uint64_t{byte == 1} << i;
  }
  return bits;
}

// From the sum of words and that of their bytes at even places, in lanes of 16 bits. The rest of
// the lanes comes from the other bytes. The highest lane wraps.
inline std::uint64_t sum_of_bytes(std::uint64_t total, std::uint64_t even) noexcept {
  return (even + ((total - even) >> 8)) * kept(kEachLane) >> 48;
}
constexpr std::uint64_t kEven = 0x00ff * kEachLane;

// keep: of kKeep; null for all bytes.
[[gnu::always_inline]] inline std::uint64_t soh_bits(const char* block, const unsigned char* keep,
                                                     ByteSum& sum) noexcept {
  const std::size_t kept_bytes = keep == nullptr ? 64 : static_cast<std::size_t>(keep - kKeep.at);
  std::uint64_t unusual = 0;  // a top bit: some byte is 0 or above 128
  std::uint64_t others = 0;   // a bit for each byte that is no SOH
  std::uint64_t total = 0;
  std::uint64_t even = 0;
  // Moves the top bit of each byte into the highest byte, to the bit with the byte's number.
  const std::uint64_t gather = kept(0x0002'0408'1020'4081);
  const std::uint64_t less_one = kept(-kEach);
  const std::uint64_t tops = kept(kTopBits);
  const auto add = [&] [[gnu::always_inline]] (std::uint32_t at) noexcept {
    // Each byte less one: a SOH is 0. No byte borrows from the next one, or some byte is unusual.
    std::uint64_t bytes = load_word(block + at) + less_one;
    unusual |= bytes;
    if (keep != nullptr) bytes &= load_word(reinterpret_cast<const char*>(keep) + at);
    others |= ((bytes + ~kTopBits) & tops) * gather >> 56 << at;
    return bytes;
  };
#pragma GCC unroll 4
  for (std::uint32_t at = 0; at < 64; at += 16) {
    std::uint64_t bytes = add(at);
    bytes += add(at + 8);
    total += bytes;
    even += bytes & kEven;
    // In this order: the sums stay in registers.
    __asm__ volatile("" : "+r"(unusual), "+r"(others), "+r"(total), "+r"(even));
  }
  if ((unusual & kTopBits) != 0) [[unlikely]]
    return soh_bits_of_bytes(block, kKeep.at + kept_bytes, sum);
  sum += sum_of_bytes(total, even) + kept_bytes;
  return ~others >> (64 - kept_bytes) << (64 - kept_bytes);
}

inline std::uint64_t soh_bits(const char* block, ByteSum& sum) noexcept {
  return soh_bits(block, nullptr, sum);
}

using Patterns = const DataTags*;
inline Patterns patterns(const DataTags& data) noexcept { return &data; }

// The field in frame[start, end). Returns what index_group() returns.
[[gnu::always_inline]] inline std::uint32_t index_field(const char* frame, std::uint32_t start,
                                                        std::uint32_t end, std::uint16_t& key,
                                                        FieldPlace& value,
                                                        const DataTags& data) noexcept {
  // Digits become 0 to 9. The lowest top bit that is set marks the first byte that is not a digit.
  // Carries do no harm, because they come from bytes that are not digits.
  const std::uint32_t text = static_cast<std::uint32_t>(load_word(frame + start)) ^ 0x3030'3030;
  const std::uint32_t no_digits = ((text + 0x7676'7676) | text) & 0x8080'8080;
  constexpr std::uint64_t kFifth = 0x80'0000'0000;
  const auto place = static_cast<std::uint32_t>(__builtin_ctzll(no_digits | kFifth));
  // The digits move to the bytes 3 to 6, the last one highest. Then the zeros that follow below do
  // not count, nor does the byte above.
  const std::uint64_t digits = std::uint64_t{text} << (~place & 63);
  const auto pairs = static_cast<std::uint32_t>(digits * (10 << 8 | 1) >> 32) & 0x00ff'00ff;
  const std::uint32_t tag = pairs * (100 << 16 | 1) >> 16;
  const std::uint32_t begin = start + place / 8 + 1;
  key = static_cast<std::uint16_t>(tag);
  value = {begin, end};
  if (frame[begin - 1] != '=') return 1;
  if (static_cast<std::uint8_t>(text - 1) > 8) return 1;  // a leading zero, or no tag
  if (begin == end) return 1;
  return (data.low_two[pairs >> 16] & data.high_two[pairs % 64]) != 0 ? 1 : 0;
}

inline std::uint32_t index_group(const char* frame, const std::uint32_t* starts,
                                 const FieldArrays& arrays, std::uint32_t entry,
                                 Patterns data) noexcept {
  return index_field(frame, starts[0], starts[1] - 1, arrays.keys[entry], arrays.places[entry],
                     *data);
}

#include "wire/kernels/generic/windows.inl.hpp"

// Adds up the first 16 bytes.
inline ByteSum sum_of_head(const char* frame) noexcept {
  const std::uint64_t one = load_word(frame);
  const std::uint64_t two = load_word(frame + 8);
  return sum_of_bytes(one + two, (one & kEven) + (two & kEven));
}

// Field by field, as the bits of a block show them: no list of starts is written. Another frame
// than one of ordinary fields is left to index_any_frame().
template <unsigned Policy>
[[gnu::always_inline]] inline std::uint32_t index_usual_frame(const char* frame, std::uint32_t size,
                                                              IndexWork& work) noexcept {
  const UsualFields head = usual_head(frame, size);
  if (head.bytes == 0) return 0;
  const FieldArrays arrays = work.arrays;
  put_entry(arrays, 0, 8, {2, head.body_length - 1});
  put_entry(arrays, 1, 9, {head.body_length + 2, head.bytes - 1});
  const std::uint32_t body_end = size - kTrailerBytes;
  ByteSum sum = sum_of_head(frame);
  std::uint16_t* key = arrays.keys + kHeadFields;
  FieldPlace* value = arrays.places + kHeadFields;
  std::uint32_t start = head.bytes;
  for (std::uint32_t at = start; at < body_end; at += kBlockBytes) {
    const std::uint32_t rest = body_end - at;
    const bool is_part = rest < kBlockBytes;
    const std::uint32_t block = is_part ? body_end - kBlockBytes : at;
    std::uint64_t bits =
        is_part ? soh_bits(frame + block, kKeep.at + rest, sum) : soh_bits(frame + block, sum);
    if (static_cast<std::uint32_t>(key - arrays.keys) > arrays.capacity) return 0;
    for (; bits != 0; bits &= bits - 1) {
      const std::uint32_t end = block + trailing_zeros(bits);
      if (index_field(frame, start, end, *key++, *value++, work.data) != 0) return 0;
      start = end + 1;
    }
  }
  const auto entry = static_cast<std::uint32_t>(key - arrays.keys);
  if (!has_good_end<Policy>(frame, size, head, total_of(sum)) || entry >= arrays.capacity) return 0;
  put_trailer(arrays, entry, size);
  return entry + 1;
}

#include "wire/kernels/generic/frames.inl.hpp"
#include "wire/kernels/generic/known_tags.inl.hpp"

// Writes the place of the value of the field in frame[start, end). No bit: its tag is the known
// one, and it has a value.
[[gnu::always_inline]] inline std::uint32_t match_field(const char* frame, std::uint32_t start,
                                                        std::uint32_t end, const TagTexts& known,
                                                        std::uint32_t field,
                                                        NarrowPlace* places) noexcept {
  const auto text = static_cast<std::uint32_t>(load_word(frame + start));
  const std::uint32_t begin = start + std::uint32_t{known.bytes[field]};
  const std::uint32_t bytes = end - begin;
  places[field] = {static_cast<std::uint8_t>(begin), static_cast<std::uint8_t>(bytes)};
  return ((text ^ known.lowest[field]) & known.tag_bits[field]) | (bytes - 1) >> 31;
}

[[gnu::always_inline]] inline bool match_known(const char* frame, const ShortStarts& starts,
                                               std::uint32_t fields, std::uint32_t size,
                                               TagSequence& sequence) noexcept {
  const TagTexts& known = sequence.texts();
  NarrowPlace* const places = sequence.places();
  std::uint32_t others = 0;
  for (std::uint32_t field = 0; field < fields; ++field) {
    others |= match_field(frame, starts.at[field], starts.at[field + 1] - 1U, known, field, places);
  }
  places[fields] = {static_cast<std::uint8_t>(size - 4), 3};  // CheckSum
  return others == 0 && are_long_tags(frame, starts.at, known);
}

inline std::uint64_t short_body(const char* body, std::uint32_t bytes, ByteSum& sum) noexcept {
  const std::uint32_t before = kBlockBytes - bytes;
  return soh_bits(body - before, kKeep.at + bytes, sum) >> before;
}

template <std::uint32_t kBegin>
[[gnu::always_inline]] inline std::uint32_t match_short(const char* frame, std::uint64_t soh,
                                                        TagSequence& sequence) noexcept {
  const TagTexts& known = sequence.texts();
  NarrowPlace* const places = sequence.places();
  if (known.fields == 0) return 0;
  const std::uint32_t last = known.fields - 1;
  std::uint32_t others = 0;
  std::uint32_t start = kBegin;
  std::uint32_t field = kFirstCompared;
  for (; soh != 0; soh &= soh - 1) {
    if (field >= last) return 0;
    const std::uint32_t end = kBegin + trailing_zeros(soh);
    others |= match_field(frame, start, end, known, field++, places);
    start = end + 1;
  }
  sequence.set_narrow(false);
  return others == 0 && field == last ? known.fields : 0;
}

#include "wire/kernels/generic/short_sequence.inl.hpp"
// After short_sequence.inl.hpp.
#include "wire/kernels/generic/find_sequence.inl.hpp"

bool supported() noexcept { return true; }

}  // namespace

extern const KernelTable kTable;
const KernelTable kTable{
    "scalar", supported,     {index_frame<0>, index_frame<1>, index_frame<2>, index_frame<3>},
    nullptr,  find_sequence, TagSequence::kFrameBytesMax};

}  // namespace nexusfix::wire::kernels::scalar
