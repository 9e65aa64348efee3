// Optional parts of an engine: what the one that serves operators (nexusfix::web) sees of a running
// engine and can ask of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/event_id.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/engine/running_engine.hpp>
#include <nexusfix/observe/logs.hpp>
#include <nexusfix/settings.hpp>
#include <nexusfix/store/postgres_part.hpp>

namespace nexusfix::engine {

// What an operator asks of a session or the whole engine.
using OperatorRequest = std::variant<OperatorCommand, LiveNumbers>;
// Reads a command as the control socket gets it: one JSON object (docs/operations/control.md). The
// error says what was expected, and that nothing was done.
[[nodiscard]] std::expected<OperatorRequest, std::string> read_operator_request(
    std::string_view json);
// The answer of the control socket to such a request: one JSON object.
[[nodiscard]] std::string operator_answer(const std::expected<void, std::string>& done);

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

// An engine as a member of a cluster: what the part nexusfix::cluster gives to the engine.

namespace nexusfix::engine {

// What a member asks of its engine. Any thread.
class ClusterObserver {
 public:
  // Outlives the member.
  virtual ~ClusterObserver() = default;
  // Something that the operator must know.
  virtual void on_event(EventId id, const std::string& text) = 0;
  // The shard is to go to another node: the engine stops. Must not block, nor call the member.
  virtual void on_hand_over() = 0;
};

// It has a thread of its own, which renews the lease. The engine destroys it after its stores: then
// it gives the shard back.
class ClusterMember : public store::LogLease {
 public:
  // The engine serves the shard: on_hand_over() may be called once from now on. Any thread.
  virtual void serve() = 0;
  // on_hand_over() is called no more when this returns.
  virtual void stop_serving() noexcept = 0;
  // The engine has the shard, and ends without serving it: the node is shown as refused from the
  // end of this object on, until its engine serves the shard. Without effect before on_claimed().
  virtual void refuse(std::string why) = 0;
  // Any thread.
  [[nodiscard]] virtual ClusterStatistics statistics() const = 0;
  // MoveShard (to this node), DrainNode or JoinNode. Returns when etcd has noted it, and then
  // reports this text. The error says why nothing was changed, or that it is not known. Any thread;
  // blocks for the answers of etcd.
  [[nodiscard]] virtual std::expected<void, std::string> order(OperatorAct act,
                                                               const std::string& node,
                                                               const std::string& text) = 0;
};

}  // namespace nexusfix::engine

namespace nexusfix::cluster {

// The cluster as the engine joins it.
struct ClusterPart {
  // Becomes a member, and begins to renew its lease. May block for twice the lease. The error says
  // why the shard was not touched.
  std::expected<std::unique_ptr<engine::ClusterMember>, std::string> (*join)(
      const config::ClusterSettings& settings, engine::ClusterObserver& observer) = nullptr;
};

}  // namespace nexusfix::cluster

// Checks of the files, folders, CPUs and addresses that a configuration names. They are slow, and
// create nothing.

namespace nexusfix::engine {

// The checks that Engine::open() makes before it creates anything: dictionaries are readable,
// folders are writable, CPUs exist, and the program has the parts that the sessions need. The value
// holds warnings about dictionaries; the error holds every error.
[[nodiscard]] std::expected<std::vector<config::SettingsError>, config::SettingsErrors> preflight(
    const config::Settings& settings, Disk& disk, const Parts& parts = {});

// Listen addresses that this machine does not have, and host names without an address. Asks the
// resolver, and blocks until it answers. Opens no port, so an engine may run with this file.
[[nodiscard]] config::SettingsErrors missing_addresses(const config::Settings& settings);

// Our certificates and revocation lists that have expired or expire within 30 days. They do not
// prevent a start; a running engine logs them every day.
[[nodiscard]] std::vector<config::SettingsError> expiring_certificates(
    const config::Settings& settings, Disk& disk, WallTime now);

}  // namespace nexusfix::engine
