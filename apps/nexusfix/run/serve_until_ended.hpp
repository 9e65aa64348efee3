// Serves an engine, and opens it again after its shard of a cluster was handed over.
#pragma once

#include <expected>
#include <optional>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/engine.hpp>

#include "nexusfix/command.hpp"

namespace nexusfix::command {

// How an engine was served.
struct Served {
  int status = kFailure;
  bool was_open = false;
  bool is_handed_over = false;  // to another node of the cluster, and no signal asked for the end
};

// Whether this engine has ended for another node of the cluster, without a signal.
[[nodiscard]] bool is_handed_over(const engine::Engine& engine);

// Engine::open(). While it waits as a standby, SIGINT and SIGTERM end it with status 0. Another
// error is printed.
template <class Application>
[[nodiscard]] std::expected<engine::Engine, Served> open_to_serve(
    std::string_view command, config::Settings settings, Application& application,
    const engine::EngineOptions& options) {
  std::optional<engine::StopSignals> while_waiting;
  if (settings.postgres.if_owned == store::IfOwned::Wait) while_waiting.emplace();
  auto engine = engine::Engine::open(std::move(settings), application, options);
  if (engine) return std::move(*engine);
  if (engine::StopSignals::received()) return std::unexpected{Served{.status = kSuccess}};
  return std::unexpected{Served{.status = fail(command, engine.error().what())}};
}

// etcd or the database may not answer in the moment of a hand-over: only when they stay away for a
// minute, the service manager must start the process again.
class Reopening {
 public:
  static constexpr std::chrono::seconds kMax{60};
  enum class Next : std::uint8_t { End, Open, OpenLater };

  // What follows an engine that ended now, or could not open.
  [[nodiscard]] Next after(const Served& served, MonoTime now);

 private:
  std::optional<MonoTime> until_;  // nothing: no shard was handed over
};

// Calls serve until its engine has ended for good. Returns its last status.
[[nodiscard]] int serve_until_ended(FunctionRef<Served()> serve);

}  // namespace nexusfix::command
