// How long messages take from their arrival to the callback and to their answers.
#pragma once

#include <nexusfix/base/clock.hpp>

#include "control/api/counters.hpp"
#include "engine/ground/loop_clock.hpp"

namespace nexusfix::engine {

// One message of kTimedEvery is measured, because a reading of the clock takes as long as 200
// instructions. The loop reads its clock once for all bytes that one look at the network has found:
// that is when a message has arrived. The call of on_message() is read for the measurement. An
// answer is sent when the socket has taken its bytes; the time of that is the next one that the
// loop reads anyway. A loop that sleeps reads it at the end of its turn. A spinning loop reads it
// after its next look at the sockets, so that look is within the figures.
//
// With ReceiveTimestamps the operating system says when bytes came, in CLOCK_REALTIME.

struct TimedAnswer {
  MonoTime received{};       // the arrival of the message
  MonoTime called = kNever;  // the call of on_message(); kNever: no such answer is queued

  [[nodiscard]] bool is_queued() const noexcept { return called != kNever; }
};

// The loop's thread only.
class LatencyMeter {
 public:
  // A prime, so that it meets each place of a batch, whatever the number of messages in it.
  static constexpr unsigned kTimedEvery = 17;

  LatencyMeter(LoopClock& clock, LoopCounters& counters) noexcept
      : clock_{clock}, counters_{counters} {}

  // A session of the loop asks when its bytes came: from now on each receive reports it.
  void begin_stamps() noexcept { has_stamps_ = true; }
  [[nodiscard]] bool has_stamps() const noexcept { return has_stamps_; }
  // After a receive. at: when its bytes came, by the system's wall clock; WallTime::min(): it is
  // not known.
  void on_stamped(WallTime at) noexcept { stamp_ = at; }
  // on_message() is called next.
  void on_deliver() noexcept {
    if (--untimed_ == 0) [[unlikely]]
      time_call();
  }
  // It has returned.
  void on_delivered() noexcept { is_timed_ = false; }
  // A message has been added to a connection's queue.
  void on_queued(TimedAnswer& answer) const noexcept {
    if (is_timed_ && !answer.is_queued()) [[unlikely]]
      answer = {.received = clock_.now().mono, .called = called_};
  }
  // The socket has taken all of the queue, with this answer.
  void on_sent(TimedAnswer& answer, SessionCounters& session) noexcept;

  // An answer was sent, and the time of that is not known yet.
  [[nodiscard]] bool is_unsettled() const noexcept { return sent_by_ != nullptr; }
  // This is the time.
  void settle(MonoTime now) noexcept;

 private:
  void time_call() noexcept;

  LoopClock& clock_;
  LoopCounters& counters_;
  bool has_stamps_ = false;
  WallTime stamp_ = WallTime::min();    // of the last receive
  unsigned untimed_ = 1;                // the call after this number of calls is timed
  bool is_timed_ = false;               // the running call
  MonoTime called_{};                   // its time, if is_timed_
  SessionCounters* sent_by_ = nullptr;  // null: nothing is unsettled
  TimedAnswer sent_;
};

}  // namespace nexusfix::engine
