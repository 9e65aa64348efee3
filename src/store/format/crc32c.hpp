// CRC-32C (Castagnoli): the checksum of a journal's records.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

namespace nexusfix::store {

// The checksum of what was summed before (0: nothing) followed by bytes, so that pieces can be
// summed one after the other. Uses the processor's instruction where it has one.
[[nodiscard]] std::uint32_t crc32c(std::uint32_t crc, std::span<const char> bytes) noexcept;

// The same by table, on any processor.
[[nodiscard]] std::uint32_t crc32c_portable(std::uint32_t crc,
                                            std::span<const char> bytes) noexcept;

using Crc32cFunction = std::uint32_t (*)(std::uint32_t, std::span<const char>) noexcept;
// The same by instruction; null where this processor has none.
[[nodiscard]] Crc32cFunction crc32c_hardware() noexcept;

// Numbers that precede the bytes in the sum, as if they stood there in little-endian order.
struct Crc32cFront {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::uint32_t third = 0;
};
using Crc32cCopyFunction = std::uint32_t (*)(std::uint32_t, const Crc32cFront&,
                                             std::span<const char>, char*) noexcept;

namespace detail {
extern constinit std::atomic<Crc32cCopyFunction> crc32c_copy_chosen;  // at the first call
}

// The checksum of crc, front and bytes. Copies the bytes to out, which has room for them, while it
// reads them. The two must not overlap.
[[nodiscard]] inline std::uint32_t crc32c_copy(std::uint32_t crc, const Crc32cFront& front,
                                               std::span<const char> bytes, char* out) noexcept {
  return detail::crc32c_copy_chosen.load(std::memory_order_relaxed)(crc, front, bytes, out);
}
[[nodiscard]] Crc32cCopyFunction crc32c_copy_portable() noexcept;

}  // namespace nexusfix::store
