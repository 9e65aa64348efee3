// The end of a session's connection after a failure.
#pragma once

#include <string>

namespace nexusfix::engine {

// The session is disconnected at the end of the turn, and is inactive until then. Only the
// Transactor begins and ends that.
class PendingAbort {
 public:
  [[nodiscard]] bool is_pending() const noexcept { return is_pending_; }

 private:
  friend class Transactor;

  bool is_pending_ = false;
  std::string reason_;  // empty: there was no memory
};

}  // namespace nexusfix::engine
