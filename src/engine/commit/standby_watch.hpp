// What an engine does while it waits as a standby: it reports it, and gives signs of life.
#pragma once

#include <nexusfix/engine/stop_signals.hpp>
#include <nexusfix/store/standby.hpp>

#include "engine/commit/recovery.hpp"
#include "engine/commit/standby_board.hpp"
#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

// The thread of Engine::open(), which clears the board when the ports are open.
class StandbyWatch final : public store::StandbyObserver {
 public:
  StandbyWatch(LoopContext& loop, Recovery& recovery) noexcept : loop_{loop}, recovery_{recovery} {}

  [[nodiscard]] bool follows_messages() const override { return recovery_.is_wanted(); }
  void on_message(const store::Store::LogMessage& message) override { recovery_.take(message); }
  [[nodiscard]] bool on_waiting(const store::StandbyState& state) override {
    loop_.update_time();
    store::StandbyState shown = state;
    if (!recovery_.is_wanted()) shown.followed_end = state.log_end;
    loop_.shared.standby->set(shown, loop_.now().wall);
    if (loop_.service != nullptr) {
      loop_.service->ready();  // a start that waits is no failure
      loop_.service->is_alive(loop_.index, loop_.now().mono);
    }
    return !StopSignals::received();
  }
  void on_event(store::StoreEvent event) override {
    loop_.update_time();
    loop_.report.engine(event.id, event.text);
  }

 private:
  LoopContext& loop_;
  Recovery& recovery_;
};

}  // namespace nexusfix::engine
