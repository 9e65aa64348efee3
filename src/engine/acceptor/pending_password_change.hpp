// A Logon that waits for the change of its password.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <nexusfix/engine/session.hpp>

namespace nexusfix::engine {

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

}  // namespace nexusfix::engine
