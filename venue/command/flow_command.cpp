#include "venue/command/flow_command.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/statistics.hpp>

#include "nexusfix/command.hpp"
#include "nexusfix/files/engine_options.hpp"
#include "nexusfix/text/text.hpp"
#include "venue/flow/flow_trader.hpp"
#include "venue/rules/parse_rules.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kCommand = "trade";
constexpr std::uint64_t kFlowRulesBytesMax = 1U << 20U;
constexpr std::array<std::string_view, 3> kVersions{"FIX.4.2", "FIX.4.4", "FIX.5.0SP2"};

std::string summary(const flow::FlowCounts& counts, std::size_t open) {
  return fmt::format(
      "{} sent: {} accepted, {} filled, {} canceled, {} rejected, {} open; {}, {}, {}",
      counted(counts.sent, "order"), with_thousands(counts.accepted), with_thousands(counts.filled),
      with_thousands(counts.canceled), with_thousands(counts.rejected), open,
      counted(counts.fills, "fill"), counted(counts.replaced, "replacement"),
      counted(counts.refused, "refused request"));
}

// Empty: the trader has finished.
std::string run(engine::Engine& engine, flow::FlowTrader& trader, const FlowOptions& options) {
  SystemClock clock;
  const auto pause = options.spin ? std::chrono::nanoseconds{0} : std::chrono::milliseconds{50};
  engine::Session& session = engine.session(0);
  MonoTime last_change = clock.now().mono;
  std::uint64_t seen = 0;
  bool has_logged_out = false;
  while (engine.poll(pause)) {
    const MonoTime now = clock.now().mono;
    const std::uint64_t received = session.numbers().next_inbound + trader.counts().sent;
    if (received != seen) last_change = now;
    seen = received;
    if (trader.finished() && !has_logged_out) {
      session.log_out();
      has_logged_out = true;
    }
    if (now - last_change < std::chrono::seconds{options.silence_seconds}) continue;
    engine.stop();
    return fmt::format("nothing was sent or received for {} s, and {} orders are open",
                       options.silence_seconds, trader.open_count());
  }
  if (!trader.failure().empty()) return trader.failure();
  return trader.finished() ? "" : "stopped before all orders were sent and closed";
}

}  // namespace

int trade_by_rules(const FlowOptions& options) {
  PosixDisk disk;
  const auto text = read_file(disk, options.rules, kFlowRulesBytesMax);
  if (!text) return fail(kCommand, text.error().what());
  auto rules = flow::parse_flow_rules(*text);
  if (!rules) return fail(kCommand, venue::to_string(rules.error(), options.rules));
  auto settings = read_settings(disk, options.config, options.unknown_keys);
  if (!settings) return fail(kCommand, settings.error());
  if (!is_one_initiator(*settings)) {
    return fail(kCommand, options.config + ": exactly one session, an initiator, is needed");
  }
  SystemRandom any;
  SeededRandom random{options.seed.value_or(any.next())};
  flow::FlowTrader trader{std::move(*rules), random};
  auto engine = engine::Engine::open(std::move(*settings), trader, engine_options(options.spin));
  if (!engine) return fail(kCommand, engine.error().what());
  const std::string_view version = engine->session(0).application_version();
  if (std::ranges::find(kVersions, version) == kVersions.end()) {
    return fail(kCommand,
                options.config + ": the trader speaks FIX.4.2, FIX.4.4 and FIX.5.0SP2 only");
  }
  const engine::StopSignals signals{*engine};
  const std::string failure = run(*engine, trader, options);
  fmt::print("{}\n", summary(trader.counts(), trader.open_count()));
  std::fflush(stdout);
  return failure.empty() ? kSuccess : fail(kCommand, failure);
}

}  // namespace nexusfix::command
