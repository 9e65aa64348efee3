// A running engine, as the part that serves operators over HTTP sees it (nexusfix::web).
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include <nexusfix/base/event_id.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/observe/logs.hpp>
#include <nexusfix/statistics.hpp>

#include "config/api/settings.hpp"
#include "control/api/operator_acts.hpp"

namespace nexusfix::engine {

// Copies of the messages of a running engine, from one moment on. One thread at a time.
class MessageSubscription {
 public:
  // Receives one message. Its views are valid until the call returns.
  using Visitor = FunctionRef<void(const observe::LoggedMessage&)>;

  // It may outlive the engine: then nothing more comes.
  virtual ~MessageSubscription() = default;
  // Passes the messages that wait, up to about bytes_max bytes. Does not block.
  virtual void read(std::size_t bytes_max, Visitor visit) = 0;
  // The number of messages that did not fit since the last call: read() was called too late.
  [[nodiscard]] virtual std::uint64_t consume_lost() = 0;
};

// A running engine. Any thread but those of event loops.
class Operations {
 public:
  // It lives as long as the server that start() got it for.
  virtual ~Operations() = default;

  // As Engine::statistics(). Does not block.
  [[nodiscard]] virtual EngineStatistics statistics() const = 0;
  // The folders of the journal, by event loop. Empty: there is no journal on the disk.
  [[nodiscard]] virtual std::vector<std::string> journal_folders() const = 0;
  // Carries out a command, as command_running_engine() does. identity: the operator, for the event
  // log and the store; printable. Blocks until the session's event loop has begun it, at most for
  // some seconds. The error says why nothing was done.
  [[nodiscard]] virtual std::expected<void, std::string> command(OperatorCommand command,
                                                                 const std::string& identity) = 0;
  // Sets sequence numbers, as set_live_numbers() does. identity, blocking and errors: as of
  // command().
  [[nodiscard]] virtual std::expected<void, std::string> set_numbers(
      LiveNumbers numbers, const std::string& identity) = 0;
  // The messages of a session from here on; empty: of all sessions. The error: there are too many
  // readers already.
  [[nodiscard]] virtual std::expected<std::unique_ptr<MessageSubscription>, std::string> follow(
      const std::string& session) = 0;
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
