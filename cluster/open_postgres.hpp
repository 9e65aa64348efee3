// The log of an event loop in a PostgreSQL database.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <nexusfix/store.hpp>

#include "store/api/postgres_part.hpp"

namespace nexusfix::store {

// Opens the log in a schema, or creates it, and upgrades an older schema. The database session that
// holds the log's advisory lock owns the log. A store that takes a log over changes its owner
// epoch, and the database refuses what a former owner still sends.
//
// Durable: durable() moves when the server has confirmed a COMMIT. The server's settings
// synchronous_commit and synchronous_standby_names decide what that survives. An event reports them
// when the log is opened and when they change. A COMMIT whose wait for the standby was cancelled is
// not durable: the store connects again, to the same cluster and a timeline that is not older,
// reads the log back, and waits for the standby itself.
//
// Threads: a thread of the store sends what was flushed, connects again after a lost connection,
// and sends again what was not confirmed. The log's position changes in the same transaction, so
// nothing is stored twice. append(), open_session() and flush() wait only for room. close(), read()
// and scan() wait for the server. read() and scan() use a connection of their own, wait at most
// answer_timeout for each answer, and their errors leave the store as it was. fetch() does not
// wait. Destroying the store sends nothing more.
//
// Lost commits: if the log lacks what note_folder has recorded, each session continues above every
// MsgSeqNum that it may have used. lost_numbers() has the skipped ones, and events report them.
//
// IfOwned::Wait: while another process owns the log, open_postgres() waits, connected, and blocks.
// It passes the stored messages to standby_observer, so that little is left to do when the log is
// free.
//
// Each address of several hosts is tried in turn, the last one used first. A standby is passed
// over.
//
// A log that an earlier version has kept as the replica of a journal is taken over like any other.
// If it may lack messages of the journal, each session continues above every MsgSeqNum that the
// engine of the journal may have used, as after lost commits.
//
// Errors: Locked: another process owns the log; the text names it. Missing: see IfNoLog. Server:
// the database cannot be reached or reports an error. Corrupt: the schema is of a later version or
// is inconsistent, the log is not the recorded one, or the record is damaged. Disk: the record
// cannot be read or written. Refused: the observer of a standby has ended the waiting; the log is a
// replica, and lacks more than a known number of messages, or see IfReplica.
[[nodiscard]] StoreResult<std::unique_ptr<Store>> open_postgres(const PostgresOptions& options);

// The mark of a log. Nothing: the log is in no cluster, or there is no log. Errors: Server.
[[nodiscard]] StoreResult<std::optional<ClusterMark>> find_cluster_mark(
    const PostgresOptions& options);
// Marks a log, which is created if there is none. The mark's token is not used. Errors: Locked: an
// engine runs on the log. Refused: the log has another mark. Server, Corrupt: as open_postgres().
[[nodiscard]] StoreResult<void> mark_for_cluster(const PostgresOptions& options,
                                                 const ClusterMark& mark);

// Why a store with StandbyPolicy::Strict would not open now, or would not see what the standby has;
// with another policy, what a take-over may lose. Nothing: all is well. Errors: Server.
[[nodiscard]] StoreResult<std::optional<std::string>> find_standby_fault(
    const PostgresOptions& options);

}  // namespace nexusfix::store
