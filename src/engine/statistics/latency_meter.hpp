// Measures how long messages take from their arrival to the callback and to their answers.
//
// The loop reads its clock once for all bytes that one look at the network has found: that is when
// a message has arrived. An answer is sent when the socket has taken its bytes; the time of that is
// the next one that the loop reads, so that the clock is not read for the measurement. A loop that
// sleeps reads it after it has sent. A spinning loop reads it after its next look at the sockets,
// so that look is within the figures. Only the call of on_message() needs a reading of its own,
// between two parts of the order's path; it is made for one message of kTimedEvery.
#pragma once

#include <nexusfix/base/time.hpp>

#include "engine/loop/loop_clock.hpp"
#include "engine/statistics/loop_counters.hpp"
#include "engine/statistics/queued_answers.hpp"
#include "engine/statistics/session_counters.hpp"

namespace nexusfix::engine {

// The loop's thread only.
class LatencyMeter {
 public:
  // A prime, so that it meets each place of a batch, whatever the number of messages in it.
  static constexpr unsigned kTimedEvery = 17;

  LatencyMeter(LoopClock& clock, LoopCounters& counters) noexcept
      : clock_{clock}, counters_{counters} {}

  // on_message() is called next.
  void on_deliver() noexcept {
    is_answering_ = true;
    if (--untimed_ == 0) [[unlikely]]
      time_call();
  }
  // It has returned.
  void on_delivered() noexcept {
    is_answering_ = false;
    called_ = kNever;
  }
  // A message has been added to a connection's queue.
  void on_queued(QueuedAnswers& answers) const noexcept {
    if (!is_answering_) return;
    if (answers.count++ == 0) answers.received = clock_.now().mono;
    if (called_ != kNever) [[unlikely]]
      answers.called = called_;
  }
  // The socket has taken all of the queue, and there are answers in it.
  void on_sent(QueuedAnswers& answers, SessionCounters& session) noexcept {
    if (sent_by_ != nullptr) [[unlikely]]
      settle(clock_.read().mono);  // those of another connection
    sent_by_ = &session;
    sent_ = answers;
    answers.count = 0;
    answers.called = kNever;
  }

  // Answers were sent, and the time of that is not known yet: settle() tells it.
  [[nodiscard]] bool is_unsettled() const noexcept { return sent_by_ != nullptr; }
  void settle(MonoTime now) noexcept;

 private:
  void time_call() noexcept;

  LoopClock& clock_;
  LoopCounters& counters_;
  bool is_answering_ = false;           // on_message() runs
  unsigned untimed_ = 1;                // the call after this number of calls is timed
  MonoTime called_ = kNever;            // kNever: the running call is not timed
  SessionCounters* sent_by_ = nullptr;  // null: nothing is unsettled
  QueuedAnswers sent_;
};

}  // namespace nexusfix::engine
