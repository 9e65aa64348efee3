// CRC-32C (Castagnoli): the checksum of a journal's records.
#pragma once

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

}  // namespace nexusfix::store
