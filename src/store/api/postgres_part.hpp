// The PostgreSQL store as an engine uses it: its options, leases and standbys.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>

#include <nexusfix/base/language.hpp>
#include <nexusfix/store.hpp>

#include "store/api/journal.hpp"

namespace nexusfix::store {

// To which cluster a log belongs, and as which of its shards.
struct ClusterMark {
  std::string cluster{};  // the identity of the cluster
  std::string shard{};    // the name of the shard
  // The highest fencing token with which the log was claimed. 0: there was none, or it is not
  // known.
  std::uint64_t token = 0;
};

// Any thread. It only decides when a process takes the log; that a former owner writes nothing more
// is certain by the log's owner epoch, which begins with the fencing token.
class LogLease {
 public:
  // It outlives the store that uses it.
  virtual ~LogLease() = default;
  // The mark that the log must have, without a token.
  [[nodiscard]] virtual ClusterMark mark() const = 0;
  // The fencing token, while this process holds the lease: each one is higher than all before. 0:
  // it does not hold it.
  [[nodiscard]] virtual std::uint64_t token() const noexcept = 0;
  // The store is connected, has the whole log, and could take it over now: the lease is wanted.
  // Several times a second until it holds the lease. claimed: the token with which the log was last
  // claimed, read before the call; only a token above it takes the log. Returns token(). The error:
  // why this process will never get it.
  [[nodiscard]] virtual std::expected<std::uint64_t, std::string> ask(std::uint64_t claimed) = 0;
  // The log was claimed with token().
  virtual void on_claimed() noexcept = 0;
};

// A standby, at one moment.
struct StandbyState {
  // Who owns the log: "process 4711 on host venue-1 since ...". Empty: no process, or not known.
  std::string owner{};
  bool is_connected = false;     // to the database
  LogPosition log_end = 0;       // the end of the log, at the last look
  LogPosition followed_end = 0;  // on_message() has got the messages before this position
};

// Is called on the thread that opens the store, while that waits. An exception ends the waiting,
// and passes to the caller.
class StandbyObserver {
 public:
  // Outlives the call that opens the store.
  virtual ~StandbyObserver() = default;
  // Whether on_message() is to be called. Asked once, before the waiting.
  [[nodiscard]] virtual bool follows_messages() const = 0;
  // One stored message, in the order of the log. A Store::scan() after the opening goes on after
  // the last of them.
  virtual void on_message(const Store::LogMessage& message) = 0;
  // Several times a second. False: ends the waiting, and the opening fails with Refused.
  [[nodiscard]] virtual bool on_waiting(const StandbyState& state) = 0;
  // Something that the operator must know.
  virtual void on_event(StoreEvent event) = 0;
};

// What open_postgres() does if the schema has no log.
enum class IfNoLog : std::uint8_t {
  Create,  // creates it
  Refuse,  // fails with Missing
};

// What open_postgres() does if another process owns the log.
enum class IfOwned : std::uint8_t {
  Refuse,  // fails with Locked after lock_wait
  Wait,    // waits as a standby until the log is free, and takes it over
};

// What open_postgres() does if the log is the replica of a journal, which an earlier version made.
enum class IfReplica : std::uint8_t {
  TakeOver,  // takes it over: it is the log from then on, and the engine of the journal is refused
  Refuse,    // fails with Refused
};

// What a COMMIT must wait for before its records count as durable.
enum class StandbyPolicy : std::uint8_t {
  Available,  // what the settings of the server say; a change of them is an event
  Strict,     // a synchronous standby; without one the store does not open, and stops
  Ignored,    // the server alone (synchronous_commit=local): for a program that only reads
};

// How a log in a database is opened and written.
struct PostgresOptions {
  // A connection string of libpq: "host=/run/postgresql dbname=fix sslmode=verify-full", or a
  // postgresql:// URI. The five members below take precedence if they are not empty. libpq finds
  // what is missing in its usual places (`PGHOST`, `~/.pgpass`). No error text has a password.
  std::string connection;
  std::string host;      // names or addresses, between commas; with a leading '/': of Unix sockets
  std::string port;      // empty: libpq's default
  std::string database;  // empty: libpq's default
  std::string user;      // empty: libpq's default
  std::string password;  // empty: libpq's default
  // The schema that holds the log: small letters, digits and '_', at most 63. Created if there is
  // none, which needs the right to create schemas.
  std::string schema = "nexusfix";
  IfNoLog if_no_log = IfNoLog::Create;  // whether a missing log is created
  // The folder, on a local disk, of a file that records how far the log was confirmed; created if
  // there is none. Empty: nothing is recorded, and a loss in the database while no store is open is
  // not detected.
  std::string note_folder;
  std::uint32_t record_bytes_max = 16U << 20U;  // of one record; append() fails with TooLarge above
  // The bytes that may wait for a confirmation. Above it append() waits. A larger record waits for
  // all others.
  std::uint64_t pending_bytes_max = 64U << 20U;
  // The number of database transactions that are sent before the first of them is committed; at
  // least 1. More than 1 helps only if the network takes longer than the server's own work.
  std::uint32_t batches_in_flight_max = 1;
  // How much of the log the rows of sessions and of messages' places may lack, which are written
  // once for several transactions; an opening reads it again, and at most twice as much.
  std::uint64_t rows_lag_bytes_max = 4U << 20U;
  StandbyPolicy standby = StandbyPolicy::Available;  // what a durable record needs
  // For each address of each host. 0: connect_timeout of the connection string, otherwise 5 s.
  std::chrono::milliseconds connect_timeout{0};
  // A server that does not answer for this time counts as lost.
  std::chrono::milliseconds answer_timeout{10'000};
  // The store fails when the server was lost for this time.
  std::chrono::milliseconds outage_max{30'000};
  // How long open_postgres() waits for another process to release the log: IfOwned::Refuse.
  std::chrono::milliseconds lock_wait{2'000};
  IfOwned if_owned = IfOwned::Refuse;          // if another process owns the log
  IfReplica if_replica = IfReplica::TakeOver;  // if it is the replica of a journal
  // IfOwned::Wait: the log must be free for this time before it is taken over, so that an owner
  // whose connection broke comes first. A standby that has just connected itself waits at least
  // 3 s.
  std::chrono::milliseconds takeover_delay{300};
  // IfOwned::Wait: is called meanwhile. Null: none. Not owned; outlives open_postgres().
  StandbyObserver* standby_observer = nullptr;
  // For a cluster: decides when the log is taken over, instead of the log's lock, and the process
  // waits as with IfOwned::Wait. Null: none. Not owned; outlives the store.
  LogLease* lease = nullptr;
  // TCP of either side ends a connection whose other side is silent for this time, at least 3 s. So
  // the server releases the lock of a client that has vanished. On our side, keepalives and
  // tcp_user_timeout of the connection string take precedence. From PostgreSQL 14 on the server
  // also ends the session of an owner whose process is stopped for this time.
  std::chrono::milliseconds peer_timeout{15'000};
  // Called on a thread of the store when durable() has moved after a flush() that did not reach
  // appended(), when a fetch() is done, when the store has failed, and when next_event() has an
  // event. Must not call the store.
  JournalOptions::Wake on_durable{};
};

class LogFollower;
struct FollowOptions;

// Functions of cluster/open_postgres.hpp. No member is null in postgres_part().
struct PostgresPart {
  // open_postgres()
  StoreResult<std::unique_ptr<Store>> (*open)(const PostgresOptions& options) = nullptr;
  // find_cluster_mark()
  StoreResult<std::optional<ClusterMark>> (*find_mark)(const PostgresOptions& options) = nullptr;
  // mark_for_cluster()
  StoreResult<void> (*mark)(const PostgresOptions& options, const ClusterMark& mark) = nullptr;
  // find_standby_fault()
  StoreResult<std::optional<std::string>> (*standby_fault)(const PostgresOptions& options) =
      nullptr;
  // Reads the messages of a log for a program beside the engine: journal/api/log_follower.hpp.
  // It needs only the right to SELECT. The error is one line.
  std::expected<std::unique_ptr<LogFollower>, std::string> (*follow)(
      const PostgresOptions& options, const FollowOptions& how) = nullptr;
};

}  // namespace nexusfix::store
