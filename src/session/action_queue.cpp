#include <algorithm>

#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/field.hpp>

#include "session/api/actions.hpp"

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

void ActionQueue::reject_received(const wire::MessageView& message,
                                  std::string_view text) noexcept {
  const auto number = [&](wire::Tag of) {
    return message.get<std::uint64_t>(of).value_or(std::uint64_t{0});
  };
  notice(NoticeCode::RejectReceived, text, number(tag::RefTagID), number(tag::RefSeqNum));
}

void ActionQueue::move_to_front(std::size_t waiting) noexcept {
  Pending* const first = pending_ + begin_;
  std::rotate(first, first + waiting, pending_ + end_);
}

}  // namespace nexusfix::session::detail
