#include "store/format/crc32c.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "store/format/byte_order.hpp"

#if defined(__x86_64__)
#include <nmmintrin.h>
#include <wmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#endif

namespace nexusfix::store {
namespace {

constexpr std::uint32_t kPolynomialReversed = 0x82F63B78;
constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
using Table = std::array<std::array<std::uint32_t, 256>, kWordBytes>;

// table[k][b] is what byte b adds to the checksum when k more bytes follow it in its word: eight
// look-ups then take a whole word (known as slicing by eight).
constexpr Table make_table() {
  Table table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) * kPolynomialReversed);
    table[0][byte] = crc;
  }
  for (std::size_t k = 1; k < kWordBytes; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t shorter = table[k - 1][byte];
      table[k][byte] = (shorter >> 8U) ^ table[0][shorter & 0xFFU];
    }
  }
  return table;
}

constexpr Table kTable = make_table();

std::uint32_t step(std::uint32_t state, char byte) noexcept {
  return (state >> 8U) ^ kTable[0][(state ^ static_cast<unsigned char>(byte)) & 0xFFU];
}

#if defined(__x86_64__)
// By carry-less multiplication: a register of 128 bits stands for a polynomial, and what lies n
// bits further on is added to it when it is multiplied by x^n, modulo the polynomial. Four
// registers, so that none waits for itself; at the end they become one, and the CRC instruction
// reduces that. A product of reflected numbers lies one bit too low, which the constants make up
// for.
constexpr std::uint64_t reflected_power_of_x(unsigned exponent) {
  std::uint32_t power = 1U << 31U;  // x^0
  for (; exponent > 0; --exponent) {
    power = (power >> 1U) ^ ((power & 1U) * kPolynomialReversed);
  }
  return std::uint64_t{power} << 1U;
}

constexpr std::size_t kBlockBytes = 16;
constexpr std::size_t kLanes = 4;
constexpr std::size_t kStrideBytes = kLanes * kBlockBytes;
// Below this, a word at a time takes less time.
constexpr std::size_t kFoldedMin = 160;
constexpr unsigned kStrideBits = 8 * kStrideBytes;
constexpr unsigned kBlockBits = 8 * kBlockBytes;
// For the lower and the upper half of a register, over a stride and over a block.
constexpr std::uint64_t kStrideLow = reflected_power_of_x(kStrideBits + 32);
constexpr std::uint64_t kStrideHigh = reflected_power_of_x(kStrideBits - 32);
constexpr std::uint64_t kBlockLow = reflected_power_of_x(kBlockBits + 32);
constexpr std::uint64_t kBlockHigh = reflected_power_of_x(kBlockBits - 32);

#define NEXUSFIX_CRC_TARGET __attribute__((target("sse4.2,pclmul")))

NEXUSFIX_CRC_TARGET inline __m128i constants(std::uint64_t high, std::uint64_t low) noexcept {
  return _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
}

NEXUSFIX_CRC_TARGET inline __m128i moved_onto(__m128i next, __m128i value, __m128i by) noexcept {
  const __m128i low = _mm_clmulepi64_si128(value, by, 0x00);
  const __m128i high = _mm_clmulepi64_si128(value, by, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

inline std::uint64_t word_at(const char* bytes) noexcept {
  return load_little_endian<std::uint64_t>(bytes);
}

// One block of the input, read at this offset from at. It is copied to out if copies is true;
// otherwise out is null, and nothing may be added to it.
template <bool copies>
NEXUSFIX_CRC_TARGET inline __m128i take_block(const char* at, char* out,
                                              std::size_t offset = 0) noexcept {
  const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + offset));
  if constexpr (copies) _mm_storeu_si128(reinterpret_cast<__m128i*>(out + offset), block);
  return block;
}

