#include "engine/ground/statistics/loop_counters.hpp"

#include <chrono>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {
namespace {

// Two positions may be of different moments.
std::uint64_t lag(std::uint64_t ahead, std::uint64_t after) noexcept {
  return ahead > after ? ahead - after : 0;
}

}  // namespace

LoopStatistics LoopCounters::read(std::uint32_t index, const Now& now) const {
  LoopStatistics figures{.index = index,
                         .messages_in = messages_in.read(),
                         .messages_out = messages_out.read(),
                         .bytes_in = bytes_in.read(),
                         .bytes_out = bytes_out.read(),
                         .garbled = garbled.read(),
                         .connections_refused = connections_refused.read(),
                         .out_of_order_discarded = out_of_order_discarded.read(),
                         .connections = connections.read(),
                         .turns = turns.read(),
                         .is_running = is_running.read(),
                         .late_turns = late_turns.read(),
                         .posted_tasks = posted_tasks.read(),
                         .waiting_tasks = waiting_tasks.count.read(),
                         .tasks_wait_since = waiting_tasks.since.if_set(),
                         .wire_to_callback = wire_to_callback.read(),
                         .receive_to_callback = receive_to_callback.read(),
                         .callback_to_sent = callback_to_sent.read(),
                         .receive_to_sent = receive_to_sent.read(),
                         .test_request_round_trip = test_request_round_trip.read()};
  if (const std::int64_t turned = turned_at_ns.read(); turned != 0) {
    const MonoTime turned_at{std::chrono::nanoseconds{turned}};
    figures.turned_at = now.wall - (now.mono - std::min(turned_at, now.mono));
  }
  const std::uint64_t synced = store.synced.read();
  const std::uint64_t durable = store.durable.read();
  const std::uint64_t appended = store.appended.read();
  figures.store = {.health = store.health.read(),
                   .appended_bytes = appended,
                   .undurable_bytes = lag(appended, durable),
                   .unsynced_bytes = lag(appended, synced),
                   .unsynced_since = store.unsynced_since.if_set()};
  return figures;
}

void LoopContext::add_to(EngineStatistics& figures, const Now& at) const {
  figures.loops.push_back(stats.read(index, at));
  const bool has_failed = figures.loops.back().store.health == StoreHealth::Failed;
  for (const auto& counters : session_figures.copy()) {
    if (counters->is_gone.read()) continue;
    SessionStatistics& session = figures.sessions.emplace_back(counters->read());
    if (has_failed) session.state = SessionState::StoreFailed;
  }
}

}  // namespace nexusfix::engine
