#include "store/crc32c.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "store/byte_order.hpp"

#if defined(__x86_64__)
#include <nmmintrin.h>
#include <wmmintrin.h>
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
// The instruction takes a word in each cycle, but gives its result three cycles later: one stream
// waits for itself. So the bytes are summed as three streams of equal length, and the checksums of
// the first two are moved over the words behind them: multiplied by x^(64 words), modulo the
// polynomial. A carry-less product of two reflected 32-bit numbers lies one bit too low, and the
// instruction, which reduces it, multiplies by x^32 itself: hence 33 bits less.
constexpr std::size_t kStreams = 3;
constexpr std::size_t kStreamWordsMax = 84;
constexpr std::size_t kStreamWordsMin = 3;  // below, joining costs more than waiting
using Shifts = std::array<std::uint32_t, (kStreams - 1) * kStreamWordsMax + 1>;

constexpr Shifts make_shifts() {
  Shifts shifts{};
  std::uint32_t power = 1U << 31U;  // x^0, reflected
  const auto multiply_by_x = [&](unsigned times) {
    for (; times > 0; --times) power = (power >> 1U) ^ ((power & 1U) * kPolynomialReversed);
  };
  multiply_by_x(64 - 33);
  for (std::size_t words = 1; words < shifts.size(); ++words) {
    shifts[words] = power;
    multiply_by_x(64);
  }
  return shifts;
}

constexpr Shifts kShifts = make_shifts();

std::uint64_t word_at(const char* bytes) noexcept {
  std::uint64_t word = 0;
  __builtin_memcpy(&word, bytes, kWordBytes);
  return word;
}

__attribute__((target("sse4.2,pclmul"))) std::uint64_t moved(std::uint64_t state,
                                                             std::size_t words) noexcept {
  const __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<std::int64_t>(state)),
                                               _mm_cvtsi64_si128(std::int64_t{kShifts[words]}), 0);
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
}

// Valid only where the run-time check in crc32c_hardware() found SSE 4.2 and PCLMULQDQ.
__attribute__((target("sse4.2,pclmul"))) std::uint32_t by_instruction(
    std::uint32_t crc, std::span<const char> bytes) noexcept {
  std::uint64_t state = ~crc;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  while (left >= kStreams * kStreamWordsMin * kWordBytes) {
    const std::size_t words = std::min(left / (kStreams * kWordBytes), kStreamWordsMax);
    const char* const second = at + words * kWordBytes;
    const char* const third = second + words * kWordBytes;
    std::uint64_t state_of_second = 0;
    std::uint64_t state_of_third = 0;
    const std::size_t last = (words - 1) * kWordBytes;
    for (std::size_t i = 0; i < last; i += kWordBytes) {
      state = _mm_crc32_u64(state, word_at(at + i));
      state_of_second = _mm_crc32_u64(state_of_second, word_at(second + i));
      state_of_third = _mm_crc32_u64(state_of_third, word_at(third + i));
    }
    state = _mm_crc32_u64(state, word_at(at + last));
    state_of_second = _mm_crc32_u64(state_of_second, word_at(second + last));
    const std::uint64_t both = moved(state, 2 * words) ^ moved(state_of_second, words);
    state = _mm_crc32_u64(state_of_third, word_at(third + last) ^ both);
    at += kStreams * words * kWordBytes;
    left -= kStreams * words * kWordBytes;
  }
  for (; left >= kWordBytes; at += kWordBytes, left -= kWordBytes) {
    state = _mm_crc32_u64(state, word_at(at));
  }
  std::uint32_t tail = static_cast<std::uint32_t>(state);
  for (; left > 0; ++at, --left) tail = _mm_crc32_u8(tail, static_cast<unsigned char>(*at));
  return ~tail;
}
#endif

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
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul")) return &by_instruction;
#endif
  return nullptr;
}

std::uint32_t crc32c(std::uint32_t crc, std::span<const char> bytes) noexcept {
  static const Crc32cFunction chosen =
      crc32c_hardware() != nullptr ? crc32c_hardware() : &crc32c_portable;
  return chosen(crc, bytes);
}

}  // namespace nexusfix::store
