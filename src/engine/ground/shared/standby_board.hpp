// Whether the engine is a standby, for the threads that show it.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/engine/statistics.hpp>
#include <nexusfix/store/standby.hpp>

namespace nexusfix::engine {

// Any thread.
class StandbyBoard {
 public:
  void set(const store::StandbyState& state, WallTime now) {
    const std::lock_guard lock{mutex_};
    const WallTime since = standby_ ? standby_->since : now;
    standby_ = StandbyStatistics{.owner = state.owner,
                                 .since = since,
                                 .is_connected = state.is_connected,
                                 .log_bytes = state.log_end,
                                 .followed_bytes = state.followed_end};
  }
  void clear() {
    const std::lock_guard lock{mutex_};
    standby_.reset();
  }
  // Unset: the engine serves its sessions.
  [[nodiscard]] std::optional<StandbyStatistics> read() const {
    const std::lock_guard lock{mutex_};
    return standby_;
  }
  // "waits for the log, which ... owns"; empty: it serves its sessions.
  [[nodiscard]] std::string text() const {
    const auto standby = read();
    if (!standby) return {};
    if (!standby->is_connected) return "is not connected to the database";
    if (standby->owner.empty()) return "takes the log over";
    return "waits for the log, which " + standby->owner + " owns";
  }

 private:
  mutable std::mutex mutex_;
  std::optional<StandbyStatistics> standby_;
};

}  // namespace nexusfix::engine
