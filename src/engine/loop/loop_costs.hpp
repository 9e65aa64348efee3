// Finds the session or the address that costs an event loop its time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/base/time.hpp>

namespace nexusfix::engine {

// A turn takes microseconds, and nothing is measured. After a slow one, each event of a connection
// is measured for a second: a loop that is slow can spare the reads of the clock.
class LoopCosts {
 public:
  static constexpr std::chrono::milliseconds kSlowTurn{2};
  static constexpr std::chrono::seconds kWindow{1};
  // The part of the time that a session or an address takes to be named.
  static constexpr int kShareMin = 4;
  static constexpr std::chrono::minutes kNamedAgain{1};

  struct Costly {
    std::string who;  // a session, or an address that has not logged on
    MonoTime::duration time{};
    std::uint64_t events = 0;
    MonoTime::duration window{};
  };

  void begin_turn(MonoTime now) noexcept { turn_began_ = now; }
  // Before the loop sleeps, or when the next turn begins. A slow turn begins a window.
  void end_turn(MonoTime now) noexcept {
    const MonoTime began = std::exchange(turn_began_, kNever);
    if (now - kSlowTurn < began || is_measuring()) [[likely]]
      return;
    window_began_ = now;
    window_ends_ = now + kWindow;
  }
  void forget_turn() noexcept { turn_began_ = kNever; }
  [[nodiscard]] bool is_measuring() const noexcept { return window_ends_ != kNever; }
  [[nodiscard]] bool is_over(MonoTime now) const noexcept { return now >= window_ends_; }

  void add(std::string_view who, MonoTime::duration time);
  // Ends the window. Nothing: no one took a large part of it, or was named a moment ago.
  [[nodiscard]] std::optional<Costly> end_window(MonoTime now);

 private:
  struct Cost {
    MonoTime::duration time{};
    std::uint64_t events = 0;
  };

  MonoTime turn_began_ = kNever;
  MonoTime window_began_{};
  MonoTime window_ends_ = kNever;
  MonoTime named_until_ = MonoTime::min();
  std::map<std::string, Cost, std::less<>> costs_;  // of the window
};

}  // namespace nexusfix::engine
