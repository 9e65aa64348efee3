// The state and the statistics of a running engine: Engine::statistics().
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/observe/logs.hpp>
#include <nexusfix/session/identity.hpp>

namespace nexusfix::engine {

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

// One session. The counts begin when the engine starts, and when the session is added.
struct SessionStatistics {
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
    // SessionRejectReason (373) or BusinessRejectReason (380); absent: none, or one that FIX does
    // not define
    std::optional<std::uint32_t> reason{};
    std::uint64_t count = 0;  // at least 1
  };
  // The messages of a session in one direction.
  struct Direction {
    std::uint64_t messages = 0;           // of every type; sent: resent ones, too
    std::uint64_t bytes = 0;              // of these messages
    std::optional<WallTime> last_at{};    // of the last message; absent: there was none
    std::vector<MessageCount> by_type{};  // without resent ones; in the order of their MsgType
    std::vector<RejectCount> rejects{};   // by reason, ascending; Reject (3) first
    std::uint64_t resend_requests = 0;    // ResendRequest (2)
  };
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

  Direction in{};   // received
  Direction out{};  // sent: encoded, numbered and recorded

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

// The store of one event loop.
struct StoreStatistics {
  // The state of a store.
  enum class Health : std::uint8_t {
    Ok,       // it records
    Full,     // application messages are refused until there is room again
    Stalled,  // connections wait for it
    Failed,   // the loop has ended its sessions
  };
  Health health = Health::Ok;        // what it does now
  std::uint64_t appended_bytes = 0;  // recorded since the store was opened
  // Recorded and not durable in the sense of JournalDurability yet: bytes to sockets wait for it.
  std::uint64_t undurable_bytes = 0;
  // Recorded and not on the disk yet: a loss of power would lose it.
  std::uint64_t unsynced_bytes = 0;
  std::optional<WallTime> unsynced_since{};  // absent: everything is on the disk
};
// "ok", "full", "stalled", "failed".
[[nodiscard]] std::string_view to_string(StoreStatistics::Health health) noexcept;

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

// An engine of a cluster, and the lease that lets it own its shard.
struct ClusterStatistics {
  // One of the engines of a shard, as etcd has it.
  struct Engine {
    std::string node{};        // its ClusterNode
    std::string host{};        // the name of its machine
    std::int64_t process = 0;  // its process ID there; 0: it has ended
    bool is_owner = false;     // it has the shard's lease
    bool is_ready = false;     // it waits, and could take the shard now
    bool is_drained = false;   // its node takes no shard
    std::string refusal{};     // why its node did not serve the shard when it had it; empty: it did
  };
  std::string cluster{};    // ClusterName
  std::string node{};       // ClusterNode
  std::string shard{};      // ClusterShard
  bool is_owner = false;    // it serves the shard; false: it waits for it
  std::string owner{};      // the node that has the shard's lease, as etcd says; empty: none
  std::uint64_t token = 0;  // the fencing token of that lease; 0: it has none
  // When etcd has confirmed the lease of this engine last. Absent: it has none now.
  std::optional<WallTime> renewed_at{};
  bool is_handing_over = false;   // it stops, because another node is to have the shard
  std::vector<Engine> engines{};  // of the shard, by node, at the last look
};
// "refused", "owner", "ready" or "not ready".
[[nodiscard]] constexpr std::string_view to_string(const ClusterStatistics::Engine& one) noexcept {
  if (!one.refusal.empty()) return "refused";
  if (one.is_owner) return "owner";
  return one.is_ready ? "ready" : "not ready";
}

// An engine, at one moment. Figures of different loops and sessions may be of moments that are
// microseconds apart.
struct EngineStatistics {
  // An engine that waits for the log of another one.
  struct Standby {
    std::string owner{};        // the process that owns the log; empty: none, or not known
    WallTime since{};           // when the waiting began
    bool is_connected = false;  // to the database
    // The log's end at the last look.
    std::uint64_t log_bytes = 0;
    std::uint64_t followed_bytes = 0;  // up to where the application has got its messages
  };
  std::int32_t process = 0;                    // its process ID
  WallTime started{};                          // when the engine was opened
  WallTime taken_at{};                         // the moment of these figures
  bool is_stopping = false;                    // stop() was called
  std::optional<Standby> standby{};            // absent: it serves its sessions
  std::optional<ClusterStatistics> cluster{};  // absent: it is in no cluster
  std::uint64_t buffered_bytes = 0;            // the memory of all buffers; see MaxBufferedBytes
  observe::SessionLogsStats logs{};            // of all loops
  std::vector<LoopStatistics> loops{};         // by index
  std::vector<SessionStatistics> sessions{};   // by loop, in the order of their creation
};

}  // namespace nexusfix::engine
