// Which messages of each session went with retired segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

class RetiredNumbers {
 public:
  // So that set() needs no memory for these sessions.
  void resize(std::size_t sessions) { by_key_.resize(sessions); }
  // Messages of this epoch with numbers up to this one may be in retired segments.
  void set(SessionKey session, std::uint64_t epoch, std::uint64_t until) noexcept {
    by_key_[session] = {epoch, until};
  }
  void add(std::uint64_t epoch, std::uint64_t until) { by_key_.push_back({epoch, until}); }
  // 0: none of the session's epoch.
  [[nodiscard]] std::uint64_t until(SessionKey session, std::uint64_t epoch) const noexcept {
    if (session >= by_key_.size()) return 0;
    const Session& one = by_key_[session];
    return one.epoch == epoch ? one.until : 0;
  }

 private:
  struct Session {
    std::uint64_t epoch = 0;
    std::uint64_t until = 0;
  };
  std::vector<Session> by_key_;
};

}  // namespace nexusfix::store
