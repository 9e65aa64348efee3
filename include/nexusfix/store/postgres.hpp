// The log of a shard in a PostgreSQL database (12 or later), for applications that must keep
// everything there. Link nexusfix::postgres. docs/operations/postgresql.md has the tables, the
// limits and the price.
//
//   engine::EngineOptions options;
//   options.parts.postgres = store::postgres_part();
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <nexusfix/store/journal.hpp>
#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

// Refuse: open_postgres() returns Missing if there is no log.
enum class IfNoLog : std::uint8_t { Create, Refuse };

// What a COMMIT has to wait for, so that what it brought counts as durable.
enum class StandbyPolicy : std::uint8_t {
  Available,  // what the server's settings say at the time; a change is an event
  Strict,     // a synchronous standby: the store opens, and goes on, only with one
};

struct PostgresOptions {
  // As libpq takes it: "host=/run/postgresql dbname=fix sslmode=verify-full" or a postgresql://
  // URI. The five below go before it when they are not empty; what neither says, libpq finds as it
  // always does (PGHOST, ~/.pgpass, ...). No password is ever part of an error's text.
  std::string connection;
  std::string host;  // a folder, beginning with '/': the Unix socket in it
  std::string port;
  std::string database;
  std::string user;
  std::string password;
  // One log is one schema of the database: small letters, digits and '_', at most 63. Made if there
  // is none, which needs the right to create schemas.
  std::string schema = "nexusfix";
  IfNoLog if_no_log = IfNoLog::Create;
  // The folder, on a disk of this machine, of a file that records how far the log was confirmed;
  // created if there is none. Empty: nothing is recorded, and what the database loses while no
  // store is open is not noticed.
  std::string note_folder;
  std::uint32_t record_bytes_max = 16U << 20U;  // of one transaction
  // What may wait to be confirmed; beyond, append() waits. A larger record waits for all others.
  std::uint64_t pending_bytes_max = 64U << 20U;
  // Database transactions that are sent before the first of them is confirmed; at least 1. More
  // than 1 helps only where the way to the server is longer than the server's own work.
  std::uint32_t batches_in_flight_max = 1;
  StandbyPolicy standby = StandbyPolicy::Available;
  // For each address of each host. 0: connect_timeout of the connection string, else 5 s.
  std::chrono::milliseconds connect_timeout{0};
  // A server that does not answer for this time counts as lost.
  std::chrono::milliseconds answer_timeout{10'000};
  // How long a lost server may stay away before the store fails for good.
  std::chrono::milliseconds outage_max{30'000};
  // How long open_postgres() waits for another process to release the log.
  std::chrono::milliseconds lock_wait{2'000};
  // A machine that is silent for this time is gone, for TCP of either side (at least 3 s): then the
  // server releases the lock of a client that has vanished. On our side, keepalives and
  // tcp_user_timeout of the connection string have priority.
  std::chrono::milliseconds peer_timeout{15'000};
  // Called on the store's threads when durable() has moved after a flush() that did not reach it
  // appended(), when a fetch is done, when the store has failed and when it has an event. Must not
  // call the store.
  JournalOptions::Wake on_durable{};
};

// Opens or creates, and upgrades an older schema. The session that holds the log's advisory lock
// owns it: Locked names the owner. If the log lacks what was recorded in note_folder, the sessions
// go on above every sequence number that may have been used, lost_numbers() has those that were
// skipped, and events say so; Corrupt: it is not the recorded log at all, or the record is damaged;
// Disk: the record cannot be read or written. A store that claims a log changes its owner epoch,
// and the database refuses what a former owner still sends. Corrupt: the schema is of a later
// version, or makes no sense. Missing: see IfNoLog. Server: the database cannot be reached or
// refuses.
//
// durable() moves when the server has confirmed a COMMIT; what that survives is the server's
// synchronous_commit and synchronous_standby_names, which an event reports at the opening and when
// they change. A COMMIT whose wait for the standby was cancelled is not durable: a new connection
// reads the log back, and waits for the standby itself. That connection has to reach the same
// cluster, on a timeline not older than the last. A thread of the store sends what was flushed,
// connects again when the connection is lost (take_event() says so), and sends again what was not
// confirmed; the log's position, changed in the same transaction, says what the server has, so that
// nothing is kept twice. append(), open_session() and flush() wait only for room. close(), read()
// and scan() wait for the server: read() and scan() at most answer_timeout for each answer, on a
// connection of their own, and an error of theirs leaves the store as it was. fetch() has a thread
// wait instead. Of several hosts each address is asked in turn, the last accepted one first; a
// standby is skipped. Destroying the store sends nothing more.
[[nodiscard]] StoreResult<std::unique_ptr<Store>> open_postgres(const PostgresOptions& options);

// The store above, as an engine takes it.
struct PostgresPart {
  decltype(&open_postgres) open = nullptr;
};
// What Store=postgresql needs. Never null.
[[nodiscard]] const PostgresPart* postgres_part() noexcept;

}  // namespace nexusfix::store
