// The two sequence numbers of a session. Not for applications.
#pragma once

#include <cstdint>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/session/decisions.hpp>

namespace nexusfix::session {

namespace detail {

class SequenceNumbers {
 public:
  explicit SequenceNumbers(Numbers numbers) noexcept { set(numbers); }

  [[nodiscard]] Numbers value() const noexcept { return numbers_; }
  [[nodiscard]] std::uint64_t next_inbound() const noexcept { return numbers_.next_inbound; }
  [[nodiscard]] std::uint64_t next_outbound() const noexcept { return numbers_.next_outbound; }

  void set(Numbers numbers) noexcept {
    NEXUSFIX_ASSERT(numbers.next_inbound >= 1);
    NEXUSFIX_ASSERT(numbers.next_outbound >= 1);
    numbers_ = numbers;
  }
  // The owner restores what it has recorded.
  void roll_back(Numbers numbers) noexcept { numbers_ = numbers; }
  // Everything below next_inbound is used up.
  void advance_inbound(std::uint64_t next_inbound) noexcept {
    NEXUSFIX_ASSERT(next_inbound > numbers_.next_inbound);
    numbers_.next_inbound = next_inbound;
  }
  // Assigns the next MsgSeqNum to a message.
  [[nodiscard]] std::uint64_t take_outbound() noexcept { return numbers_.next_outbound++; }
  // The MsgSeqNums before next_outbound are not used.
  void skip_outbound(std::uint64_t next_outbound) noexcept {
    NEXUSFIX_ASSERT(next_outbound >= numbers_.next_outbound);
    numbers_.next_outbound = next_outbound;
  }
  void rewind_outbound(std::uint64_t next_outbound) noexcept {
    NEXUSFIX_ASSERT(next_outbound >= 1);
    NEXUSFIX_ASSERT(next_outbound <= numbers_.next_outbound);
    numbers_.next_outbound = next_outbound;
  }

  // next_inbound is 1 at once, because the message that asked for the reset is judged by it;
  // next_outbound when the owner takes the Reset, because what is transmitted before it belongs to
  // the old epoch.
  void begin_reset() noexcept {
    numbers_.next_inbound = 1;
    is_resetting_ = true;
  }
  void finish_reset() noexcept {
    numbers_.next_outbound = 1;
    is_resetting_ = false;
  }
  // The owner does not take the Reset.
  void cancel_reset(std::uint64_t next_inbound) noexcept {
    numbers_.next_inbound = next_inbound;
    is_resetting_ = false;
  }
  [[nodiscard]] bool is_resetting() const noexcept { return is_resetting_; }

 private:
  Numbers numbers_;
  bool is_resetting_ = false;  // next_outbound is not 1 yet
};

}  // namespace detail
}  // namespace nexusfix::session
