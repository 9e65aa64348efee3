// The memory that a gateway shares with one client: docs/reference/gateway-memory.md has each byte.
// A client in another language is written from that page, so nothing here changes without a new
// layout version.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace nexusfix::gateway {

// The first eight bytes of the file, "NXFXRING".
inline constexpr std::uint64_t kRingMagic = 0x474E'4952'5846'584E;
inline constexpr std::uint32_t kRingVersion = 1;
inline constexpr std::uint64_t kRingHeaderBytes = 4096;

// The distance between words of the two sides: some CPUs fetch two cache lines together.
inline constexpr std::size_t kRingApartBytes = 128;

// Bytes of a ring: a power of two between these.
inline constexpr std::uint64_t kRingBytesMin = 4096;
inline constexpr std::uint64_t kRingBytesMax = 1ULL << 30U;

// Before each frame is one word of eight bytes: its size, and the lower half of its position.
inline constexpr std::uint64_t kRecordHeaderBytes = 8;
// In place of a size: the next record is at the start of the ring.
inline constexpr std::uint32_t kJumpToStart = 0xFFFF'FFFF;

// The longest frame that a ring of this size can carry. A jump to the start, the record and the
// word after it fit into an empty ring, wherever it begins.
[[nodiscard]] constexpr std::uint64_t frame_bytes_possible(std::uint64_t ring_bytes) noexcept {
  return ring_bytes / 2 - kRecordHeaderBytes;
}

// How the consumer of a ring wants to be woken.
enum class Sleeps : std::uint32_t {
  No = 0,
  Futex = 1,   // FUTEX_WAKE on this word
  Socket = 2,  // one byte by the Unix socket
};

// What the two sides of one ring tell each other beside the frames.
struct RingWords {
  alignas(kRingApartBytes) std::uint64_t head;    // written by the consumer: what it has released
  alignas(kRingApartBytes) std::uint32_t sleeps;  // Sleeps, set by the consumer, cleared by either
};

// Whether the gateway still serves the client.
enum class GatewayState : std::uint32_t { Open = 1, Closed = 2 };

// The beginning of the file. What follows `state` changes while the client is attached.
struct RingHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t header_bytes;
  std::uint64_t file_bytes;
  std::uint32_t frame_bytes_max;
  std::uint32_t client_process;
  std::uint32_t gateway_process;
  std::uint32_t reserved;
  std::uint64_t gateway_start;  // in ticks since the machine started: field 22 of /proc/PID/stat
  std::uint64_t key;            // random: the answer to Hello has it, too
  std::uint64_t to_gateway_offset;
  std::uint64_t to_gateway_bytes;
  std::uint64_t to_client_offset;
  std::uint64_t to_client_bytes;
  alignas(kRingApartBytes) std::uint32_t state;  // GatewayState
  std::uint32_t close_reason;                    // RingFault; 0: the gateway ended
  RingWords to_gateway;
  RingWords to_client;
};

static_assert(std::endian::native == std::endian::little, "the words of the file are");
static_assert(offsetof(RingHeader, version) == 0x08);
static_assert(offsetof(RingHeader, file_bytes) == 0x10);
static_assert(offsetof(RingHeader, frame_bytes_max) == 0x18);
static_assert(offsetof(RingHeader, client_process) == 0x1C);
static_assert(offsetof(RingHeader, gateway_process) == 0x20);
static_assert(offsetof(RingHeader, gateway_start) == 0x28);
static_assert(offsetof(RingHeader, key) == 0x30);
static_assert(offsetof(RingHeader, to_gateway_offset) == 0x38);
static_assert(offsetof(RingHeader, to_gateway_bytes) == 0x40);
static_assert(offsetof(RingHeader, to_client_offset) == 0x48);
static_assert(offsetof(RingHeader, to_client_bytes) == 0x50);
static_assert(offsetof(RingHeader, state) == 0x80);
static_assert(offsetof(RingHeader, close_reason) == 0x84);
static_assert(offsetof(RingHeader, to_gateway) == 0x100);
static_assert(offsetof(RingHeader, to_client) == 0x200);
static_assert(offsetof(RingWords, head) == 0x00);
static_assert(offsetof(RingWords, sleeps) == 0x80);
static_assert(sizeof(RingHeader) <= kRingHeaderBytes);

}  // namespace nexusfix::gateway
