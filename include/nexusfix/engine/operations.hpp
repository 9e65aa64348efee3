// What the part that serves operators (nexusfix::web) sees of a running engine, and what it can
// ask of it. For parts: a program uses Engine itself.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include <nexusfix/base/event_id.hpp>
#include <nexusfix/config/settings.hpp>
#include <nexusfix/engine/running_engine.hpp>
#include <nexusfix/engine/statistics.hpp>
#include <nexusfix/observe/event_log.hpp>

namespace nexusfix::engine {

// A running engine. Any thread but those of event loops.
class Operations {
 public:
  // It lives as long as the server that start() got it for.
  virtual ~Operations() = default;

  // As Engine::statistics(). Does not block.
  [[nodiscard]] virtual EngineStatistics statistics() const = 0;
  // Carries out a command, as command_running_engine() does. identity: the operator, for the event
  // log. Blocks until the session's event loop has begun it, at most for some seconds. The error
  // says why nothing was done.
  [[nodiscard]] virtual std::expected<void, std::string> command(OperatorCommand command,
                                                                 std::string_view identity) = 0;
  // Sets sequence numbers, as set_live_numbers() does. identity, blocking and errors: as of
  // command().
  [[nodiscard]] virtual std::expected<void, std::string> set_numbers(LiveNumbers numbers,
                                                                     std::string_view identity) = 0;
  // Logs an event of the engine, soon. Does not block.
  virtual void report(EventId id, std::string text) = 0;
};

// The ports for operators. The engine's thread opens, starts and destroys it, the last before the
// event loops end.
class OperationsServer {
 public:
  virtual ~OperationsServer() = default;
  // Serves from here on. The error names the key and the cause.
  [[nodiscard]] virtual std::expected<void, std::string> start(Operations& engine) = 0;
  // Receives every event, on the threads of all loops at the same time. It must not block.
  [[nodiscard]] virtual observe::EventLog& events() noexcept = 0;
};

}  // namespace nexusfix::engine

namespace nexusfix::web {

// The server as the engine makes it.
struct WebPart {
  // Opens the ports of the settings, and accepts no connection before start(). settings is not
  // needed afterwards. The error has each fault in a line, with file and line.
  std::expected<std::unique_ptr<engine::OperationsServer>, std::string> (*open)(
      const config::Settings& settings) = nullptr;
};

}  // namespace nexusfix::web
