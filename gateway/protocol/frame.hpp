// The frames between the gateway and its clients: docs/reference/gateway-protocol.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <vector>

namespace nexusfix::gateway {

inline constexpr std::uint8_t kProtocolVersion = 1;
inline constexpr std::size_t kHeaderBytes = 40;
// A whole frame, with its header: a message of 1 MiB fits.
inline constexpr std::size_t kFrameBytesMax = (1U << 20U) + (4U << 10U);

// What a frame is.
enum class FrameKind : std::uint8_t {
  Hello = 1,
  Welcome = 2,
  Send = 3,
  Accepted = 4,
  Refused = 5,
  Message = 6,
  SessionState = 7,
  CaughtUp = 8,
  Closed = 9,
};

// FrameHeader::code of a Refused.
enum class RefuseCode : std::uint32_t {
  BadMessage = 1,
  NotAllowed = 2,
  SessionClosed = 3,
  RateLimited = 4,
  Unavailable = 5,
  AfterRefused = 6,  // of a client with in-order=1: a lower number was refused before it
  NotSent = 7,       // it was accepted and stored, and a reset came before it left
};

// FrameHeader::code of a Closed.
enum class CloseCode : std::uint32_t {
  Version = 1,
  Denied = 2,
  AlreadyAttached = 3,
  BadFrame = 4,
  TooSlow = 5,
  NoHello = 6,
  Stopping = 7,
  CursorInvalid = 8,
  MessagesGone = 9,
  ClientEnds = 10,
  NoSharedMemory = 11,
};

inline constexpr std::uint16_t kFlagDuplicate = 1;    // Accepted: the number was accepted before
inline constexpr std::uint16_t kFlagStored = 2;       // Accepted: it waits for the next Logon
inline constexpr std::uint16_t kFlagFromJournal = 1;  // Message: it comes from the journal
inline constexpr std::uint16_t kFlagSent = 2;         // Message: the session has sent it

// The header without the length. What a kind does not name is 0.
struct FrameHeader {
  FrameKind kind = FrameKind::Hello;
  std::uint16_t flags = 0;
  std::uint32_t session = 0;  // an index of the Welcome
  std::uint32_t code = 0;
  std::uint64_t epoch = 0;
  std::uint64_t msg_seq_num = 0;
  std::uint64_t number = 0;  // the client's own
  // Member by member.
  friend bool operator==(const FrameHeader&, const FrameHeader&) = default;
};

// A frame. The body is valid as long as the bytes that were read.
struct Frame {
  FrameHeader header;
  std::string_view body;
};

// Why bytes are no frame. They come from another process: nothing after them can be read.
enum class FrameFault : std::uint8_t {
  Length,   // below the header, or above kFrameBytesMax
  Version,  // another version of the protocol
  Kind,     // no kind of this version
};

// For people: "a frame has 40 to 1,052,672 bytes". Static lifetime.
[[nodiscard]] std::string_view to_string(FrameFault fault) noexcept;

// The bytes of the frame that begins here. 0: its length has not arrived. An error: no further byte
// can be read. Reads at most kHeaderBytes. Any thread; allocates nothing.
[[nodiscard]] std::expected<std::size_t, FrameFault> frame_bytes(
    std::span<const char> bytes) noexcept;

// Reads a frame of exactly these bytes. Any thread; allocates nothing.
[[nodiscard]] std::expected<Frame, FrameFault> read_frame(std::span<const char> bytes) noexcept;

// Writes the header of a frame with a body of body_bytes, which must fit into a frame. out: at
// least kHeaderBytes. Any thread; allocates nothing.
void write_header(const FrameHeader& header, std::size_t body_bytes, char* out) noexcept;

// Appends a whole frame. The body must have at most kFrameBytesMax - kHeaderBytes.
void append_frame(std::vector<char>& out, const FrameHeader& header, std::string_view body);

}  // namespace nexusfix::gateway
