// What an operator's program asks of a running engine from another process: the state of its
// sessions, commands, and new sequence numbers. Requests go through the control socket: `control`
// in the store's folder, or the path of ControlSocket (docs/operations/control.md).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/observe/logs.hpp>
#include <nexusfix/session/identity.hpp>

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

// What a session does at a moment.
enum class SessionState : std::uint8_t {
  LoggedOn,       // both sides have sent a Logon
  LoggingOn,      // connected; the exchange of Logons is not complete
  LoggingOut,     // our Logout is not answered yet
  Connecting,     // initiator: connect() has not finished
  Waiting,        // initiator: it connects when ReconnectInterval is over
  Listening,      // acceptor: not connected
  LoggedOut,      // initiator: does not connect until log_on()
  Disabled,       // an operator has disabled it: no Logon until it is enabled
  OutOfSchedule,  // the schedule is closed
  Halted,         // sequence numbers were lost: an operator must set them
  StoreFailed,    // the store has failed, and no session can log on
};
// "logged on", "logging on", "logging out", "connecting", "waiting", "listening", "logged out",
// "disabled", "out of schedule", "halted", "store failed".
[[nodiscard]] std::string_view to_string(SessionState state) noexcept;

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

// What a running engine has counted and measured, as values of one moment: Engine::statistics().
// docs/guide/statistics.md explains what the figures mean.

// Durations, counted in buckets whose width grows with the duration. Those of an event loop are at
// most 1/16 as wide as their durations, those of a session 1/8; below 64 ns they are 4 and 8 ns
// wide. A figure is the end of a bucket: it is never below the measured duration, and at most 6.25
// or 12.5 % above it. The last bucket has all durations from about a minute on.
class LatencyHistogram {
 public:
  // Durations of at least `from` and below `to`.
  struct Bucket {
    std::chrono::nanoseconds from{0};  // the lower end
    std::chrono::nanoseconds to{0};    // max(): the last bucket, which has no end
    std::uint64_t count = 0;           // at least 1
  };

  LatencyHistogram() = default;  // empty
  // buckets: ascending.
  explicit LatencyHistogram(std::vector<Bucket> buckets) noexcept : buckets_{std::move(buckets)} {}

  // The number of durations.
  [[nodiscard]] std::uint64_t count() const noexcept;
  // True: nothing was measured.
  [[nodiscard]] bool empty() const noexcept { return buckets_.empty(); }
  // The sum of all durations, each counted as the middle of its bucket: within half a bucket's
  // width. In the last bucket, as its begin.
  [[nodiscard]] std::chrono::nanoseconds sum() const noexcept;
  // The mean, from sum(). 0: it is empty.
  [[nodiscard]] std::chrono::nanoseconds mean() const noexcept;
  // This share of all durations is below the result; percent: above 0, at most 100; 99.9 for P99.9.
  // 100 gives the end of the highest bucket. In the last bucket it is the begin. 0: it is empty.
  [[nodiscard]] std::chrono::nanoseconds percentile(double percent) const noexcept;
  // The number of durations in buckets that end at `limit` or before it. Exact if a bucket ends
  // there: at each power of two from 64 ns to 2^36 ns.
  [[nodiscard]] std::uint64_t count_below(std::chrono::nanoseconds limit) const noexcept;
  // The buckets with at least one duration, ascending. Valid as long as this object.
  [[nodiscard]] const std::vector<Bucket>& buckets() const noexcept { return buckets_; }

 private:
  std::vector<Bucket> buckets_;
};

// The messages of one MsgType.
struct MessageCount {
  // MsgType (35); "other": types after the first 16 of this session and direction, and types of
  // more than 8 characters
  std::string msg_type{};
  std::uint64_t count = 0;  // at least 1
};

// The rejected messages with one reason.
struct RejectCount {
  bool is_business = false;  // true: BusinessMessageReject (j); false: Reject (3)
  // SessionRejectReason (373) or BusinessRejectReason (380); absent: none, or one that FIX does not
  // define
  std::optional<std::uint32_t> reason{};
  std::uint64_t count = 0;  // at least 1
};

