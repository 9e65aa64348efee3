#include "engine/ground/event_boundary.hpp"

#include <chrono>

#include "engine/ground/loop_context.hpp"
#include "engine/io/connections.hpp"
#include "engine/sessions/transactor.hpp"

namespace nexusfix::engine {
namespace {

// When the loop tries again what it could not finish, at the latest.
constexpr std::chrono::milliseconds kNextTry{10};

}  // namespace

void EventBoundary::count_failure() noexcept {
  loop_.report.memory_failed();
  loop_.wake_at(loop_.now().mono + kNextTry);
}

void EventBoundary::end(const NoOwner& /*none*/) noexcept {
  if (transactor_.is_idle()) transactor_.record().clear();
}

void EventBoundary::end(SessionEntry& entry) noexcept {
  transactor_.is_idle() ? abort_session(loop_, entry) : transactor_.abort_event(entry);
}

void EventBoundary::end(Connection& connection) noexcept { connections_.abort(connection); }

void EventBoundary::end(const transport::Ready& ready) noexcept { connections_.abort(ready); }

}  // namespace nexusfix::engine
