// What operators see of a running engine and can ask of it: by its control socket, from another
// process, and in the part that serves them (nexusfix::web). Also the engine as a member of a
// cluster, and the checks before a start.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/event_id.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/engine/running_engine.hpp>
#include <nexusfix/observe/logs.hpp>
#include <nexusfix/session/identity.hpp>

#include "config/api/settings.hpp"
#include "store/api/postgres_part.hpp"

namespace nexusfix::engine {

// Why a request was not carried out, or it is not known whether it was.
struct LiveError {
  bool is_absent = false;  // no engine listens in this folder
  std::string text;        // the reason, for people
};

// One session of a running engine, at one moment. The counts are those since the engine started.
struct SessionStatus {
  std::string name{};                     // as Session::name()
  bool is_initiator = false;              // false: an acceptor
  std::string state{};                    // "logged on": a text of to_string(SessionState)
  std::string why{};                      // as SessionStatistics::why
  std::uint64_t failures_in_a_row = 0;    // as in SessionStatistics
  std::optional<WallTime> since{};        // of the last Logon or its end; none: there was no Logon
  session::Numbers next{};                // the next MsgSeqNum of each direction
  std::uint64_t messages_in = 0;          // received messages of every type
  std::uint64_t messages_out = 0;         // our messages of every type
  std::optional<WallTime> received_at{};  // of the last received message; none: there was none
  std::uint64_t unsent_bytes = 0;         // as Session::unsent_bytes()
  std::uint64_t queued_messages = 0;      // as in SessionStatistics
  // When the oldest of them was given to send(); none: no message waits.
  std::optional<WallTime> queued_since{};
  // As in SessionStatistics, since the engine was opened.
  std::uint64_t bytes_in = 0;          // of messages_in
  std::uint64_t bytes_out = 0;         // of messages_out
  std::uint64_t logons = 0;            // completed exchanges of Logons
  std::uint64_t logon_failures = 0;    // connections that ended before that
  std::uint64_t connect_failures = 0;  // initiator: connections that could not be opened
  std::uint64_t disconnects = 0;       // ends of logged-on connections, for any reason
  std::uint64_t gaps = 0;              // times that received MsgSeqNums were missing
  std::uint64_t resent = 0;            // messages and gap fills that we sent again
  std::uint64_t garbled = 0;           // received pieces that are no valid message
};

// A running engine, at one moment.
struct EngineStatus {
  std::int32_t process = 0;  // its process ID
  WallTime started{};        // when it was opened
  std::uint32_t loops = 1;   // EventLoops
  // For what a standby waits: "waits for the log, which ... owns". Empty: it serves its sessions.
  std::string standby{};
  // "node a has shard s1 of cluster c: fencing token 17; the lease was renewed 412 ms ago". Empty:
  // it is in no cluster.
  std::string cluster{};
  std::vector<SessionStatus> sessions{};  // of all loops, as Engine::session() has them
};

// Asks the engine that runs with this store for its sessions. folder: of the store, or the path of
// the control socket, as in all functions of this file. Blocks for at
// most timeout for each 32 sessions: they are read by their loop, 32 in a turn, so that no order
// waits for a long list. Any thread or process of the engine's user, or of root.
[[nodiscard]] std::expected<EngineStatus, LiveError> status_of_running_engine(
    const std::string& folder, std::chrono::milliseconds timeout = std::chrono::seconds{15});

// What an operator can do. The first nine need a session.
enum class OperatorAct : std::uint8_t {
  LogOut,              // Session::log_out()
  LogOn,               // Session::log_on()
  Disconnect,          // Session::disconnect()
  Reset,               // Session::reset()
  ResetInSession,      // Session::reset_in_session()
  TestRequest,         // sends a TestRequest: see test_running_session()
  SendGapFill,         // sends a SequenceReset-GapFill: our next MsgSeqNum is `number`
  Enable,              // ends Disable
  Disable,             // logs the session out; no Logon until Enable, also after a restart
  Reload,              // Engine::request_reload()
  RotateLogs,          // Engine::reopen_logs()
  ReloadCertificates,  // Engine::reload_certificates()
  Stop,                // Engine::stop()
  Drain,               // Engine::stop() when resends and unsent bytes are done; `number`: seconds
  MoveShard,  // the shard of the engine goes to the node `text`: docs/operations/cluster.md
  DrainNode,  // the engine's node hands its shards over, and takes none until JoinNode
  JoinNode,   // ends DrainNode
};
// "log-out", "log-on", "disconnect", "reset", "reset-in-session", "test-request", "send-gap-fill",
// "enable", "disable", "reload", "rotate-logs", "reload-certificates", "stop", "drain",
// "move-shard", "drain-node", "join-node".
[[nodiscard]] std::string_view to_string(OperatorAct act) noexcept;
// The act of this text; nothing: there is none.
[[nodiscard]] std::optional<OperatorAct> operator_act_of(std::string_view text) noexcept;
// Whether the act is one on the cluster of the engine.
[[nodiscard]] constexpr bool is_of_cluster(OperatorAct act) noexcept {
  return act >= OperatorAct::MoveShard;
}
// Whether the act is one on a session, and not on the whole engine.
[[nodiscard]] constexpr bool needs_session(OperatorAct act) noexcept {
  return act <= OperatorAct::Disable;
}

// A command to a running engine. All texts are printable.
struct OperatorCommand {
  OperatorAct act = OperatorAct::Reload;  // what to do
  std::string session{};                  // its name, as Session::name(); empty: the whole engine
  // Text (58) of the Logout of LogOut, Reset and Disable; MoveShard: a node.
  std::string text{};
  std::uint64_t number = 0;  // SendGapFill: NewSeqNo; Drain: its time limit
  std::string reason{};      // operator and cause; at most kLiveReasonBytesMax bytes
};
// The longest time limit of Drain: an hour.
inline constexpr std::uint64_t kDrainSecondsMax = 3'600;
// The MsgSeqNums that one SendGapFill may skip.
inline constexpr std::uint64_t kGapFillSkipsMax = 1'000'000;
// The longest reason of a request, in bytes.
inline constexpr std::size_t kLiveReasonBytesMax = 1500;

// Has the engine that runs with this store carry out a command. The event log has it (NXF-7010),
// and so has the store, with the user and the process that the kernel reports. Returns when the
// engine has begun it, or refuses it: a Logout and a stop take longer. A reload, and opening logs
// or reading certificates again, are complete then: the result says what came of it, and the error
// why it was refused. Empty for other acts. folder and
// threads: as status_of_running_engine(). Blocks for at most timeout; after a timeout the command
// may still be carried out, and the text says so.
[[nodiscard]] std::expected<std::string, LiveError> command_running_engine(
    const std::string& folder, const OperatorCommand& command,
    std::chrono::milliseconds timeout = std::chrono::seconds{15});

// Sends a TestRequest on a session that is logged on, and returns the time until its Heartbeat came
// back, as the engine's event loop measured it. Recorded like a command. Blocks for at most
// timeout; is_absent is false then, and the text says that no Heartbeat came.
[[nodiscard]] std::expected<std::chrono::nanoseconds, LiveError> test_running_session(
    const std::string& folder, const std::string& session, const std::string& reason,
    std::chrono::milliseconds timeout = std::chrono::seconds{10});

// One message of a running engine.
struct LiveMessage {
  WallTime time{};              // when it was received or sent, UTC
  observe::MessageKind kind{};  // received, sent, or bytes that are no message
  std::string session{};        // its name; empty: the peer belongs to no session
  std::string bytes{};          // with SOH; passwords and values of LogMaskedTags are ***
};

// The messages since the last call.
struct LiveMessages {
  std::vector<LiveMessage> messages{};  // those of one event loop in their order
  std::uint64_t lost = 0;               // messages that did not fit, because next() was called late
};

// A reader of an engine's messages. The engine copies each message into a ring of 1 MiB for each of
// its event loops, and waits for no reader: what does not fit is counted. The engine ends a reader
// that has not called next() for a minute. One thread at a time.
//
//   auto tail = MessageTail::open("/srv/venue/store", "FIX.4.4:VENUE->BROKER");
//   while (auto got = tail->next()) show(*got);
class MessageTail {
 public:
  // The readers that an engine has at once.
  static constexpr std::size_t kReadersMax = 32;

