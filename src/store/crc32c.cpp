#include "store/crc32c.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "store/byte_order.hpp"

#if defined(__x86_64__)
#include <nmmintrin.h>
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
// Valid only where the run-time check in crc32c_hardware() found SSE 4.2.
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(
    std::uint32_t crc, std::span<const char> bytes) noexcept {
  std::uint64_t state = ~crc;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= kWordBytes; at += kWordBytes, left -= kWordBytes) {
    std::uint64_t word = 0;
    __builtin_memcpy(&word, at, kWordBytes);
    state = _mm_crc32_u64(state, word);
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
  if (__builtin_cpu_supports("sse4.2")) return &by_instruction;
#endif
  return nullptr;
}

std::uint32_t crc32c(std::uint32_t crc, std::span<const char> bytes) noexcept {
  static const Crc32cFunction chosen =
      crc32c_hardware() != nullptr ? crc32c_hardware() : &crc32c_portable;
  return chosen(crc, bytes);
}

}  // namespace nexusfix::store
