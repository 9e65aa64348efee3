// The kernel for any machine: eight bytes at a time in an ordinary register.
#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::wire::kernels::scalar {

namespace {

#include "wire/kernels/generic/slow_path.inl.hpp"

constexpr std::uint32_t kUsualFields = 6;
constexpr std::uint32_t kGroupFields = 1;
constexpr std::uint32_t kTagBytesRead = 8;

constexpr std::uint64_t kEach = 0x0101'0101'0101'0101;  // times a byte: that byte eight times
constexpr std::uint64_t kTopBits = 0x80 * kEach;

inline std::uint32_t trailing_zeros(std::uint64_t bits) noexcept {
  return static_cast<std::uint32_t>(__builtin_ctzll(bits | (std::uint64_t{1} << 63)));
}

// Not every x86-64 has the instruction for it, and the library's function uses a table.
inline std::uint32_t bit_count(std::uint64_t bits) noexcept {
  bits -= bits >> 1 & 0x55 * kEach;
  bits = (bits & 0x33 * kEach) + (bits >> 2 & 0x33 * kEach);
  bits = (bits + (bits >> 4)) & 0x0f * kEach;
  return static_cast<std::uint32_t>(bits * kEach >> 56);
}

using ByteSum = std::uint64_t;

inline ByteSum no_bytes() noexcept { return 0; }
inline std::uint32_t total_of(ByteSum sum) noexcept { return static_cast<std::uint32_t>(sum); }

inline std::uint64_t kept(std::uint64_t constant) noexcept {
  __asm__("" : "+r"(constant));
  return constant;
}

// Sums of bytes and a bit for each SOH, of eight words of eight bytes.
struct BlockScan {
  std::uint64_t others = 0;  // a bit for each byte that is no SOH
  std::uint64_t all = 0;     // the sum of the words
  std::uint64_t even = 0;    // of their bytes at even places, in lanes of 16 bits

  void add(std::uint64_t bytes, std::uint32_t number) noexcept {
    const std::uint64_t differences = bytes ^ each_soh;
    const std::uint64_t differ = ((differences & ~kTopBits) + ~kTopBits) | differences;
    // Moves the top bit of each byte into the highest byte, to the bit with the byte's number.
    constexpr std::uint64_t kGather = 0x0002'0408'1020'4081;
    others |= (differ & kTopBits) * kGather >> 56 << 8 * number;
    all += bytes;
    even += bytes & kEvenBytes;
  }
  // The low eight bits count.
  [[nodiscard]] std::uint64_t sum() const noexcept {
    // The rest of the lanes comes from the bytes at odd positions. The highest lane wraps.
    const std::uint64_t lanes = even + ((all - even) >> 8);
    return lanes * 0x0001'0001'0001'0001 >> 48;
  }

  // A constant that the compiler would otherwise make again for every word.
  std::uint64_t each_soh = kept(kEach);

  static constexpr std::uint64_t kEvenBytes = 0x00ff'00ff'00ff'00ff;
};

// Sums the first 16 bytes: frames.inl.hpp adds what a head has more or less.
inline ByteSum sum_of_head(const char* frame) noexcept {
  constexpr std::uint64_t kEven = BlockScan::kEvenBytes;
  const std::uint64_t one = load_word(frame);
  const std::uint64_t two = load_word(frame + 8);
  const std::uint64_t lanes =
      (one & kEven) + (one >> 8 & kEven) + (two & kEven) + (two >> 8 & kEven);
  return lanes * 0x0001'0001'0001'0001 >> 48;
}

inline std::uint64_t soh_bits(const char* block, ByteSum& sum) noexcept {
  BlockScan scan;
#pragma GCC unroll 8
  for (std::uint32_t i = 0; i < 8; ++i) scan.add(load_word(block + 8 * i), i);
  sum += scan.sum();
  return ~scan.others;
}

inline std::uint64_t soh_bits(const char* block, const unsigned char* keep, ByteSum& sum) noexcept {
  BlockScan scan;
  const char* const kept = reinterpret_cast<const char*>(keep);
#pragma GCC unroll 8
  for (std::uint32_t i = 0; i < 8; ++i) {
    scan.add(load_word(block + 8 * i) & load_word(kept + 8 * i), i);
  }
  sum += scan.sum();
  return ~scan.others;
}

// Constants that the compiler would otherwise make again for every field.
struct Patterns {
  std::uint64_t ascii_zeros = '0' * kEach;
  std::uint64_t above_nine = 0x76 * kEach;  // added to a byte above nine, sets its top bit
  const DataTags* data = nullptr;
};
inline Patterns patterns(const DataTags& data) noexcept {
  Patterns all{.data = &data};
  __asm__("" : "+r"(all.ascii_zeros), "+r"(all.above_nine));
  return all;
}

inline std::uint32_t index_group(const char* frame, const std::uint32_t* starts,
                                 const FieldArrays& arrays, std::uint32_t entry,
                                 const Patterns& all) noexcept {
  // Digits become 0 to 9. The lowest top bit that is set marks the first byte of the first four
  // that is not a digit; without one, the fifth byte counts as the end. Carries do no harm, because
  // they come from bytes that are not digits.
  const std::uint64_t text = load_word(frame + starts[0]) ^ all.ascii_zeros;
  constexpr std::uint64_t kFirstFour = 0x8080'8080;
  constexpr std::uint64_t kFifth = 0x80'0000'0000;
  const std::uint64_t no_digits = ((text + all.above_nine) | text) & kFirstFour;
  const auto place = static_cast<std::uint32_t>(__builtin_ctzll(no_digits | kFifth));
  // The digits move to the top of four bytes. Then the zeros that follow below do not count.
  const auto digits = static_cast<std::uint32_t>(text << 8 << (~place & 63) >> 32);
  const std::uint32_t pairs = (digits * 10 + (digits >> 8)) & 0x00ff'00ff;
  const std::uint32_t tag = pairs * (100 << 16 | 1) >> 16;
  const std::uint32_t begin = starts[0] + place / 8 + 1;
  const std::uint32_t end = starts[1] - 1;
  arrays.keys[entry] = static_cast<std::uint16_t>(tag);
  arrays.places[entry] = {begin, end};
  if (frame[begin - 1] != '=') return 1;
  if (static_cast<std::uint8_t>(text - 1) > 8) return 1;  // a leading zero, or no tag
  if (begin == end) return 1;
  return (all.data->low_two[pairs >> 16] & all.data->high_two[pairs % 64]) != 0 ? 1 : 0;
}

#include "wire/kernels/generic/bit_starts.inl.hpp"
#include "wire/kernels/generic/frames.inl.hpp"

bool supported() noexcept { return true; }

}  // namespace

extern const KernelTable kTable;
const KernelTable kTable{"scalar",
                         supported,
                         {index_frame<0>, index_frame<1>, index_frame<2>, index_frame<3>},
                         nullptr,
                         nullptr};

}  // namespace nexusfix::wire::kernels::scalar
