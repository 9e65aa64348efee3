// The path from the journal's files into the database: a reader of the journal, the queue of
// batches, and the thread that sends them. It ends with its first error that does not pass; another
// one goes on where the database says that it ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/store/journal_replica.hpp>

#include "cluster/postgres/log_queue.hpp"
#include "cluster/postgres/server/replica_state.hpp"
#include "cluster/postgres/server/servers.hpp"
#include "cluster/postgres/writer.hpp"
#include "store/api/journal_follower.hpp"

namespace nexusfix::store::replica {

// What a pipeline goes on from.
struct Former {
  std::uint64_t first_epoch = 0;  // of this process; 0: it has not owned the log
  postgres::ServerFacts facts{};  // of the server that had it
  // At a start: the file that says that the journal had a replica before. Empty: it had none.
  std::string cursor_file{};
};

// One thread at a time.
class Pipeline {
 public:
  // readable: up to where the journal may be read. stop: a descriptor that ends each wait. wake: is
  // called on another thread when replicated() may have moved, or there is an event. All outlive
  // it.
  Pipeline(Disk& disk, const JournalReplicaOptions& options,
           const std::atomic<LogPosition>& readable, int stop, Wake wake);

  // journal: at a start, on its thread; null later. Locked: another process owns the log. Refused:
  // it is no replica of this journal. Other errors may pass.
  [[nodiscard]] StoreResult<void> open(const Former& former, const Store* journal);

  enum class Pumped : std::uint8_t {
    Idle,   // there was nothing more to read
    Moved,  // something was read
    Full,   // the database must confirm something first
  };
  // Reads some records, and has them sent. Errors: Locked: the log was taken over.
  [[nodiscard]] StoreResult<Pumped> pump();
  // Any thread: the database has all of the journal before this position.
  [[nodiscard]] LogPosition replicated() const noexcept { return queue_->replicated(); }
  // What was read.
  [[nodiscard]] const JournalCursor& read_until() const noexcept { return follower_->cursor(); }
  [[nodiscard]] std::optional<StoreEvent> take_event() { return queue_->take_event(); }
  [[nodiscard]] Former as_former() const { return {.first_epoch = first_epoch_, .facts = facts_}; }
  // By session key, the next MsgSeqNum that the replica had at open() in the session's epoch; 0: it
  // had not this epoch, or not this session. Only with a journal.
  [[nodiscard]] const std::vector<std::uint64_t>& next_at_open() const noexcept { return next_; }

  // The database says that the replica lacks more than it does by now.
  [[nodiscard]] bool must_record() const noexcept {
    return is_record_due_ && replicated() >= target_;
  }
  // Records that the replica lacks at most this number of MsgSeqNums of each session. stop: as
  // above; -1: none.
  [[nodiscard]] StoreResult<void> record(std::uint64_t numbers_ahead, int stop);

 private:
  [[nodiscard]] StoreResult<postgres::Connection> connect(const Former& former);
  [[nodiscard]] StoreResult<void> check(const postgres::ReplicaState& state, const Former& former,
                                        const SessionTable& sessions) const;
  [[nodiscard]] StoreResult<void> follow(const postgres::ReplicaState& state);
  [[nodiscard]] bool compare(const Store& journal, const SessionTable& sessions);
  [[nodiscard]] StoreResult<void> seed();
  [[nodiscard]] std::uint64_t numbers_ahead() const noexcept {
    return options_.policy == ReplicaPolicy::Strict ? 0 : options_.numbers_ahead_max;
  }
  [[nodiscard]] std::unexpected<StoreError> refused(const std::string& why) const;
  [[nodiscard]] std::unexpected<StoreError> refused_empty(const Former& former) const;

  Disk& disk_;
  const JournalReplicaOptions& options_;
  PostgresOptions database_;
  const std::atomic<LogPosition>& readable_;
  int stop_;
  postgres::Servers servers_;
  postgres::ServerFacts facts_;
  std::uint64_t first_epoch_ = 0;
  std::vector<std::uint64_t> next_;
  LogPosition target_ = 0;
  bool is_record_due_ = false;
  std::vector<char> entries_;  // of the record that is passed on
  WallTime time_;              // likewise
  std::optional<JournalFollower> follower_;
  std::optional<postgres::LogQueue> queue_;
  std::optional<postgres::Writer> writer_;  // the last member: its thread uses the others
};

}  // namespace nexusfix::store::replica
