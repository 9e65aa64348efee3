// What the live screen knows of an engine: its newest status, the rates and the changes since the
// screen began. Pure: the caller asks the engine and has the clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "control/api/running_engine.hpp"

namespace nexusfix::tui {

// What the screen has seen happen, between two looks at the engine; or an event of its log.
struct Change {
  WallTime seen_at{};
  std::string session{};  // empty: the whole engine
  std::string text{};
};

struct SessionView {
  engine::SessionStatistics status{};
  // Messages a second since the look before; absent: there was none.
  std::optional<double> in_rate{};
  std::optional<double> out_rate{};
  std::uint64_t resent_now = 0;     // messages that the engine sent again since the look before
  std::uint64_t resent_before = 0;  // the count when the resend that runs now began
  std::optional<Change> last{};     // the newest change; absent: none was seen
};

// The answer of an engine at one moment.
struct Look {
  engine::EngineStatus status{};
  std::vector<engine::LatencyRow> loops{};  // of each event loop
  // The latencies of the session that the operator has selected.
  std::string latency_session{};
  std::vector<engine::LatencyRow> latencies{};
};

class EngineView {
 public:
  static constexpr std::size_t kChangesMax = 500;

  // place: as --engine has it.
  explicit EngineView(std::string place) : place_{std::move(place)} {}

  // The engine has answered. now: the time of the answer.
  void add(Look look, Now now);
  // The engine gave no answer, and why. The last known sessions stay.
  void lose(std::string why, Now now);
  // Events of the engine's log, the oldest first. One of a session's file gets the session's name.
  void add_events(std::vector<Change> events);

  [[nodiscard]] const std::string& place() const noexcept { return place_; }
  [[nodiscard]] const Look& look() const noexcept { return look_; }
  // In the order of the engine. Valid until the next add().
  [[nodiscard]] const std::vector<SessionView>& sessions() const noexcept { return sessions_; }
  // The oldest one first.
  [[nodiscard]] const std::deque<Change>& changes() const noexcept { return changes_; }
  // The oldest one first; empty: the engine has no event files that can be read.
  [[nodiscard]] const std::deque<Change>& events() const noexcept { return events_; }
  // Why the engine gives no answer; empty: it does.
  [[nodiscard]] const std::string& loss() const noexcept { return loss_; }
  [[nodiscard]] WallTime lost_since() const noexcept { return lost_since_; }
  [[nodiscard]] std::size_t attention_count() const noexcept;

 private:
  void record(SessionView* session, std::string text, WallTime now);
  void compare(SessionView& now, const SessionView& before, std::chrono::duration<double> between,
               WallTime at);
  void compare_numbers(SessionView& now, const engine::SessionStatistics& before, WallTime at);

  std::string place_;
  Look look_;
  std::optional<Now> looked_at_;
  std::vector<SessionView> sessions_;
  std::deque<Change> changes_;
  std::deque<Change> events_;
  std::string loss_;
  WallTime lost_since_{};
};

}  // namespace nexusfix::tui
