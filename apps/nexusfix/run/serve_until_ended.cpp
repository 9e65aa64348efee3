#include "nexusfix/run/serve_until_ended.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <poll.h>

#include <nexusfix/observe/logs.hpp>
#include <nexusfix/statistics.hpp>

#include "observe/api/logs.hpp"

namespace nexusfix::command {

bool is_handed_over(const engine::Engine& engine) {
  const auto cluster = engine.statistics().cluster;
  return cluster && cluster->is_handing_over && !engine::StopSignals::received();
}

Reopening::Next Reopening::after(const Served& served, MonoTime now) {
  if (served.is_handed_over) {
    until_ = now + kMax;
    return Next::Open;
  }
  return served.was_open || !until_ || now >= *until_ ? Next::End : Next::OpenLater;
}

int serve_until_ended(FunctionRef<Served()> serve) {
  SystemClock clock;
  Reopening reopening;
  for (;;) {
    const Served served = serve();
    const Now now = clock.now();
    const Reopening::Next next = reopening.after(served, now.mono);
    if (next == Reopening::Next::Open) continue;
    if (next == Reopening::Next::End || engine::StopSignals::received()) return served.status;
    const std::string text = fmt::format(
        "the shard was handed over, and the engine could not open again to wait for it: it tries "
        "again every second, for at most {} s",
        Reopening::kMax.count());
    observe::StreamEventLog{stderr}.write(
        {.time = now.wall, .id = EventId::ClusterOpensAgain, .session = {}, .text = text});
    static_cast<void>(::poll(nullptr, 0, 1'000));
  }
}

}  // namespace nexusfix::command
