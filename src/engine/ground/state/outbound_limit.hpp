// How many messages a session sends, and the messages that wait for that.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "config/api/settings.hpp"
#include "control/api/counters.hpp"
#include "engine/ground/connection/buffer_budget.hpp"
#include "engine/ground/settings/settings_names.hpp"
#include "engine/ground/state/throttle.hpp"

namespace nexusfix::engine {

// OutboundMessages and OutboundMessagesByType. Only the constructor allocates.
class OutboundWindows {
 public:
  explicit OutboundWindows(const OutboundLimitSettings& settings)
      : all_{settings.messages_max, settings.interval} {
    by_type_.reserve(settings.by_type.size());
    for (const OutboundLimitSettings::TypeLimit& one : settings.by_type) {
      by_type_.emplace_back(pack(one.msg_type), Throttle{one.messages_max, settings.interval});
    }
  }

  // When a message of this type may be sent; MonoTime::min() or a time in the past: now.
  [[nodiscard]] MonoTime next_at(PackedMsgType msg_type) const noexcept {
    MonoTime next = all_.is_set() ? all_.next_at() : MonoTime::min();
    for (const auto& [type, window] : by_type_) {
      if (type == msg_type) next = std::max(next, window.next_at());
    }
    return next;
  }
  // A message of this type is sent.
  void count(PackedMsgType msg_type, MonoTime now) noexcept {
    if (all_.is_set()) all_.count(now);
    for (auto& [type, window] : by_type_) {
      if (type == msg_type) window.count(now);
    }
  }
  // OutboundMessages alone, which resends obey.
  [[nodiscard]] const Throttle& all() const noexcept { return all_; }

 private:
  Throttle all_;
  std::vector<std::pair<PackedMsgType, Throttle>> by_type_;
};

// A message that has no MsgSeqNum yet.
struct WaitingMessage {
  std::string bytes;  // as send() has encoded it; MsgSeqNum and SendingTime will be others
  PackedMsgType msg_type = 0;
  WallTime since;
};

// The messages that wait for the windows, in the order of send(). Cancels of
// OutboundLimitRule=CancelsFirst have a queue of their own.
class WaitingMessages {
 public:
  void count_in(BufferBudget& budget) noexcept { bytes_.count_in(budget); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t size() const noexcept { return cancels_.size() + others_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  // Whether a message that is sent now has another one before it.
  [[nodiscard]] bool has_before(bool is_cancel) const noexcept {
    return !cancels_.empty() || (!is_cancel && !others_.empty());
  }
  // When the oldest one was sent. Only if there is one.
  [[nodiscard]] WallTime since() const noexcept {
    if (cancels_.empty() || others_.empty())
      return cancels_.empty() ? others_.front().since : cancels_.front().since;
    return std::min(cancels_.front().since, others_.front().since);
  }

  void push(WaitingMessage message, bool is_cancel) {
    const std::size_t bytes = message.bytes.size() + kOverheadBytes;
    queue(is_cancel).push_back(std::move(message));
    bytes_ += bytes;
  }
  // Removes the message that was pushed last.
  void pop_last(bool is_cancel) noexcept {
    bytes_ -= queue(is_cancel).back().bytes.size() + kOverheadBytes;
    queue(is_cancel).pop_back();
  }
  // Removes the next message that may be sent now. No value: there is none.
  [[nodiscard]] std::optional<WaitingMessage> pop_due(const OutboundWindows& windows,
                                                      MonoTime now) {
    for (Queue* const queue : {&cancels_, &others_}) {
      if (!queue->empty() && windows.next_at(queue->front().msg_type) <= now) return pop(*queue);
    }
    return std::nullopt;
  }
  // Removes the next message. No value: there is none.
  [[nodiscard]] std::optional<WaitingMessage> pop() {
    if (!cancels_.empty()) return pop(cancels_);
    return others_.empty() ? std::nullopt : pop(others_);
  }
  // When pop_due() has a message; kNever: there is none.
  [[nodiscard]] MonoTime due_at(const OutboundWindows& windows) const noexcept {
    MonoTime due = kNever;
    for (const Queue* const queue : {&cancels_, &others_}) {
      if (!queue->empty()) due = std::min(due, windows.next_at(queue->front().msg_type));
    }
    return due;
  }

  // The session is not writable: half of OutboundQueueMessages waited, and more than an eighth of
  // it still does.
  [[nodiscard]] bool is_high() const noexcept { return is_high_; }
  void begin_high(std::size_t most) noexcept { is_high_ |= 2 * size() >= most; }
  // True: it was high and is not any more.
  [[nodiscard]] bool end_high(std::size_t most) noexcept {
    return 8 * size() <= most && std::exchange(is_high_, false);
  }

 private:
  using Queue = std::deque<WaitingMessage>;
  static constexpr std::size_t kOverheadBytes = 64;  // the estimated overhead of a message

  [[nodiscard]] Queue& queue(bool is_cancel) noexcept { return is_cancel ? cancels_ : others_; }
  [[nodiscard]] std::optional<WaitingMessage> pop(Queue& queue) {
    std::optional<WaitingMessage> next{std::move(queue.front())};
    queue.pop_front();
    bytes_ -= next->bytes.size() + kOverheadBytes;
    return next;
  }

  Queue cancels_;
  Queue others_;
  BufferCharge bytes_;
  bool is_high_ = false;
};

struct OutboundLimit {
  OutboundLimit(const OutboundLimitSettings& settings, BufferBudget& budget)
      : windows{settings}, rule{settings.rule}, queued_max{settings.queued_max} {
    waiting.count_in(budget);
  }

  // Whether a message of this type overtakes those that are none.
  [[nodiscard]] bool is_cancel(PackedMsgType msg_type) const noexcept {
    return rule == OutboundLimitRule::CancelsFirst &&
           (msg_type == pack("F") || msg_type == pack("q"));
  }

  // Whether send() takes a message, if its type has no limit of its own.
  [[nodiscard]] bool may_take(MonoTime now) const noexcept {
    if (rule != OutboundLimitRule::Refuse) return waiting.size() < queued_max;
    return !windows.all().is_set() || windows.all().next_at() <= now;
  }
  // Removes the message that began to wait last.
  void pop_last(PackedMsgType msg_type) noexcept { waiting.pop_last(is_cancel(msg_type)); }

  OutboundWindows windows;
  WaitingMessages waiting;
  const OutboundLimitRule rule;
  const std::size_t queued_max;
};

}  // namespace nexusfix::engine