// The messages of a session in one direction.
struct DirectionStatistics {
  std::uint64_t messages = 0;           // of every type; sent: resent ones, too
  std::uint64_t bytes = 0;              // of these messages
  std::optional<WallTime> last_at{};    // of the last message; absent: there was none
  std::vector<MessageCount> by_type{};  // without resent ones; in the order of their MsgType
  std::vector<RejectCount> rejects{};   // by reason, ascending; Reject (3) first
  std::uint64_t resend_requests = 0;    // ResendRequest (2)
};

// One session. The counts begin when the engine starts, and when the session is added.
struct SessionStatistics {
  std::string name{};                            // as Session::name()
  std::uint32_t loop = 0;                        // the index of its event loop
  bool is_initiator = false;                     // false: an acceptor
  SessionState state = SessionState::Listening;  // what it does now
  WallTime since{};                              // when this state began
  std::optional<WallTime> logon_changed_at{};    // of the last Logon or its end; absent: no Logon
  bool is_expected = false;  // it should be logged on now: see docs/guide/statistics.md
  // Why it is not logged on, in words: who has disabled it, until when it waits, how its last
  // Logons failed. Empty: it is logged on, or there is nothing to say.
  std::string why{};
  std::uint64_t failures_in_a_row = 0;  // Logons and connects, since the last Logon
  session::Numbers next{};              // the next MsgSeqNum of each direction

  DirectionStatistics in{};   // received
  DirectionStatistics out{};  // sent: encoded, numbered and recorded

  std::uint64_t logons = 0;            // completed exchanges of Logons; one more than reconnects
  std::uint64_t logon_failures = 0;    // connections that ended before that
  std::uint64_t connect_failures = 0;  // initiator: connections that could not be opened
  std::uint64_t disconnects = 0;       // ends of logged-on connections, for any reason
  std::uint64_t gaps = 0;              // times that received MsgSeqNums were missing
  std::uint64_t resent = 0;            // messages and gap fills that we sent again
  std::uint64_t garbled = 0;           // received pieces that are no valid message
  std::uint64_t out_of_order_discarded = 0;  // as LoopStatistics::out_of_order_discarded

  std::uint64_t unsent_bytes = 0;          // as Session::unsent_bytes()
  std::optional<WallTime> unsent_since{};  // since when bytes wait; absent: none wait

  std::uint64_t queued_messages = 0;       // messages that wait for OutboundMessages
  std::optional<WallTime> queued_since{};  // when the oldest was given to send(); absent: none wait

  LatencyHistogram receive_to_sent{};          // as in LoopStatistics
  LatencyHistogram test_request_round_trip{};  // from our TestRequest to its Heartbeat
};

// The state of a store.
enum class StoreHealth : std::uint8_t {
  Ok,       // it records
  Full,     // application messages are refused until there is room again
  Stalled,  // connections wait for it
  Failed,   // the loop has ended its sessions
};
// "ok", "full", "stalled", "failed".
[[nodiscard]] std::string_view to_string(StoreHealth health) noexcept;

// The store of one event loop.
struct StoreStatistics {
  StoreHealth health = StoreHealth::Ok;  // what it does now
  std::uint64_t appended_bytes = 0;      // recorded since the store was opened
  // Recorded and not durable in the sense of JournalDurability yet: bytes to sockets wait for it.
  std::uint64_t undurable_bytes = 0;
  // Recorded and not on the disk yet: a loss of power would lose it.
  std::uint64_t unsynced_bytes = 0;
  std::optional<WallTime> unsynced_since{};  // absent: everything is on the disk
};

