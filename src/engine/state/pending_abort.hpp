// The end of a session's connection after a failure.
#pragma once

#include <string>
#include <utility>

namespace nexusfix::engine {

class LoopContext;
class SessionEntry;

// The session is disconnected at the end of the turn, and is inactive until then.
class PendingAbort {
 public:
  [[nodiscard]] bool is_pending() const noexcept { return is_pending_; }
  // why: empty if there was no memory.
  void begin(std::string why) noexcept {
    is_pending_ = true;
    if (!why.empty()) reason_ = std::move(why);
  }
  [[nodiscard]] bool take() noexcept { return std::exchange(is_pending_, false); }
  // Empty: there was no memory.
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  void clear_reason() noexcept { reason_.clear(); }

 private:
  bool is_pending_ = false;
  std::string reason_;
};

// The session is disconnected at the end of the turn; until then it neither receives nor sends.
// why: empty if there was no memory.
void abort_session(LoopContext& loop, SessionEntry& entry, std::string why = {}) noexcept;

}  // namespace nexusfix::engine
