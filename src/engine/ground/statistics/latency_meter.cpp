#include "engine/ground/statistics/latency_meter.hpp"

#include <utility>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

void LatencyMeter::time_call() noexcept {
  untimed_ = kTimedEvery;
  const Now now = clock_.read();
  called_ = now.mono;
  is_timed_ = true;
  counters_.receive_to_callback.record(called_ - clock_.now().mono);
  // A clock that was set back, or one of the program's own, may be before the kernel's.
  if (stamp_ != WallTime::min() && stamp_ <= now.wall) [[unlikely]]
    counters_.wire_to_callback.record(now.wall - stamp_);
}

void LatencyMeter::on_sent(TimedAnswer& answer, SessionCounters& session) noexcept {
  // A timed call that has sent on several connections.
  if (is_unsettled()) settle(clock_.read().mono);
  sent_by_ = &session;
  sent_ = std::exchange(answer, {});
}

void LatencyMeter::settle(MonoTime now) noexcept {
  SessionCounters* const session = std::exchange(sent_by_, nullptr);
  counters_.callback_to_sent.record(now - sent_.called);
  counters_.receive_to_sent.record(now - sent_.received);
  SessionDetails* const details = session->details.get();
  if (details == nullptr) return;
  if (SessionLatency* const latency = details->receive_to_sent.made()) {
    latency->record(now - sent_.received);
  }
}

void LoopContext::add_to(EngineStatistics& figures, const Now& at) const {
  figures.loops.push_back(stats.read(index, at));
  const bool has_failed = figures.loops.back().store.health == StoreStatistics::Health::Failed;
  for (const auto& counters : session_figures.copy()) {
    if (counters->is_gone.read()) continue;
    SessionStatistics& session = figures.sessions.emplace_back(counters->read());
    if (has_failed) session.state = SessionState::StoreFailed;
  }
}

}  // namespace nexusfix::engine
