#include "engine/statistics/latency_meter.hpp"

#include <utility>

namespace nexusfix::engine {

void LatencyMeter::time_call() noexcept {
  untimed_ = kTimedEvery;
  called_ = clock_.read().mono;
  counters_.receive_to_callback.record(called_ - clock_.now().mono);
}

void LatencyMeter::settle(MonoTime now) noexcept {
  const SessionCounters* const session = std::exchange(sent_by_, nullptr);
  const std::size_t index = LoopLatency::index_of((now - sent_.received).count());
  counters_.receive_to_sent.record_at(index, sent_.count);
  if (SessionDetails* const details = session->details.get()) {
    details->receive_to_sent.record_at(session_index_of(index), sent_.count);
  }
  if (sent_.called != kNever) [[unlikely]]
    counters_.callback_to_sent.record(now - sent_.called);
}

}  // namespace nexusfix::engine
