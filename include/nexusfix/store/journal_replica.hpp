// A journal with a replica in a PostgreSQL database, from which another machine can take the log
// over. Link `nexusfix::journal_replica`. docs/operations/replica.md says what each policy
// promises.
//
//   engine::EngineOptions options;
//   options.parts.journal_replica = store::journal_replica_part();
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store/journal.hpp>
#include <nexusfix/store/postgres_options.hpp>
#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

// Which bytes wait for the replica.
enum class ReplicaPolicy : std::uint8_t {
  None,       // there is no replica
  Available,  // none: it follows a moment later; while the database is away there is one copy
  Strict,     // all: they leave when both the journal and the database have them
};
// "none", "available" or "strict": the value of the key JournalReplica. Static lifetime.
[[nodiscard]] std::string_view to_string(ReplicaPolicy policy) noexcept;

// How a journal with a replica is opened and written.
struct JournalReplicaOptions {
  JournalOptions journal;                        // not Durability::None
  PostgresOptions postgres;                      // the database
  ReplicaPolicy policy = ReplicaPolicy::Strict;  // not None
  // ReplicaPolicy::Available: the number of MsgSeqNums of a session that may be used before the
  // replica has the first of them; at least 1. A new owner of the replica skips as many.
  std::uint64_t numbers_ahead_max = 1'000'000;
  // The replica lags when it lacks a record for longer than this time: an event.
  std::chrono::milliseconds lag_max{5'000};
};

// Opens the journal as open_journal(), and the log in the schema as its replica. A schema without a
// log gets everything that the journal has. From then on a thread reads each record from the
// journal's files when it is durable there, and writes it into the database. What is written counts
// when the server has confirmed the COMMIT, which names this owner's epoch.
//
// The journal is the truth: at a start the replica catches up from it, and goes on where it has
// ended. So the database is needed for a start. It has sent messages and sequence numbers, and no
// received messages.
//
// ReplicaPolicy::Strict: Store::durable() is what both have. When the database is away for
// PostgresOptions::outage_max, the store fails.
// ReplicaPolicy::Available: Store::durable() is that of the journal, until a session has used
// numbers_ahead_max MsgSeqNums that the replica lacks: then it waits.
// If another process has taken the replica over, the store fails with both.
//
// Store::close() waits until the replica has everything, as long as the server confirms something
// within answer_timeout, and records that it is complete.
//
// Errors: as of open_journal() and open_postgres(). Refused: the log in the schema is no replica of
// this journal: of another one, of another history of this one, or taken over.
[[nodiscard]] StoreResult<OpenedJournal> open_replicated_journal(
    Disk& disk, const JournalReplicaOptions& options, WallTime now);

// The replica as an optional part of an engine. No member is null in journal_replica_part().
struct JournalReplicaPart {
  decltype(&open_replicated_journal) open = nullptr;  // open_replicated_journal()
};
// The part that JournalReplica needs, for EngineOptions::parts. Never null; static lifetime.
[[nodiscard]] const JournalReplicaPart* journal_replica_part() noexcept;

}  // namespace nexusfix::store
