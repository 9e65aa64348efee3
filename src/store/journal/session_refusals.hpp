// What opening found lost, and which sessions may not be opened because of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

class SessionRefusals {
 public:
  void refuse(std::map<SessionKey, std::string> sessions, std::string new_sessions) {
    sessions_ = std::move(sessions);
    new_sessions_ = std::move(new_sessions);
  }
  // A session that the log does not know may have been opened in what the disk has lost, and may
  // have used up to this number of outbound sequence numbers there.
  void expect_lost_sessions(std::uint64_t numbers) noexcept { lost_numbers_ = numbers; }

  // Why this session is refused; null: it is not.
  [[nodiscard]] const std::string* reason(SessionKey session) const {
    const auto found = sessions_.find(session);
    return found == sessions_.end() ? nullptr : &found->second;
  }
  // Why a session that the log does not know is refused; null: it is not.
  [[nodiscard]] const std::string* reason_for_new() const noexcept {
    return new_sessions_.empty() ? nullptr : &new_sessions_;
  }
  [[nodiscard]] std::uint64_t lost_numbers_of_new() const noexcept { return lost_numbers_; }

 private:
  std::map<SessionKey, std::string> sessions_;
  std::string new_sessions_;
  std::uint64_t lost_numbers_ = 0;
};

}  // namespace nexusfix::store
