#include "engine/ground/event_boundary.hpp"

#include <chrono>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {
namespace {

// When the loop tries again what it could not finish, at the latest.
constexpr std::chrono::milliseconds kNextTry{10};

}  // namespace

void EventBoundary::count_failure() noexcept {
  loop_.report.memory_failed();
  loop_.wake_at(loop_.now().mono + kNextTry);
}

}  // namespace nexusfix::engine