// At least kStrideBytes; leaves less than a block of them. The lanes have names, because the
// compiler keeps an array of them in memory.
template <bool copies>
NEXUSFIX_CRC_TARGET inline std::uint64_t fold(std::uint64_t state, const char*& at,
                                              std::size_t& left, char*& out) noexcept {
  const auto go_on = [&](std::size_t count) {
    at += count;
    left -= count;
    if constexpr (copies) out += count;
  };
  __m128i first = take_block<copies>(at, out);
  __m128i second = take_block<copies>(at, out, kBlockBytes);
  __m128i third = take_block<copies>(at, out, 2 * kBlockBytes);
  __m128i fourth = take_block<copies>(at, out, 3 * kBlockBytes);
  first = _mm_xor_si128(first, _mm_cvtsi64_si128(static_cast<long long>(state)));
  go_on(kStrideBytes);
  const __m128i stride = constants(kStrideHigh, kStrideLow);
  for (; left >= kStrideBytes; go_on(kStrideBytes)) {
    first = moved_onto(take_block<copies>(at, out), first, stride);
    second = moved_onto(take_block<copies>(at, out, kBlockBytes), second, stride);
    third = moved_onto(take_block<copies>(at, out, 2 * kBlockBytes), third, stride);
    fourth = moved_onto(take_block<copies>(at, out, 3 * kBlockBytes), fourth, stride);
  }
  const __m128i block = constants(kBlockHigh, kBlockLow);
  __m128i all = moved_onto(second, first, block);
  all = moved_onto(third, all, block);
  all = moved_onto(fourth, all, block);
  for (; left >= kBlockBytes; go_on(kBlockBytes)) {
    all = moved_onto(take_block<copies>(at, out), all, block);
  }
  const auto low = static_cast<std::uint64_t>(_mm_cvtsi128_si64(all));
  const auto high = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(all, all)));
  return _mm_crc32_u64(_mm_crc32_u64(0, low), high);
}

// state and result are not inverted. Valid only where crc32c_hardware() found the instructions.
template <bool copies>
NEXUSFIX_CRC_TARGET inline std::uint64_t take(std::uint64_t state, std::span<const char> bytes,
                                              char* out) noexcept {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  if (left < kWordBytes) {
    for (std::size_t i = 0; i < left; ++i) {
      state = _mm_crc32_u8(static_cast<std::uint32_t>(state), static_cast<unsigned char>(at[i]));
      if constexpr (copies) out[i] = at[i];
    }
    return state;
  }
  if (left >= kFoldedMin) state = fold<copies>(state, at, left, out);
  for (; left >= kWordBytes; at += kWordBytes, left -= kWordBytes) {
    state = _mm_crc32_u64(state, word_at(at));
    if constexpr (copies) {
      std::memcpy(out, at, kWordBytes);
      out += kWordBytes;
    }
  }
  if (left == 0) return state;
  // The last 1 to 7 bytes become the upper bytes of a word whose lower ones are zeros. Zeros before
  // a message do not change its sum, if the state is added after them.
  const std::uint64_t last = word_at(at + left - kWordBytes);
  if constexpr (copies) std::memcpy(out + left - kWordBytes, at + left - kWordBytes, kWordBytes);
  const unsigned shift = 8 * static_cast<unsigned>(kWordBytes - left);
  const std::uint64_t upper = (last & (~std::uint64_t{0} << shift)) ^ (state << shift);
  const std::uint64_t upper_state = left < sizeof(std::uint32_t) ? state >> (8 * left) : 0;
  return _mm_crc32_u64(0, upper) ^ upper_state;
}

NEXUSFIX_CRC_TARGET std::uint32_t by_instruction(std::uint32_t crc,
                                                 std::span<const char> bytes) noexcept {
  return ~static_cast<std::uint32_t>(take<false>(~crc, bytes, nullptr));
}

NEXUSFIX_CRC_TARGET std::uint32_t copy_by_instruction(std::uint32_t crc, const Crc32cFront& front,
                                                      std::span<const char> bytes,
                                                      char* out) noexcept {
  std::uint64_t state = _mm_crc32_u64(~crc, front.first);
  state = _mm_crc32_u64(state, front.second);
  state = _mm_crc32_u32(static_cast<std::uint32_t>(state), front.third);
  return ~static_cast<std::uint32_t>(take<true>(state, bytes, out));
}

