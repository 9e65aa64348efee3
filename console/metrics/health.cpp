#include <iterator>
#include <utility>

#include <nexusfix/metrics.hpp>

namespace nexusfix::metrics {
namespace {

using engine::EngineStatistics;
using engine::LoopStatistics;
using engine::SessionState;
using engine::SessionStatistics;
using StoreHealth = engine::StoreStatistics::Health;

constexpr std::size_t kReasonsMax = 20;

std::string name_of(const LoopStatistics& loop) {
  return "event loop " + std::to_string(loop.index);
}

}  // namespace

std::string Health::text() const {
  if (is_ok()) return "ok\n";
  std::string text;
  for (std::size_t i = 0; i < reasons.size() && i < kReasonsMax; ++i) (text += reasons[i]) += '\n';
  if (reasons.size() > kReasonsMax) {
    text += "and " + std::to_string(reasons.size() - kReasonsMax) + " more\n";
  }
  return text;
}

Health check_health(const EngineStatistics& engine, const HealthLimits& limits) {
  Health health;
  for (const LoopStatistics& loop : engine.loops) {
    if (loop.store.health == StoreHealth::Failed) {
      health.reasons.push_back(name_of(loop) + ": its store has failed, and it has ended");
      continue;
    }
    if (!loop.is_running || !loop.turned_at) continue;
    const auto silence = engine.taken_at - *loop.turned_at;
    if (silence <= limits.silence_max) continue;
    health.reasons.push_back(name_of(loop) + ": it has not turned for " +
                             std::to_string(silence / std::chrono::seconds{1}) +
                             " s: a callback or the disk holds it");
  }
  return health;
}

Health check_readiness(const EngineStatistics& engine, const HealthLimits& limits) {
  Health health = check_health(engine, limits);
  if (engine.standby) {
    const engine::EngineStatistics::Standby& standby = *engine.standby;
    health.reasons.push_back(!standby.is_connected
                                 ? std::string{"standby: it is not connected to the database"}
                             : standby.owner.empty() ? std::string{"standby: it takes the log over"}
                                                     : "standby: it waits for the log, which " +
                                                           standby.owner + " owns");
  }
  if (engine.is_stopping) health.reasons.emplace_back("the engine is stopping");
  for (const LoopStatistics& loop : engine.loops) {
    if (loop.store.health != StoreHealth::Full && loop.store.health != StoreHealth::Stalled) {
      continue;
    }
    health.reasons.push_back(name_of(loop) + ": its store is " +
                             std::string{to_string(loop.store.health)});
  }
  for (const SessionStatistics& session : engine.sessions) {
    if (!session.is_expected || session.state == SessionState::LoggedOn) continue;
    health.reasons.push_back(session.name + ": " + std::string{to_string(session.state)});
  }
  return health;
}

}  // namespace nexusfix::metrics
