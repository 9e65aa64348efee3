#include "engine/statistics/latency_meter.hpp"

#include <span>

namespace nexusfix::engine {

void LatencyMeter::time_call() noexcept {
  untimed_ = kTimedEvery;
  called_ = clock_.read().mono;
  counters_.receive_to_callback.record(called_ - clock_.now().mono);
}

void LatencyMeter::settle(MonoTime now) noexcept {
  for (const Sent& sent : std::span{sent_}.first(sent_count_)) {
    const QueuedAnswers& answers = sent.answers;
    const MonoTime::duration taken = now - answers.received;
    const std::size_t index = LoopLatency::index_of(taken.count());
    counters_.receive_to_sent.record_at(index, taken, answers.count);
    if (SessionDetails* const details = sent.session->details.get()) {
      details->receive_to_sent.record_at(session_index_of(index), taken, answers.count);
    }
    if (answers.called != kNever) [[unlikely]]
      counters_.callback_to_sent.record(now - answers.called);
  }
  sent_count_ = 0;
}

}  // namespace nexusfix::engine
