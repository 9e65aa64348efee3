#include "engine/ground/statistics/message_counters.hpp"

#include <algorithm>
#include <utility>

namespace nexusfix::engine {

std::string unpack(PackedMsgType msg_type) {
  std::string text;
  for (; msg_type != 0; msg_type >>= 8U) text += static_cast<char>(msg_type & 0xFFU);
  return text;
}

MessageTypeCounters::Slot& MessageTypeCounters::slot_of(PackedMsgType msg_type) noexcept {
  if (msg_type == 0) return slots_[kOther];
  for (std::size_t i = kOther + 1; i < kSlots; ++i) {
    Slot& slot = slots_[i];
    if (slot.msg_type.read() == 0) slot.msg_type.set(msg_type);
    if (slot.msg_type.read() == msg_type) return slot;
  }
  return slots_[kOther];
}

std::uint64_t MessageTypeCounters::all() const noexcept {
  std::uint64_t all = 0;
  for (const Slot& slot : slots_) all += slot.count.read();
  return all;
}

std::uint64_t MessageTypeCounters::of(PackedMsgType msg_type) const noexcept {
  for (const Slot& slot : slots_) {
    if (slot.msg_type.read() == msg_type) return slot.count.read();
  }
  return 0;
}

std::vector<MessageCount> MessageTypeCounters::read() const {
  std::vector<MessageCount> counts;
  for (const Slot& slot : slots_) {
    const PackedMsgType msg_type = slot.msg_type.read();
    const std::uint64_t count = slot.count.read();
    if (msg_type != 0 && count != 0) counts.push_back({unpack(msg_type), count});
  }
  std::ranges::sort(counts, {}, &MessageCount::msg_type);
  if (const std::uint64_t count = slots_[kOther].count.read(); count != 0) {
    counts.push_back({"other", count});
  }
  return counts;
}

void RejectCounters::count(RejectKind kind, std::optional<std::uint32_t> reason) noexcept {
  std::size_t index = kUndefined;
  if (reason && *reason < kReasons) index = *reason;
  if (reason == kOtherReason) index = kOther;
  ++kinds_[std::to_underlying(kind)][index];
}

std::vector<RejectCount> RejectCounters::read() const {
  std::vector<RejectCount> counts;
  for (const RejectKind kind : {RejectKind::Session, RejectKind::Business}) {
    for (std::size_t i = 0; i <= kUndefined; ++i) {
      const std::uint64_t count = kinds_[std::to_underlying(kind)][i].read();
      if (count == 0) continue;
      std::optional<std::uint32_t> reason;
      if (i < kReasons) reason = static_cast<std::uint32_t>(i);
      if (i == kOther) reason = kOtherReason;
      counts.push_back(
          {.is_business = kind == RejectKind::Business, .reason = reason, .count = count});
    }
  }
  return counts;
}

}  // namespace nexusfix::engine
