// A thread on another core, for the rows that need two.
#pragma once

#include <atomic>
#include <thread>

#include "bench/measure/machine.hpp"

namespace nexusfix::bench {

// While it lives, threads started by this thread run on the cores that this thread does not use:
// new threads inherit their creator's cores.
class StartElsewhere {
 public:
  StartElsewhere();
  StartElsewhere(const StartElsewhere&) = delete;
  StartElsewhere& operator=(const StartElsewhere&) = delete;
  ~StartElsewhere();

 private:
  CoreSet before_;
};

// Runs round() repeatedly on another core between resume() and pause(), and sleeps otherwise. Both
// return after the thread has changed its state. The thread calls round() again after a request to
// pause, so that it processes everything that was passed to it before.
template <class Round>
class BackgroundLoop {
 public:
  explicit BackgroundLoop(Round round) : round_{round} {
    const StartElsewhere elsewhere;
    thread_ = std::thread{[this] { loop(); }};
  }
  BackgroundLoop(const BackgroundLoop&) = delete;
  BackgroundLoop& operator=(const BackgroundLoop&) = delete;
  ~BackgroundLoop() {
    command(kEnd);
    thread_.join();
  }

  void resume() { command_and_wait(kRun); }
  void pause() { command_and_wait(kPause); }

 private:
  static constexpr int kPause = 0;
  static constexpr int kRun = 1;
  static constexpr int kEnd = 2;

  // All accesses are sequentially consistent: none of them is measured.
  void command(int wanted) {
    wanted_ = wanted;
    wanted_.notify_one();
  }
  void command_and_wait(int wanted) {
    command(wanted);
    while (state_ != wanted) state_.wait(1 - wanted);
  }
  void loop() {
    while (true) {
      const int wanted = wanted_;
      // Everything that was passed before the command is visible now.
      if (wanted != kRun) round_();
      if (wanted == kEnd) return;
      if (state_ != wanted) {
        state_ = wanted;
        state_.notify_one();
      }
      if (wanted == kPause) {
        wanted_.wait(kPause);
      } else {
        while (wanted_ == kRun) round_();
      }
    }
  }

  Round round_;
  std::atomic<int> wanted_{kPause};
  std::atomic<int> state_{kPause};
  std::thread thread_;
};

}  // namespace nexusfix::bench
