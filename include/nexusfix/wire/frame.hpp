// Finding messages in a stream of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nexusfix::wire {

enum class FrameStatus : std::uint8_t {
  Complete,  // bytes [0, size) are one frame; its CheckSum is the parser's to verify
  NeedMore,  // the stream ends inside a frame: call again with at least size bytes
  Garbled,   // bytes [0, size) belong to no frame: skip them
};

enum class GarbledReason : std::uint8_t {
  NoBeginString,        // rubbish in front of the next `8=`
  BodyLengthMalformed,  // second field is not 9=<digits>
  BodyLengthTooLarge,   // above the limit: the stream's position is unknowable behind it
  TooLong,              // no CheckSum field found within the limit
  // From the parser, for a complete frame:
  BodyLengthWrong,
  CheckSumMalformed,
  CheckSumWrong,
  FirstFieldsOutOfOrder,  // 8, 9, 35 are not the first three
};

struct FrameResult {
  FrameStatus status = FrameStatus::NeedMore;
  std::size_t size = 0;
  GarbledReason reason = GarbledReason::NoBeginString;  // only when Garbled
};

// No limit lets a message be longer than this, because offsets within one have 32 bits.
inline constexpr std::size_t kMessageBytesMax = 0x7fff'ffff;

struct FrameLimits {
  std::size_t message_bytes_max = 1U << 20U;
};

// Looks at the front of bytes. A frame ends with the first CheckSum field at or after the place
// that BodyLength points to. Never reads past bytes, never allocates, O(bytes looked at).
[[nodiscard]] FrameResult next_frame(std::string_view bytes, const FrameLimits& limits) noexcept;

// Iterates over the complete frames of a buffer and counts what lies between them.
class Framer {
 public:
  explicit Framer(std::string_view bytes, FrameLimits limits = {}) noexcept
      : rest_{bytes}, limits_{limits} {}
  // The next complete frame, or nothing: rest() then holds what is not whole yet.
  [[nodiscard]] std::optional<std::string_view> next() noexcept;
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }
  [[nodiscard]] std::size_t garbled_bytes() const noexcept { return garbled_bytes_; }

 private:
  std::string_view rest_;
  FrameLimits limits_;
  std::size_t garbled_bytes_ = 0;
};

[[nodiscard]] std::string_view to_string(GarbledReason reason) noexcept;

}  // namespace nexusfix::wire
