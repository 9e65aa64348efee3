// NewPassword (925) of a Logon: it waits for the change of its password.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <nexusfix/engine/session.hpp>

namespace nexusfix::engine {

class LoopContext;
class SessionEntry;

// The answer to an accepted Logon, which waits until its password is changed.
class PendingPasswordChange {
 public:
  void begin(std::uint64_t logon_id, LogonAnswer answer) noexcept {
    answer_ = std::move(answer);
    logon_id_ = logon_id;
  }
  [[nodiscard]] LogonAnswer take_answer() noexcept { return *std::exchange(answer_, std::nullopt); }
  [[nodiscard]] std::uint64_t logon_id() const noexcept { return logon_id_; }

 private:
  std::optional<LogonAnswer> answer_;
  std::uint64_t logon_id_ = 0;
};

// The last step before the answer to a Logon that breaks no rule and that the application accepts.
// True: the answer waits until the password is changed.
[[nodiscard]] bool begin_password_change(LoopContext& loop, SessionEntry& entry,
                                         LogonAnswer& answer);

}  // namespace nexusfix::engine