// One event loop.
struct LoopStatistics {
  std::uint32_t index = 0;  // 0 to EventLoops - 1
  // The counts begin when the engine is opened.
  std::uint64_t messages_in = 0;   // received messages of every type, without garbled ones
  std::uint64_t messages_out = 0;  // our messages of every type, new ones and resent ones
  std::uint64_t bytes_in = 0;      // of messages_in
  std::uint64_t bytes_out = 0;     // of messages_out
  std::uint64_t garbled = 0;       // received bytes that are no valid message
  // Connections that were closed without a session: no descriptor or no memory was left, the
  // address is not allowed, a limit was reached, or the Logon fits no session.
  std::uint64_t connections_refused = 0;
  // Application messages that arrived early, waited in the buffer, and were never processed: a gap
  // fill of the counterparty or a reset of the sequence numbers skipped them.
  std::uint64_t out_of_order_discarded = 0;
  std::uint64_t connections = 0;  // open ones, with those that have not logged on
  std::uint64_t turns = 0;        // since the start
  // When the last turn began; of a spinning loop, one of the last 17. Absent: there was none.
  std::optional<WallTime> turned_at{};
  // run() or start() serves it, so that it turns at least once a second. False: the program polls
  // it, when it likes; or it has ended.
  bool is_running = false;
  std::uint64_t late_turns = 0;    // turns that ran a timer more than 10 ms late
  std::uint64_t posted_tasks = 0;  // tasks of other threads that it has run
  // Tasks of remotes that were left when it last ran some: more than one turn takes.
  std::uint64_t waiting_tasks = 0;
  std::optional<WallTime> tasks_wait_since{};  // since when some are left; absent: none
  StoreStatistics store{};                     // of its sessions

  // One application message in 17 is timed: with ReceiveTimestamps, from the time at which the
  // kernel or the network card had its bytes to the call of on_message();
  LatencyHistogram wire_to_callback{};
  // from its arrival, as the loop's clock had it, to the
  // call of on_message();
  LatencyHistogram receive_to_callback{};
  // from that call until the socket has taken the messages that it sent;
  LatencyHistogram callback_to_sent{};
  // and both together.
  LatencyHistogram receive_to_sent{};
  LatencyHistogram test_request_round_trip{};  // of all its sessions, with removed ones
};

// An engine that waits for the log of another one.
struct StandbyStatistics {
  std::string owner{};        // the process that owns the log; empty: none, or not known
  WallTime since{};           // when the waiting began
  bool is_connected = false;  // to the database
  // The log's end at the last look.
  std::uint64_t log_bytes = 0;
  std::uint64_t followed_bytes = 0;  // up to where the application has got its messages
};

// One of the engines of a shard, as etcd has it.
struct ClusterEngineStatistics {
  std::string node{};        // its ClusterNode
  std::string host{};        // the name of its machine
  std::int64_t process = 0;  // its process ID there; 0: it has ended
  bool is_owner = false;     // it has the shard's lease
  bool is_ready = false;     // it waits, and could take the shard now
  bool is_drained = false;   // its node takes no shard
  std::string refusal{};     // why its node did not serve the shard when it had it; empty: it did
};
// "refused", "owner", "ready" or "not ready".
[[nodiscard]] constexpr std::string_view to_string(const ClusterEngineStatistics& one) noexcept {
  if (!one.refusal.empty()) return "refused";
  if (one.is_owner) return "owner";
  return one.is_ready ? "ready" : "not ready";
}

// An engine of a cluster, and the lease that lets it own its shard.
struct ClusterStatistics {
  std::string cluster{};    // ClusterName
  std::string node{};       // ClusterNode
  std::string shard{};      // ClusterShard
  bool is_owner = false;    // it serves the shard; false: it waits for it
  std::string owner{};      // the node that has the shard's lease, as etcd says; empty: none
  std::uint64_t token = 0;  // the fencing token of that lease; 0: it has none
  // When etcd has confirmed the lease of this engine last. Absent: it has none now.
  std::optional<WallTime> renewed_at{};
  bool is_handing_over = false;  // it stops, because another node is to have the shard
  std::vector<ClusterEngineStatistics> engines{};  // of the shard, by node, at the last look
};

// An engine, at one moment. Figures of different loops and sessions may be of moments that are
// microseconds apart.
struct EngineStatistics {
  std::int32_t process = 0;                    // its process ID
  WallTime started{};                          // when the engine was opened
  WallTime taken_at{};                         // the moment of these figures
  bool is_stopping = false;                    // stop() was called
  std::optional<StandbyStatistics> standby{};  // absent: it serves its sessions
  std::optional<ClusterStatistics> cluster{};  // absent: it is in no cluster
  std::uint64_t buffered_bytes = 0;            // the memory of all buffers; see MaxBufferedBytes
  observe::SessionLogsStats logs{};            // of all loops
  std::vector<LoopStatistics> loops{};         // by index
  std::vector<SessionStatistics> sessions{};   // by loop, in the order of their creation
};

}  // namespace nexusfix::engine
