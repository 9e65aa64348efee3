#include <algorithm>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/session/machine/action_queue.hpp>

namespace nexusfix::session::detail {

void ActionQueue::push(const Pending& pending) noexcept {
  if (begin_ == end_) begin_ = end_ = 0;
  NEXUSFIX_ASSERT(end_ < kPendingMax);
  pending_[end_++] = pending;
}

void ActionQueue::notice(NoticeCode code, std::string_view text, std::uint64_t expected,
                         std::uint64_t received) noexcept {
  push({.step = Step::Notice,
        .code = static_cast<std::uint8_t>(code),
        .first = expected,
        .second = received,
        .text = text});
}

void ActionQueue::move_to_front(std::size_t waiting) noexcept {
  Pending* const first = pending_ + begin_;
  std::rotate(first, first + waiting, pending_ + end_);
}

}  // namespace nexusfix::session::detail
