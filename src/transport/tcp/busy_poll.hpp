// Whether a wait polls before its thread sleeps. The kernel needs tens of microseconds to wake a
// thread, so polling pays where messages follow one another closely.
#pragma once

#include <algorithm>
#include <chrono>

namespace nexusfix::transport {

// For one kind of waits of one thread: begin() before each, end() after it.
class BusyPoll {
 public:
  using Duration = std::chrono::nanoseconds;

  // Polls for at most this time in each wait. 0: it never polls.
  explicit BusyPoll(Duration time_max) noexcept : time_max_{time_max} {}

  [[nodiscard]] bool is_enabled() const noexcept { return time_max_ > Duration{0}; }

  // How long the next wait polls first; 0: it sleeps at once.
  [[nodiscard]] Duration begin() noexcept {
    polls_ = may_poll_ && pause_ == 0;
    if (pause_ > 0) --pause_;
    return polls_ ? time_max_ : Duration{0};
  }

  // took: how long this wait polled and slept together. events: what it found; 0 or less: its
  // timeout or a signal has ended it. A wait that polls in vain doubles the number of the next ones
  // that do not. A short sleep proves nothing: where the peer runs on the same core, it cannot
  // answer while this thread polls. After many events the next ones gather in a sleep, and are
  // handled together.
  void end(Duration took, int events) noexcept {
    may_poll_ = took <= kDense * time_max_ && events > 0 && events <= kFewEvents;
    if (!polls_ || (events <= 0 && took <= time_max_)) return;
    failures_ = took <= time_max_ ? 0 : std::min(failures_ + 1, kFailuresMax);
    // An even number: where short and long waits alternate, it is not always the long one that
    // polls.
    pause_ = failures_ == 0 ? 0 : 1U << failures_;
  }

 private:
  // Where both sides sleep, a wait contains two wake-ups. Polling saves them.
  static constexpr int kDense = 4;
  static constexpr unsigned kFailuresMax = 8;
  // With 1,000 sessions that all have an order under way, polling after any number of events took
  // a quarter of the throughput.
  static constexpr int kFewEvents = 4;

  Duration time_max_;
  bool polls_ = false;     // in this wait
  bool may_poll_ = false;  // the last wait was short, and found few events
  unsigned failures_ = 0;  // waits that polled in vain, one after the other
  unsigned pause_ = 0;     // the next waits that do not poll
};

}  // namespace nexusfix::transport
