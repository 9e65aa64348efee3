// Counts a session's messages by MsgType, and rejected ones by reason.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/engine/running_engine.hpp>

#include "engine/ground/statistics/counter.hpp"

namespace nexusfix::engine {

// A MsgType as a number, for comparisons. 0: it is longer than 8 characters.
using PackedMsgType = std::uint64_t;

[[nodiscard]] constexpr PackedMsgType pack(std::string_view msg_type) noexcept {
  if (msg_type.size() == 1) [[likely]]
    return static_cast<unsigned char>(msg_type[0]);
  PackedMsgType packed = 0;
  if (msg_type.size() > sizeof packed) return 0;
  for (std::size_t i = msg_type.size(); i-- > 0;) {
    packed = packed << 8U | static_cast<unsigned char>(msg_type[i]);
  }
  return packed;
}
[[nodiscard]] std::string unpack(PackedMsgType msg_type);

// The types in the order of their first message, which most sessions have fewer than ten of. A
// message has mostly the type of the one before it, so that slot is looked at first.
class MessageTypeCounters {
 public:
  MessageTypeCounters() = default;
  MessageTypeCounters(const MessageTypeCounters&) = delete;
  MessageTypeCounters& operator=(const MessageTypeCounters&) = delete;

  // The loop's thread.
  void count(PackedMsgType msg_type) noexcept {
    if (last_->msg_type.read() != msg_type) [[unlikely]]
      last_ = &slot_of(msg_type);
    ++last_->count;
  }
  // Any thread: in the order of their MsgType, "other" last.
  [[nodiscard]] std::vector<MessageCount> read() const;
  [[nodiscard]] std::uint64_t all() const noexcept;
  [[nodiscard]] std::uint64_t of(PackedMsgType msg_type) const noexcept;

 private:
  static constexpr std::size_t kOther = 0;  // the slot of all other types; its msg_type is 0
  static constexpr std::size_t kSlots = 1 + 16;

  struct Slot {
    Figure<PackedMsgType> msg_type{};  // 0: it is free
    Counter count;
  };

  [[nodiscard]] Slot& slot_of(PackedMsgType msg_type) noexcept;

  std::array<Slot, kSlots> slots_;
  Slot* last_ = &slots_[kOther];  // the loop's thread
};

enum class RejectKind : std::uint8_t { Session, Business };

// SessionRejectReason (373) is 0 to 18 and 99, BusinessRejectReason (380) 0 to 8 and 18.
class RejectCounters {
 public:
  // The loop's thread. nullopt: the message has no reason.
  void count(RejectKind kind, std::optional<std::uint32_t> reason) noexcept;
  // Any thread.
  [[nodiscard]] std::vector<RejectCount> read() const;

 private:
  static constexpr std::size_t kReasons = 19;  // 0 to 18
  static constexpr std::uint32_t kOtherReason = 99;
  static constexpr std::size_t kOther = kReasons;
  static constexpr std::size_t kUndefined = kReasons + 1;

  using Reasons = std::array<Counter, kReasons + 2>;
  std::array<Reasons, 2> kinds_;
};

}  // namespace nexusfix::engine
