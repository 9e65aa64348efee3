// How far each session's outbound numbers are ahead of what is known to be on the disk. Where bytes
// may leave before their record is synced, this distance is bounded, so that after a loss of power
// the next number can be chosen above every one that was used.
//
// The log is cut into stretches: when everything before the last cut is known to be synced, the
// next cut is made where the log ends then. For each session two numbers are kept: what was next at
// the last cut, and at the one before, which is on the disk for certain.
#pragma once

#include <cstdint>
#include <vector>

#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

class NumberReserve {
 public:
  // A session whose next number this is, on the disk. Sessions are opened in the order of their
  // keys. Allocates.
  void open(std::uint64_t next) {
    sessions_.push_back({.stretch = 0, .next = next, .at_cut = next, .at_cut_before = next});
  }

  // Before a record is appended at this position, with what is known to be synced.
  void advance(LogPosition synced, LogPosition appended) noexcept {
    if (synced < cut_) return;
    cut_ = appended;
    ++stretch_;
  }

  // The session uses this number. Returns how far the next one is ahead of what is on the disk.
  [[nodiscard]] std::uint64_t use(SessionKey session, std::uint64_t number) noexcept {
    Session& one = sessions_[session];
    if (one.stretch != stretch_) {
      one.at_cut_before = one.stretch + 1 == stretch_ ? one.at_cut : one.next;
      one.at_cut = one.next;
      one.stretch = stretch_;
    }
    one.next = number + 1;
    return one.next - one.at_cut_before;
  }

  // A new epoch: what was before does not matter, since the caller waits for the reset.
  void reset(SessionKey session) noexcept { set(session, 1); }

  // Likewise, when an operator set the next number.
  void set(SessionKey session, std::uint64_t next) noexcept {
    sessions_[session] = {.stretch = stretch_, .next = next, .at_cut = next, .at_cut_before = next};
  }

 private:
  struct Session {
    std::uint64_t stretch = 0;  // in which it used a number last
    std::uint64_t next = 1;
    std::uint64_t at_cut = 1;
    std::uint64_t at_cut_before = 1;
  };
  std::vector<Session> sessions_;  // by key
  LogPosition cut_ = 0;
  std::uint64_t stretch_ = 2;  // no session's, and not the one behind
};

}  // namespace nexusfix::store
