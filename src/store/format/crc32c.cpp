#include "store/api/crc32c.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "store/format/byte_order.hpp"

#if defined(__x86_64__)
// g++ 12 warns about its own intrinsics, whose "undefined" operand is never read.
#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif
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

// What is summed before a record's bytes, after the offset: their number and the time.
struct Front {
  std::uint64_t first = 0;
  std::uint32_t second = 0;
};
inline Front front_of(std::size_t count, std::uint64_t time) noexcept {
  return {.first = count | time << 32U, .second = static_cast<std::uint32_t>(time >> 32U)};
}
constexpr std::size_t kHeadBytes = 2 * sizeof(std::uint64_t);
// After the bytes. A reader of another process that sees the last store sees all of the record.
inline void put_head(char* out, std::uint64_t sum, std::size_t count, std::uint64_t time) noexcept {
  store_little_endian(out + kWordBytes, time);
  store_little_endian(out, static_cast<std::uint32_t>(sum) | std::uint64_t{count} << 32U);
}

namespace portable {

std::uint32_t sum(std::uint32_t crc, std::span<const char> bytes) noexcept {
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

void write_record(char* out, std::span<const char> bytes, std::uint32_t crc, std::uint64_t offset,
                  std::uint64_t time) noexcept {
  const Front front = front_of(bytes.size(), time);
  std::array<char, 2 * sizeof(std::uint64_t) + sizeof(std::uint32_t)> text;
  store_little_endian(text.data(), offset);
  store_little_endian(text.data() + sizeof offset, front.first);
  store_little_endian(text.data() + sizeof offset + sizeof front.first, front.second);
  std::copy(bytes.begin(), bytes.end(), out + kHeadBytes);
  put_head(out, sum(sum(crc, text), bytes), bytes.size(), time);
}

}  // namespace portable

#if defined(__x86_64__)
// By carry-less multiplication: a register of 128 bits stands for a polynomial, and what lies n
// bits further on is added to it when it is multiplied by x^n, modulo the polynomial. At the end
// there is one register, and the CRC instruction reduces that. A product of reflected numbers lies
// one bit too low, which the constants make up for.
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

// What moves a block by this number of bytes: for its lower and its upper half.
struct Move {
  long long low = 0;
  long long high = 0;
};
constexpr Move move_by(std::size_t bytes) {
  const auto bits = static_cast<unsigned>(8 * bytes);
  return {.low = static_cast<long long>(reflected_power_of_x(bits + 32)),
          .high = static_cast<long long>(reflected_power_of_x(bits - 32))};
}
constexpr Move kStrideMove = move_by(kStrideBytes);
constexpr Move kThreeBlocksMove = move_by(3 * kBlockBytes);
constexpr Move kTwoBlocksMove = move_by(2 * kBlockBytes);
constexpr Move kBlockMove = move_by(kBlockBytes);

// Below this, a word at a time takes less time.
constexpr std::size_t kFoldedMin = 96;
static_assert(kFoldedMin >= kStrideBytes);

// In all functions below, state and result are not inverted. They copy the bytes to out if copies
// is true; otherwise out is null.
#define NEXUSFIX_CRC_TARGET __attribute__((target("sse4.2")))

NEXUSFIX_CRC_TARGET inline std::uint64_t crc_of_front(std::uint32_t crc, std::uint64_t offset,
                                                      const Front& front) noexcept {
  const std::uint64_t state = _mm_crc32_u64(_mm_crc32_u64(~crc, offset), front.first);
  return _mm_crc32_u32(static_cast<std::uint32_t>(state), front.second);
}

inline std::uint64_t word_at(const char* bytes) noexcept {
  return load_little_endian<std::uint64_t>(bytes);
}

// A word at a time.
template <bool copies>
NEXUSFIX_CRC_TARGET inline std::uint64_t read_words(std::uint64_t state, const char* at,
                                                    std::size_t left, char* out) noexcept {
  if (left < kWordBytes) {
    for (std::size_t i = 0; i < left; ++i) {
      state = _mm_crc32_u8(static_cast<std::uint32_t>(state), static_cast<unsigned char>(at[i]));
      if constexpr (copies) out[i] = at[i];
    }
    return state;
  }
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

// Blocks in registers of 128 bits, with the instructions of AVX, which copy no register.
namespace avx {

#define NEXUSFIX_CRC_AVX __attribute__((target("avx,pclmul")))

NEXUSFIX_CRC_AVX inline __m128i constants(Move move) noexcept {
  return _mm_set_epi64x(move.high, move.low);
}

NEXUSFIX_CRC_AVX inline __m128i moved_onto(__m128i next, __m128i value, __m128i by) noexcept {
  const __m128i low = _mm_clmulepi64_si128(value, by, 0x00);
  const __m128i high = _mm_clmulepi64_si128(value, by, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

template <bool copies>
NEXUSFIX_CRC_AVX inline __m128i load_block(const char* bytes, char* out, std::size_t at) noexcept {
  const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at));
  if constexpr (copies) _mm_storeu_si128(reinterpret_cast<__m128i*>(out + at), block);
  return block;
}

NEXUSFIX_CRC_AVX inline std::uint64_t reduced(__m128i all) noexcept {
  const auto low = static_cast<std::uint64_t>(_mm_cvtsi128_si64(all));
  const auto high = static_cast<std::uint64_t>(_mm_extract_epi64(all, 1));
  return _mm_crc32_u64(_mm_crc32_u64(0, low), high);
}

// 16 of them select the bytes of a block from the first one on; 0x80 is a zero.
constexpr auto kSelections = [] {
  std::array<char, 3 * kBlockBytes> all{};
  all.fill(static_cast<char>(0x80));
  for (std::size_t i = 0; i < kBlockBytes; ++i) all[kBlockBytes + i] = static_cast<char>(i);
  return all;
}();

// At least kFoldedMin bytes. Four lanes, so that none waits for itself. They have names, because
// the compiler keeps an array of them in memory.
template <bool copies>
NEXUSFIX_CRC_AVX inline std::uint64_t fold(std::uint64_t state, const char* bytes,
                                           std::size_t count, char* out) noexcept {
  __m128i first =
      _mm_xor_si128(load_block<copies>(bytes, out, 0), _mm_cvtsi32_si128(static_cast<int>(state)));
  __m128i second = load_block<copies>(bytes, out, kBlockBytes);
  __m128i third = load_block<copies>(bytes, out, 2 * kBlockBytes);
  __m128i fourth = load_block<copies>(bytes, out, 3 * kBlockBytes);
  const __m128i stride = constants(kStrideMove);
  std::size_t at = kStrideBytes;
  for (; at + kStrideBytes <= count; at += kStrideBytes) {
    first = moved_onto(load_block<copies>(bytes, out, at), first, stride);
    second = moved_onto(load_block<copies>(bytes, out, at + kBlockBytes), second, stride);
    third = moved_onto(load_block<copies>(bytes, out, at + 2 * kBlockBytes), third, stride);
    fourth = moved_onto(load_block<copies>(bytes, out, at + 3 * kBlockBytes), fourth, stride);
  }
  const __m128i block = constants(kBlockMove);
  __m128i all = moved_onto(second, first, block);
  all = moved_onto(third, all, block);
  all = moved_onto(fourth, all, block);
  for (; at + kBlockBytes <= count; at += kBlockBytes)
    all = moved_onto(load_block<copies>(bytes, out, at), all, block);
  // The last 0 to 15 bytes. As many of the first ones in the register become a block after zeros,
  // the others become the next block, together with the last ones.
  const char* const selections = kSelections.data() + (count - at);
  const auto select = [selections](std::size_t from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(selections + from));
  };
  const __m128i others = select(kBlockBytes);
  const __m128i next = _mm_blendv_epi8(_mm_shuffle_epi8(all, others),
                                       load_block<copies>(bytes, out, count - kBlockBytes), others);
  return reduced(moved_onto(next, _mm_shuffle_epi8(all, select(0)), block));
}

NEXUSFIX_CRC_AVX std::uint32_t sum(std::uint32_t crc, std::span<const char> bytes) noexcept {
  const std::uint64_t sum = bytes.size() >= kFoldedMin
                                ? fold<false>(~crc, bytes.data(), bytes.size(), nullptr)
                                : read_words<false>(~crc, bytes.data(), bytes.size(), nullptr);
  return ~static_cast<std::uint32_t>(sum);
}

// Apart, so that a longer one needs no saved registers.
[[gnu::noinline]] NEXUSFIX_CRC_AVX void write_small_record(char* out, std::span<const char> bytes,
                                                           std::uint32_t crc, std::uint64_t offset,
                                                           std::uint64_t time) noexcept {
  const std::uint64_t state = crc_of_front(crc, offset, front_of(bytes.size(), time));
  const auto sum = read_words<true>(state, bytes.data(), bytes.size(), out + kHeadBytes);
  put_head(out, ~sum, bytes.size(), time);
}

NEXUSFIX_CRC_AVX void write_record(char* out, std::span<const char> bytes, std::uint32_t crc,
                                   std::uint64_t offset, std::uint64_t time) noexcept {
  if (bytes.size() < kFoldedMin) return write_small_record(out, bytes, crc, offset, time);
  const std::uint64_t state = crc_of_front(crc, offset, front_of(bytes.size(), time));
  const auto sum = fold<true>(state, bytes.data(), bytes.size(), out + kHeadBytes);
  put_head(out, ~sum, bytes.size(), time);
}

bool is_available() noexcept {
  return __builtin_cpu_supports("avx") && __builtin_cpu_supports("pclmul");
}

}  // namespace avx

// Four blocks in a register of 512 bits.
namespace avx512 {

#define NEXUSFIX_CRC_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512vbmi,vpclmulqdq,avx2,pclmul")))

NEXUSFIX_CRC_AVX512 inline __m512i constants(Move first, Move second, Move third,
                                             Move fourth) noexcept {
  return _mm512_set_epi64(fourth.high, fourth.low, third.high, third.low, second.high, second.low,
                          first.high, first.low);
}

NEXUSFIX_CRC_AVX512 inline __m512i moved_onto(__m512i next, __m512i value, __m512i by) noexcept {
  constexpr int kXorOfAll = 0x96;
  return _mm512_ternarylogic_epi64(next, _mm512_clmulepi64_epi128(value, by, 0x00),
                                   _mm512_clmulepi64_epi128(value, by, 0x11), kXorOfAll);
}

template <bool copies>
NEXUSFIX_CRC_AVX512 inline __m512i load_stride(const char* bytes, char* out,
                                               std::size_t at) noexcept {
  const __m512i stride = _mm512_loadu_si512(bytes + at);
  if constexpr (copies) _mm512_storeu_si512(out + at, stride);
  return stride;
}

alignas(kStrideBytes) constexpr auto kPlaces = [] {
  std::array<char, kStrideBytes> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<char>(i);
  return all;
}();

// At least kFoldedMin bytes.
template <bool copies>
NEXUSFIX_CRC_AVX512 inline std::uint64_t fold(std::uint64_t state, const char* bytes,
                                              std::size_t count, char* out) noexcept {
  const __m512i stride = constants(kStrideMove, kStrideMove, kStrideMove, kStrideMove);
  __m512i all =
      _mm512_xor_si512(load_stride<copies>(bytes, out, 0),
                       _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(state))));
  std::size_t at = kStrideBytes;
  for (; at + kStrideBytes <= count; at += kStrideBytes)
    all = moved_onto(load_stride<copies>(bytes, out, at), all, stride);
  // The last 0 to 63 bytes. As many of the first ones in the register become a stride after zeros,
  // the others become the next stride, together with the last ones.
  const std::size_t left = count - at;
  const __m512i last = load_stride<copies>(bytes, out, count - kStrideBytes);
  const __mmask64 are_others = ~std::uint64_t{0} >> left;
  const __m512i places =
      _mm512_add_epi8(_mm512_load_si512(kPlaces.data()), _mm512_set1_epi8(static_cast<char>(left)));
  const __m512i first = _mm512_maskz_permutexvar_epi8(~are_others, places, all);
  all = moved_onto(_mm512_mask_permutexvar_epi8(last, are_others, places, all), first, stride);
  // The blocks become one.
  constexpr __mmask8 kLastBlock = 0xC0;
  all = moved_onto(_mm512_maskz_mov_epi64(kLastBlock, all), all,
                   constants(kThreeBlocksMove, kTwoBlocksMove, kBlockMove, {}));
  const __m256i two =
      _mm256_xor_si256(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
  return avx::reduced(_mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256(two, 1)));
}

