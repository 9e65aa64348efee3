// The kernel for 64-bit ARM, which always has NEON: blocks of 64 bytes in four registers, four tags
// at a time.
#include "wire/kernels/kernel_table.hpp"

#if defined(__aarch64__)

#include <arm_neon.h>

namespace nexusfix::wire::kernels::neon {

namespace {

#include "wire/kernels/generic/slow_path.inl.hpp"

constexpr std::uint32_t kUsualFields = 8;
constexpr std::uint32_t kGroupFields = 4;
constexpr std::uint32_t kTagBytesRead = 5;

inline std::uint32_t trailing_zeros(std::uint64_t bits) noexcept {
  // The instructions return 64 if no bit is set, so the comparison compiles to nothing.
  return bits == 0 ? 64 : static_cast<std::uint32_t>(__builtin_ctzll(bits));
}
inline std::uint32_t bit_count(std::uint64_t bits) noexcept {
  return static_cast<std::uint32_t>(__builtin_popcountll(bits));
}

// Lanes of bytes. They may wrap.
using ByteSum = uint8x16_t;

inline ByteSum no_bytes() noexcept { return vdupq_n_u8(0); }
inline std::uint32_t total_of(ByteSum sum) noexcept { return vaddvq_u8(sum); }

// Sums the first 16 bytes: frames.inl.hpp adds what a head has more or less.
inline ByteSum sum_of_head(const char* frame) noexcept {
  return vld1q_u8(reinterpret_cast<const std::uint8_t*>(frame));
}

struct Block {
  uint8x16_t parts[4];
};

inline Block load_block(const void* from) noexcept {
  const auto* const bytes = static_cast<const std::uint8_t*>(from);
  return {{vld1q_u8(bytes), vld1q_u8(bytes + 16), vld1q_u8(bytes + 32), vld1q_u8(bytes + 48)}};
}

inline std::uint64_t soh_bits_of(const Block& block, ByteSum& sum) noexcept {
  const uint8x16_t soh = vdupq_n_u8(1);
  const uint8x16_t weights =
      vreinterpretq_u8_u64(vdupq_n_u64(0x8040'2010'0804'0201));  // 1 in the lowest byte
  const uint8x16_t(&p)[4] = block.parts;
  sum = vaddq_u8(sum, vaddq_u8(vaddq_u8(p[0], p[1]), vaddq_u8(p[2], p[3])));
  // Adding neighbours three times makes one byte of eight.
  const uint8x16_t low =
      vpaddq_u8(vandq_u8(vceqq_u8(p[0], soh), weights), vandq_u8(vceqq_u8(p[1], soh), weights));
  const uint8x16_t high =
      vpaddq_u8(vandq_u8(vceqq_u8(p[2], soh), weights), vandq_u8(vceqq_u8(p[3], soh), weights));
  const uint8x16_t fours = vpaddq_u8(low, high);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(fours, fours)), 0);
}

inline std::uint64_t soh_bits(const char* block, ByteSum& sum) noexcept {
  return soh_bits_of(load_block(block), sum);
}

inline std::uint64_t soh_bits(const char* block, const unsigned char* keep, ByteSum& sum) noexcept {
  Block kept = load_block(block);
  const Block mask = load_block(keep);
  for (std::uint32_t i = 0; i < 4; ++i) kept.parts[i] = vandq_u8(kept.parts[i], mask.parts[i]);
  return soh_bits_of(kept, sum);
}

// DataTags::digits.
struct Patterns {
  const DataTags* data;
  uint8x16_t length_digits[3];
};
inline Patterns patterns(const DataTags& data) noexcept {
  return {&data, {vld1q_u8(data.digits[0]), vld1q_u8(data.digits[1]), vld1q_u8(data.digits[2])}};
}

inline std::uint32_t load_four(const char* from) noexcept {
  std::uint32_t bytes;
  __builtin_memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

// Nonzero in each lane whose tag of up to three digits may be a Length tag. digits: the ones in the
// highest byte.
inline uint32x4_t may_be_lengths(const Patterns& all, uint8x16_t digits) noexcept {
  const auto entries = [&](std::uint32_t i) noexcept {
    return vreinterpretq_u32_u8(vqtbl1q_u8(all.length_digits[i], digits));
  };
  const uint32x4_t upper = vandq_u32(entries(1), vshlq_n_u32(entries(2), 8));
  return vandq_u32(entries(0), vshlq_n_u32(upper, 8));
}

// One bit for each lane that is not 0.
inline std::uint32_t lane_bits(uint32x4_t lanes) noexcept {
  constexpr std::uint32_t kBits[4] = {1, 2, 4, 8};
  return vaddvq_u32(vandq_u32(vtstq_u32(lanes, lanes), vld1q_u32(kBits)));
}

inline std::uint32_t index_group(const char* frame, const std::uint32_t* starts,
                                 const FieldArrays& arrays, std::uint32_t entry,
                                 const Patterns& all) noexcept {
  // All bits of the bytes before the first `=`.
  uint32x4_t words = vdupq_n_u32(load_four(frame + starts[0]));
  words = vsetq_lane_u32(load_four(frame + starts[1]), words, 1);
  words = vsetq_lane_u32(load_four(frame + starts[2]), words, 2);
  words = vsetq_lane_u32(load_four(frame + starts[3]), words, 3);
  const uint8x16_t text = vreinterpretq_u8_u32(words);
  const uint32x4_t equals = vreinterpretq_u32_u8(vceqq_u8(text, vdupq_n_u8('=')));
  const uint32x4_t tag_bytes = vbicq_u32(vsubq_u32(equals, vdupq_n_u32(1)), equals);

  // Digits become 0 to 9 and move to the top. Then the zeros that follow below do not count.
  const uint32x4_t tag_bits = vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u32(tag_bytes))));
  const uint32x4_t digits = vshlq_u32(vreinterpretq_u32_u8(veorq_u8(text, vdupq_n_u8('0'))),
                                      vreinterpretq_s32_u32(vsubq_u32(vdupq_n_u32(32), tag_bits)));
  const uint16x8_t pairs =
      vpaddlq_u8(vmulq_u8(vreinterpretq_u8_u32(digits), vreinterpretq_u8_u16(vdupq_n_u16(0x010a))));
  const uint32x4_t tags =
      vpaddlq_u16(vmulq_u16(pairs, vreinterpretq_u16_u32(vdupq_n_u32(0x0001'0064))));

  const uint32x4_t ends = vsubq_u32(vld1q_u32(starts + 1), vdupq_n_u32(1));
  const uint32x4_t begins =
      vaddq_u32(vaddq_u32(vld1q_u32(starts), vdupq_n_u32(1)), vshrq_n_u32(tag_bits, 3));
  vst2q_u32(&arrays.places[entry].begin, {{begins, ends}});
  vst1_u16(arrays.keys + entry, vmovn_u32(tags));

  // Digits without a leading zero. The first byte is checked even if there is no tag.
  const uint32x4_t low_bytes = vdupq_n_u32(0xff);
  const uint8x16_t above_first = vsubq_u8(text, vreinterpretq_u8_u32(vdupq_n_u32(0x3030'3031)));
  const uint8x16_t looked_at =
      vandq_u8(above_first, vreinterpretq_u8_u32(vorrq_u32(tag_bytes, low_bytes)));
  const uint32x4_t no_digits =
      vreinterpretq_u32_u8(vcgtq_u8(looked_at, vreinterpretq_u8_u32(vdupq_n_u32(0x0909'0908))));
  const uint32x4_t lengths = may_be_lengths(all, vreinterpretq_u8_u32(digits));
  std::uint32_t slow = lane_bits(vorrq_u32(vorrq_u32(no_digits, lengths), vceqq_u32(begins, ends)));
  const std::uint32_t four_digits = lane_bits(vceqq_u32(tag_bytes, vdupq_n_u32(~0U)));
  if (four_digits != 0) [[unlikely]]
    slow |= not_ordinary(frame, starts, arrays.keys + entry, *all.data, four_digits);
  return slow;
}

constexpr std::uint32_t kVectorBytes = sizeof(ByteSum);

inline ByteSum load_vector(const void* from) noexcept {
  return vld1q_u8(static_cast<const std::uint8_t*>(from));
}
inline ByteSum of_both(ByteSum one, ByteSum other) noexcept { return vandq_u8(one, other); }
inline ByteSum of_either(ByteSum one, ByteSum other) noexcept { return vorrq_u8(one, other); }
inline ByteSum sum_of(ByteSum one, ByteSum other) noexcept { return vaddq_u8(one, other); }
inline ByteSum beyond(ByteSum bytes, ByteSum lowest, ByteSum width) noexcept {
  return vqsubq_u8(vsubq_u8(bytes, lowest), width);
}
inline bool is_none(ByteSum bytes) noexcept { return vmaxvq_u8(bytes) == 0; }

#include "wire/kernels/generic/bit_starts.inl.hpp"
#include "wire/kernels/generic/windows.inl.hpp"
// After windows.inl.hpp.
#include "wire/kernels/generic/usual_frames.inl.hpp"
// After usual_frames.inl.hpp.
#include "wire/kernels/generic/frames.inl.hpp"
// After frames.inl.hpp.
#include "wire/kernels/generic/fits.inl.hpp"

// NEON is part of the base instruction set.
bool supported() noexcept { return true; }

}  // namespace

extern const KernelTable kTable;
const KernelTable kTable{"neon",
                         supported,
                         {index_frame<0>, index_frame<1>, index_frame<2>, index_frame<3>},
                         fits,
                         nullptr};

}  // namespace nexusfix::wire::kernels::neon

#endif