  // folder: as of status_of_running_engine(). session: only its messages; empty: all of them. The
  // error says that the engine has no such session, or kReadersMax readers already.
  [[nodiscard]] static std::expected<MessageTail, LiveError> open(
      const std::string& folder, const std::string& session,
      std::chrono::milliseconds timeout = std::chrono::seconds{15});
  // The messages that wait, up to about 40 KiB; none if none came. Does not wait for any. An error:
  // the engine has ended, or has ended this reader.
  [[nodiscard]] std::expected<LiveMessages, LiveError> next();

 private:
  MessageTail(std::string folder, std::uint64_t id, std::chrono::milliseconds timeout) noexcept
      : folder_{std::move(folder)}, id_{id}, timeout_{timeout} {}

  std::string folder_;
  std::uint64_t id_;
  std::chrono::milliseconds timeout_;
};

// One of the durations that an engine measures: see docs/guide/statistics.md.
struct LatencyRow {
  std::uint32_t loop = 0;   // the index of the event loop
  std::string what{};       // "receive to callback", "callback to sent", ...
  std::uint64_t count = 0;  // of the measured durations; the figures below are 0 without any
  std::chrono::nanoseconds mean{0};     // of all durations
  std::chrono::nanoseconds p50{0};      // half of all durations are below it
  std::chrono::nanoseconds p90{0};      // and so on
  std::chrono::nanoseconds p99{0};      // 99 %
  std::chrono::nanoseconds p999{0};     // 99.9 %
  std::chrono::nanoseconds highest{0};  // the longest one
};

// Asks a running engine for its latencies: of one session, or of each event loop (empty).
[[nodiscard]] std::expected<std::vector<LatencyRow>, LiveError> latencies_of_running_engine(
    const std::string& folder, const std::string& session,
    std::chrono::milliseconds timeout = std::chrono::seconds{15});

// The engines that run on this machine under this user: the folder of the store of a socket that is
// called `control`, and the path of one that is called *.control. Reads /proc/net/unix.
[[nodiscard]] std::vector<std::string> find_running_engines();

// A request to set the next sequence numbers of one session.
struct LiveNumbers {
  std::string session{};        // its name, as Session::name()
  session::Numbers expected{};  // its present next MsgSeqNums; if they differ, nothing is set
  session::Numbers wanted{};    // the new next MsgSeqNums, both 1 to 10^18
  std::string reason{};         // operator and cause; printable, at most kLiveReasonBytesMax bytes
};

// Asks the engine that runs with this store to set sequence numbers. folder: of the store, or of
// one event loop's store. The session's loop runs Session::set_next_numbers() on its own thread.
// Blocks until the change is in the log, until the engine refuses it, or for at most timeout; after
// a timeout the change may still happen, and the text says so. Threads: as
// status_of_running_engine().
[[nodiscard]] std::expected<void, LiveError> set_live_numbers(
    const std::string& folder, const LiveNumbers& request,
    std::chrono::milliseconds timeout = std::chrono::seconds{30});

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
