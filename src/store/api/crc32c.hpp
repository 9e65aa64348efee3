// CRC-32C (Castagnoli): the checksum of a journal's records.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

namespace nexusfix::store {

// The checksum of what was summed before (0: nothing) followed by bytes, so that pieces can be
// summed one after the other. Uses the processor's instruction where it has one.
[[nodiscard]] std::uint32_t crc32c(std::uint32_t crc, std::span<const char> bytes) noexcept;

// The types of crc32c() and write_record().
using Crc32cFunction = std::uint32_t (*)(std::uint32_t crc, std::span<const char> bytes) noexcept;
using RecordFunction = void (*)(char* out, std::span<const char> bytes, std::uint32_t crc,
                                std::uint64_t offset, std::uint64_t time) noexcept;

// Both functions for one kind of processor.
struct Crc32cKernel {
  std::string_view name;
  Crc32cFunction sum = nullptr;
  RecordFunction write_record = nullptr;
};
// Those that this processor can run, the fastest last. The first one runs on any.
[[nodiscard]] std::span<const Crc32cKernel> crc32c_kernels() noexcept;

namespace detail {
extern constinit std::atomic<RecordFunction> write_record_chosen;  // at the first call
}

// Writes a record to out: a checksum (4 bytes), the number of the bytes (4), time (8), and the
// bytes, which are copied while they are read and must not overlap. The checksum is that of what
// was summed before (crc), offset (8 bytes), the number, time and the bytes; all numbers are
// little-endian.
inline void write_record(char* out, std::span<const char> bytes, std::uint32_t crc,
                         std::uint64_t offset, std::uint64_t time) noexcept {
  detail::write_record_chosen.load(std::memory_order_relaxed)(out, bytes, crc, offset, time);
}

}  // namespace nexusfix::store
