// How a process dies, and at which step of its work a fault kills it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace nexusfix::simulator {

// What ends with a process. Writes that were not synced are lost with the mount, and with the
// machine.
enum class End : std::uint8_t { Process, Mount, Machine };

class PlannedDeath {
 public:
  void begin_process() noexcept { end_ = End::Process; }
  void set(End end) noexcept { end_ = end; }
  // A worse end replaces a milder one.
  void worsen(End end) noexcept { end_ = std::max(end_, end); }
  // The end of the death that is planned, or that has come.
  [[nodiscard]] End end() const noexcept { return end_; }

  // The process dies when its journal begins the next segment, or when its next session is reset.
  void plan_in_roll() noexcept { is_in_roll_ = true; }
  void plan_in_reset() noexcept { is_in_reset_ = true; }
  // Whether it dies now; true at most once a plan.
  [[nodiscard]] bool consume_in_roll() noexcept { return std::exchange(is_in_roll_, false); }
  [[nodiscard]] bool consume_in_reset() noexcept { return std::exchange(is_in_reset_, false); }
  void cancel() noexcept { is_in_roll_ = is_in_reset_ = false; }

 private:
  End end_ = End::Process;
  bool is_in_roll_ = false;
  bool is_in_reset_ = false;
};

}  // namespace nexusfix::simulator