template <bool copies>
NEXUSFIX_CRC_AVX512 inline std::uint64_t take(std::uint64_t state, std::span<const char> bytes,
                                              char* out) noexcept {
  return bytes.size() >= kFoldedMin ? fold<copies>(state, bytes.data(), bytes.size(), out)
                                    : read_words<copies>(state, bytes.data(), bytes.size(), out);
}

NEXUSFIX_CRC_AVX512 std::uint32_t sum(std::uint32_t crc, std::span<const char> bytes) noexcept {
  return ~static_cast<std::uint32_t>(take<false>(~crc, bytes, nullptr));
}

NEXUSFIX_CRC_AVX512 void write_record(char* out, std::span<const char> bytes, std::uint32_t crc,
                                      std::uint64_t offset, std::uint64_t time) noexcept {
  const std::uint64_t state = crc_of_front(crc, offset, front_of(bytes.size(), time));
  put_head(out, ~take<true>(state, bytes, out + kHeadBytes), bytes.size(), time);
}

bool is_available() noexcept {
  return avx::is_available() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") &&
         __builtin_cpu_supports("vpclmulqdq");
}

}  // namespace avx512
#elif defined(__aarch64__)
namespace arm {

// An extension of ARMv8.0, part of all later ones.
#define NEXUSFIX_CRC_TARGET __attribute__((target("+crc")))

// state and result are not inverted.
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

NEXUSFIX_CRC_TARGET std::uint32_t sum(std::uint32_t crc, std::span<const char> bytes) noexcept {
  return ~take(~crc, bytes);
}

NEXUSFIX_CRC_TARGET void write_record(char* out, std::span<const char> bytes, std::uint32_t crc,
                                      std::uint64_t offset, std::uint64_t time) noexcept {
  const Front front = front_of(bytes.size(), time);
  std::uint32_t state = __crc32cd(~crc, offset);
  state = __crc32cd(state, front.first);
  state = __crc32cw(state, front.second);
  std::copy(bytes.begin(), bytes.end(), out + kHeadBytes);
  put_head(out, ~take(state, bytes), bytes.size(), time);
}

bool is_available() noexcept { return (::getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }

}  // namespace arm
#endif

void choose_and_write(char* out, std::span<const char> bytes, std::uint32_t crc,
                      std::uint64_t offset, std::uint64_t time) noexcept {
  const RecordFunction chosen = crc32c_kernels().back().write_record;
  detail::write_record_chosen.store(chosen, std::memory_order_relaxed);
  chosen(out, bytes, crc, offset, time);
}

}  // namespace

constinit std::atomic<RecordFunction> detail::write_record_chosen{&choose_and_write};

std::span<const Crc32cKernel> crc32c_kernels() noexcept {
  static constexpr std::array kAll{
      Crc32cKernel{"portable", &portable::sum, &portable::write_record},
#if defined(__x86_64__)
      Crc32cKernel{"AVX", &avx::sum, &avx::write_record},
      Crc32cKernel{"AVX-512", &avx512::sum, &avx512::write_record},
#elif defined(__aarch64__)
      Crc32cKernel{"ARMv8 CRC", &arm::sum, &arm::write_record},
#endif
  };
#if defined(__x86_64__)
  const std::size_t count = avx512::is_available() ? 3 : avx::is_available() ? 2 : 1;
#elif defined(__aarch64__)
  const std::size_t count = arm::is_available() ? 2 : 1;
#else
  const std::size_t count = 1;
#endif
  return std::span{kAll}.first(count);
}

std::uint32_t crc32c(std::uint32_t crc, std::span<const char> bytes) noexcept {
  static const Crc32cFunction chosen = crc32c_kernels().back().sum;
  return chosen(crc, bytes);
}

}  // namespace nexusfix::store
