#include <nexusfix/base/assert.hpp>
#include <nexusfix/engine/mailbox.hpp>

#include "engine/service/inbox/inbox_state.hpp"

namespace nexusfix::engine {

std::string_view to_string(PostOutcome outcome) noexcept {
  switch (outcome) {
    case PostOutcome::Done:
      return "done";
    case PostOutcome::Refused:
      return "refused";
    case PostOutcome::Threw:
      return "the task threw";
    case PostOutcome::NoSession:
      return "no such session";
    case PostOutcome::Stopped:
      return "the engine has ended";
  }
  return "unknown";
}

std::string_view to_string(PostError error) noexcept {
  switch (error) {
    case PostError::Full:
      return "the results of 1024 tasks were not collected: call collect()";
    case PostError::Stopped:
      return "the engine has ended";
  }
  return "unknown";
}

Mailbox::Mailbox(std::unique_ptr<detail::MailboxState> state) noexcept : state_{std::move(state)} {}
Mailbox::Mailbox(Mailbox&&) noexcept = default;
Mailbox& Mailbox::operator=(Mailbox&& other) noexcept {
  if (this != &other) {
    abandon();
    state_ = std::move(other.state_);
  }
  return *this;
}
Mailbox::~Mailbox() { abandon(); }

void Mailbox::abandon() noexcept {
  if (!state_) return;
  for (detail::TaskPath& way : state_->ways) {
    if (way.lane->is_closed.load(std::memory_order_acquire)) way.lane->refuse_all();
    way.lane->abandon();
    way.room->notify();
  }
}

detail::TaskPath* Mailbox::path_to(SessionHandle session) noexcept {
  NEXUSFIX_ASSERT(state_ != nullptr);
  if (session.loop >= state_->ways.size()) return nullptr;
  return &state_->ways[session.loop];
}

std::expected<void*, PostError> Mailbox::claim(SessionHandle session) noexcept {
  detail::TaskPath* const way = path_to(session);
  // If the handle is invalid, any loop reports it.
  TaskChannel& lane = way != nullptr ? *way->lane : *state_->ways.front().lane;
  if (lane.is_closing.load(std::memory_order_relaxed)) return std::unexpected{PostError::Stopped};
  if (awaited() == kCapacity) return std::unexpected{PostError::Full};
  QueuedTask* const posted = lane.tasks.claim();
  NEXUSFIX_ASSERT(posted != nullptr);  // It has kCapacity slots.
  return posted->task;
}

PostToken Mailbox::commit(SessionHandle session, const detail::TaskKind& kind) noexcept {
  detail::TaskPath* const named = path_to(session);
  detail::TaskPath& way = named != nullptr ? *named : state_->ways.front();
  QueuedTask& posted = *way.lane->tasks.claim();  // The slot that claim() returned.
  posted.token = ++state_->posted;
  posted.session = session;
  posted.kind = &kind;
  way.lane->tasks.commit();
  way.room->notify();
  return posted.token;
}

std::size_t Mailbox::collect_with(FunctionRef<void(const PostResult&)> callback) {
  std::size_t count = 0;
  for (detail::TaskPath& way : state_->ways) {
    TaskChannel& lane = *way.lane;
    // A task may have been posted while the loop closed the lane. Acquire: this thread consumes the
    // queue now.
    if (lane.is_closed.load(std::memory_order_acquire)) lane.refuse_all();
    PostResult result;
    while (lane.results->pop(result)) {
      ++state_->collected;
      ++count;
      callback(result);
    }
  }
  return count;
}

bool Mailbox::has_results() noexcept {
  for (detail::TaskPath& way : state_->ways) {
    if (way.lane->is_closed.load(std::memory_order_acquire)) way.lane->refuse_all();
    if (!way.lane->results->readable(1).empty()) return true;
  }
  return false;
}

bool Mailbox::wait(std::chrono::nanoseconds timeout) {
  if (has_results()) return true;
  if (awaited() == 0) return false;
  Waiter& waiter = *state_->waiter;
  std::unique_lock lock{waiter.mutex};
  waiter.is_awaited.store(true, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // Pairs with Waiter::ring().
  const bool came = waiter.condition.wait_for(lock, timeout, [this] { return has_results(); });
  waiter.is_awaited.store(false, std::memory_order_relaxed);
  return came;
}

std::size_t Mailbox::awaited() const noexcept { return state_->posted - state_->collected; }

}  // namespace nexusfix::engine
