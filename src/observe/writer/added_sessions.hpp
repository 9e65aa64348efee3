// Sessions that the event loop has added, and that the log writer has not opened yet.
#pragma once

#include <list>
#include <mutex>
#include <utility>

#include <nexusfix/observe/session_logs.hpp>

namespace nexusfix::observe {

struct AddedSession {
  SessionLogOptions options;
  bool is_global = false;  // its logs are for events that belong to no session
};

class AddedSessions {
 public:
  // The event loop's thread. Call it before the first record of the session: the writer finds the
  // session here when it reads that record. Does not throw.
  void add(std::list<AddedSession> one) noexcept {
    const std::lock_guard lock{mutex_};
    waiting_.splice(waiting_.end(), one);
  }

  // The writer's thread. Calls take(session) for each session, in the order of add(). When take
  // throws for lack of memory, the next call continues with the same session.
  template <class Take>
  void take_all(Take&& take) {
    {
      const std::lock_guard lock{mutex_};
      taken_.splice(taken_.end(), waiting_);
    }
    for (; !taken_.empty(); taken_.pop_front()) take(std::as_const(taken_.front()));
  }

 private:
  std::mutex mutex_;
  std::list<AddedSession> waiting_;
  std::list<AddedSession> taken_;  // from waiting_; the writer's thread alone
};

}  // namespace nexusfix::observe