bool has_instruction() noexcept {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}
#elif defined(__aarch64__)
// An extension of ARMv8.0, part of all later ones.
#define NEXUSFIX_CRC_TARGET __attribute__((target("+crc")))

// state and result are not inverted. Valid only where crc32c_hardware() found the instructions.
NEXUSFIX_CRC_TARGET inline std::uint32_t take(std::uint32_t state,
                                              std::span<const char> bytes) noexcept {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= kWordBytes; at += kWordBytes, left -= kWordBytes) {
    state = __crc32cd(state, load_little_endian<std::uint64_t>(at));
  }
  if (left >= sizeof(std::uint32_t)) {
    state = __crc32cw(state, load_little_endian<std::uint32_t>(at));
    at += sizeof(std::uint32_t);
    left -= sizeof(std::uint32_t);
  }
  for (; left > 0; ++at, --left) state = __crc32cb(state, static_cast<unsigned char>(*at));
  return state;
}

NEXUSFIX_CRC_TARGET std::uint32_t by_instruction(std::uint32_t crc,
                                                 std::span<const char> bytes) noexcept {
  return ~take(~crc, bytes);
}

NEXUSFIX_CRC_TARGET std::uint32_t copy_by_instruction(std::uint32_t crc, const Crc32cFront& front,
                                                      std::span<const char> bytes,
                                                      char* out) noexcept {
  std::uint32_t state = __crc32cd(~crc, front.first);
  state = __crc32cd(state, front.second);
  state = __crc32cw(state, front.third);
  std::copy(bytes.begin(), bytes.end(), out);
  return ~take(state, bytes);
}

bool has_instruction() noexcept { return (::getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }
#endif

std::uint32_t copy_portably(std::uint32_t crc, const Crc32cFront& front,
                            std::span<const char> bytes, char* out) noexcept {
  std::array<char, 2 * sizeof(std::uint64_t) + sizeof(std::uint32_t)> text;
  store_little_endian(text.data(), front.first);
  store_little_endian(text.data() + sizeof front.first, front.second);
  store_little_endian(text.data() + 2 * sizeof front.first, front.third);
  crc = crc32c_portable(crc32c_portable(crc, text), bytes);
  std::copy(bytes.begin(), bytes.end(), out);
  return crc;
}

}  // namespace

std::uint32_t crc32c_portable(std::uint32_t crc, std::span<const char> bytes) noexcept {
  std::uint32_t state = ~crc;
  while (bytes.size() >= kWordBytes) {
    const std::uint64_t word = load_little_endian<std::uint64_t>(bytes.data()) ^ state;
    state = 0;
    for (std::size_t k = 0; k < kWordBytes; ++k) {
      state ^= kTable[kWordBytes - 1 - k][(word >> (8 * k)) & 0xFFU];
    }
    bytes = bytes.subspan(kWordBytes);
  }
  for (const char byte : bytes) state = step(state, byte);
  return ~state;
}

Crc32cFunction crc32c_hardware() noexcept {
#if defined(NEXUSFIX_CRC_TARGET)
  if (has_instruction()) return &by_instruction;
#endif
  return nullptr;
}

Crc32cCopyFunction crc32c_copy_portable() noexcept { return &copy_portably; }

std::uint32_t crc32c(std::uint32_t crc, std::span<const char> bytes) noexcept {
  static const Crc32cFunction chosen =
      crc32c_hardware() != nullptr ? crc32c_hardware() : &crc32c_portable;
  return chosen(crc, bytes);
}

namespace {

std::uint32_t choose_and_copy(std::uint32_t crc, const Crc32cFront& front,
                              std::span<const char> bytes, char* out) noexcept {
  Crc32cCopyFunction chosen = &copy_portably;
#if defined(NEXUSFIX_CRC_TARGET)
  if (has_instruction()) chosen = &copy_by_instruction;
#endif
  detail::crc32c_copy_chosen.store(chosen, std::memory_order_relaxed);
  return chosen(crc, front, bytes, out);
}

}  // namespace

constinit std::atomic<Crc32cCopyFunction> detail::crc32c_copy_chosen{&choose_and_copy};

}  // namespace nexusfix::store
