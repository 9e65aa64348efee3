// Whether a simulated process lives. Its disk and its network check it at every call, so that the
// process can die between any two calls: from then on every call fails, and nothing that the engine
// still does has an effect.
#pragma once

#include <cstdint>
#include <optional>

#include <nexusfix/base/language.hpp>

namespace nexusfix::simulator {

enum class SeamCall : std::uint8_t { Write, Sync, Send, Receive, Callback, Other };

enum class CallFate : std::uint8_t {
  Done,
  DiesIn,  // the process dies in this call, which may be half done
  Dead,    // it was dead before
};

class ProcessLife {
 public:
  void begin() noexcept {
    alive_ = true;
    calls_left_.reset();
    dies_in_write_ = false;
    ++incarnation_;
  }
  void end() noexcept { alive_ = false; }
  // It dies in the call after this number of calls.
  void end_after(std::uint32_t calls) noexcept { calls_left_ = calls; }
  // It dies in its next write.
  void end_in_write() noexcept { dies_in_write_ = true; }

  [[nodiscard]] bool alive() const noexcept { return alive_; }
  [[nodiscard]] bool is_doomed() const noexcept { return calls_left_ || dies_in_write_; }
  // The number of starts.
  [[nodiscard]] std::uint64_t incarnation() const noexcept { return incarnation_; }

  [[nodiscard]] CallFate step(SeamCall call) noexcept {
    if (!alive_) return CallFate::Dead;
    const bool is_over = calls_left_ && (*calls_left_)-- == 0;
    if (!is_over && !(dies_in_write_ && call == SeamCall::Write)) return CallFate::Done;
    alive_ = false;
    return CallFate::DiesIn;
  }

 private:
  bool alive_ = false;
  bool dies_in_write_ = false;
  std::optional<std::uint32_t> calls_left_;
  std::uint64_t incarnation_ = 0;
};

}  // namespace nexusfix::simulator
