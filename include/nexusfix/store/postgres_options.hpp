// The options of the PostgreSQL store, as a configuration has them; postgres.hpp uses them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <nexusfix/store/journal.hpp>

namespace nexusfix::store {

// What open_postgres() does if the schema has no log.
enum class IfNoLog : std::uint8_t {
  Create,  // creates it
  Refuse,  // fails with Missing
};

class LogLease;         // <nexusfix/store/log_lease.hpp>
class StandbyObserver;  // <nexusfix/store/standby.hpp>

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
  // appended(), when a fetch() is done, when the store has failed, and when take_event() has an
  // event. Must not call the store.
  JournalOptions::Wake on_durable{};
};

}  // namespace nexusfix::store
