// A process as the checker looks into it while it runs: what its store and its sessions say.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nexusfix/session/state_machine.hpp>
#include <nexusfix/store/store.hpp>

namespace nexusfix::simulator {

// Sessions by their index in the settings.
class CheckedProcess {
 public:
  virtual ~CheckedProcess() = default;

  [[nodiscard]] virtual const store::SessionRecord& record(std::size_t session) const = 0;
  // Everything up to there may be filled over: its segments were retired.
  [[nodiscard]] virtual std::uint64_t retired_until(std::size_t session) const = 0;
  [[nodiscard]] virtual store::LogPosition appended() const = 0;
  [[nodiscard]] virtual bool is_logged_on(std::size_t session) const = 0;
  [[nodiscard]] virtual session::Numbers numbers(std::size_t session) const = 0;
};

}  // namespace nexusfix::simulator
