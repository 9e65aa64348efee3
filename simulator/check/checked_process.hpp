// A running process, as the checker sees it: its store and its sessions.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nexusfix/store.hpp>

#include "session/api/state_machine.hpp"

namespace nexusfix::simulator {

// Sessions have their index in the settings.
class CheckedProcess {
 public:
  virtual ~CheckedProcess() = default;

  [[nodiscard]] virtual const store::SessionRecord& record(std::size_t session) const = 0;
  // Messages up to this number may be gap-filled: their segments were retired.
  [[nodiscard]] virtual std::uint64_t retired_until(std::size_t session) const = 0;
  [[nodiscard]] virtual store::LogPosition appended() const = 0;
  [[nodiscard]] virtual bool is_logged_on(std::size_t session) const = 0;
  [[nodiscard]] virtual session::Numbers numbers(std::size_t session) const = 0;
};

}  // namespace nexusfix::simulator
