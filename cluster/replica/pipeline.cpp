#include "cluster/replica/pipeline.hpp"

#include <algorithm>
#include <utility>

#include "cluster/postgres/opening.hpp"
#include "cluster/postgres/server/lineage.hpp"
#include "cluster/postgres/server/schema.hpp"
#include "cluster/postgres/server/statements.hpp"
#include "store/format/entry.hpp"

namespace nexusfix::store::replica {
namespace {

using postgres::ServerError;
using postgres::ServerFacts;
using postgres::ServerResult;

// The journal holds what the database has not taken, so no outage ends the writer.
constexpr std::chrono::hours kNeverEnds{24 * 3'650};
constexpr int kRecordsAtOnce = 256;

// What the replica has of a record: what sessions are and have sent.
[[nodiscard]] bool is_replicated(EntryKind kind) noexcept {
  switch (kind) {
    case EntryKind::SessionOpened:
    case EntryKind::InboundProgress:
    case EntryKind::OutboundMessage:
    case EntryKind::OutboundNumber:
    case EntryKind::Reset:
    case EntryKind::NumbersSet:
    case EntryKind::MessagesLost:
    case EntryKind::SessionRenamed:
      return true;
    case EntryKind::Removed:
    case EntryKind::NumbersReserved:
    case EntryKind::MessagesLeft:
    case EntryKind::LogSynced:
    case EntryKind::LogClosed:
    case EntryKind::LogOwned:
      return false;
  }
  return false;
}

// False: the bytes are no entries.
bool take_replicated(std::span<const char> record, std::vector<char>& entries) {
  entries.clear();
  EntryReader reader{record};
  Entry entry;
  while (reader.next(entry)) {
    if (!is_replicated(entry.kind)) continue;
    if (entry.kind == EntryKind::InboundProgress) entry.bytes = {};
    append_entry(entries, entry);
  }
  return reader.at_end();
}

}  // namespace

Pipeline::Pipeline(Disk& disk, const JournalReplicaOptions& options,
                   const std::atomic<LogPosition>& readable, int stop, Wake wake)
    : disk_{disk},
      options_{options},
      database_{options.postgres},
      readable_{readable},
      stop_{stop},
      servers_{options.postgres} {
  database_.record_bytes_max = options.journal.record_bytes_max;
  database_.on_durable = wake;
  if (options.policy == ReplicaPolicy::Available) database_.outage_max = kNeverEnds;
}

std::unexpected<StoreError> Pipeline::refused(const std::string& why) const {
  return std::unexpected{StoreError{.code = StoreErrorCode::Refused,
                                    .text = "JournalReplica: schema " + database_.schema +
                                            " is not a replica of the journal " +
                                            options_.journal.folder + ": " + why +
                                            ". docs/operations/replica.md says how to go on"}};
}

std::unexpected<StoreError> Pipeline::refused_empty(const Former& former) const {
  return refused(
      "it has no log, and the journal had a replica before: the schema was made again, or this is "
      "another database. If a new replica is meant, delete the file " +
      former.cursor_file);
}

StoreResult<postgres::Connection> Pipeline::connect(const Former& former) {
  const auto fail = [&](const ServerError& error) {
    return std::unexpected{postgres::store_error(database_, error)};
  };
  facts_ = former.facts;
  auto connection = servers_.connect(stop_, [&](postgres::Connection& one) -> ServerResult<void> {
    auto found = postgres::read_facts(one);
    if (!found) return std::unexpected{std::move(found.error())};
    if (auto same = postgres::check_same_cluster(facts_, *found); !same) return same;
    if (auto reach = postgres::check_reach(database_, found->commit); !reach) return reach;
    facts_ = std::move(*found);
    return {};
  });
  if (!connection) return fail(connection.error());
  if (auto locked = postgres::lock_log(*connection, database_); !locked) {
    // This process may have the lock yet, by a session that the server has not ended.
    if (former.first_epoch != 0) locked.error().code = StoreErrorCode::Server;
    return std::unexpected{std::move(locked.error())};
  }
  PostgresOptions options = database_;
  const bool has_replica = !former.cursor_file.empty();
  if (former.first_epoch != 0 || has_replica) options.if_no_log = IfNoLog::Refuse;
  if (auto done = postgres::migrate(*connection, options); !done) {
    if (has_replica && done.error().code == StoreErrorCode::Missing) return refused_empty(former);
    return std::unexpected{std::move(done.error())};
  }
  return std::move(*connection);
}

// Whether the log is, or can become, the replica of this journal.
StoreResult<void> Pipeline::check(const postgres::ReplicaState& state, const Former& former,
                                  const SessionTable& sessions) const {
  const std::int64_t journal = follower_->cursor().log_id;
  if (former.first_epoch != 0) {
    // The database may have lost what it had committed, and with it this process's claim. That is
    // no take-over.
    const bool is_ours = state.source && state.source->log_id == journal &&
                         state.owner_first_epoch <= former.first_epoch;
    if (is_ours) return {};
    return std::unexpected{StoreError{.code = StoreErrorCode::Locked,
                                      .text = "the replica of the journal, schema " +
                                              database_.schema + ", was taken over by " +
                                              state.owner}};
  }
  if (!state.source && state.position == 0 && !former.cursor_file.empty()) {
    return refused_empty(former);
  }
  if (!state.source && (state.position > 0 || sessions.size() > 0)) {
    return refused("it has a log of its own, or was taken over, by " + state.owner);
  }
  if (state.source && state.source->log_id != journal) {
    return refused("it is the replica of another journal, of " + state.owner);
  }
  return {};
}

StoreResult<void> Pipeline::follow(const postgres::ReplicaState& state) {
  FollowOptions options{.cursor = std::nullopt, .limit = &readable_};
  if (state.source && state.source->segment > 0) options.cursor = state.source;
  auto opened = JournalFollower::open(disk_, options_.journal.folder, options);
  if (!opened) return refused(opened.error());
  follower_.emplace(std::move(*opened));
  return {};
}

// Whether the replica may lack more numbers of a session than a new owner would skip.
bool Pipeline::compare(const Store& journal, const SessionTable& sessions) {
  bool lacks_more = false;
  next_.clear();
  for (SessionKey key = 0; key < journal.session_count(); ++key) {
    const SessionRecord& ours = journal.session(key);
    const bool is_same = key < sessions.size() && sessions.record(key).epoch == ours.epoch;
    const std::uint64_t next = is_same ? sessions.record(key).next_outbound : 0;
    next_.push_back(next);
    lacks_more =
        lacks_more || ours.next_outbound > std::max<std::uint64_t>(next, 1) + numbers_ahead();
  }
  return lacks_more;
}

StoreResult<void> Pipeline::open(const Former& former, const Store* journal) {
  const auto fail = [&](const ServerError& error) {
    return std::unexpected{postgres::store_error(database_, error)};
  };
  auto connection = connect(former);
  if (!connection) return std::unexpected{std::move(connection.error())};
  auto state = postgres::read_replica_state(*connection);
  if (!state) return fail(state.error());
  auto loaded = postgres::load_sessions(*connection, database_);
  if (!loaded) return std::unexpected{std::move(loaded.error())};
  if (auto followed = follow(*state); !followed) return followed;
  if (auto checked = check(*state, former, loaded->sessions); !checked) return checked;
  const bool lacks_more = journal == nullptr || compare(*journal, loaded->sessions);
  auto claimed = postgres::claim_as_replica(*connection, postgres::new_claim_name(),
                                            {.journal = follower_->cursor().log_id,
                                             .mode = to_string(options_.policy),
                                             .numbers_ahead = numbers_ahead(),
                                             .lacks_more = lacks_more});
  if (!claimed) return fail(claimed.error());
  if (auto seen = postgres::await_standby(*connection, database_); !seen) {
    return fail(seen.error());
  }
  if (auto done = postgres::prepare_to_write(*connection, database_.peer_timeout); !done) {
    return fail(done.error());
  }
  first_epoch_ = claimed->owner_epoch;
  is_record_due_ = lacks_more || state->lacks_more || state->numbers_ahead > numbers_ahead();
  target_ = readable_.load();
  queue_.emplace(database_, std::move(loaded->sessions), claimed->position,
                 std::move(loaded->lagging));
  const bool is_seeded = state->source && state->source->segment > 0;
  if (is_seeded || follower_->first_sessions().empty()) {
    queue_->pass(follower_->cursor().position);
  }
  const bool is_safe = postgres::reach_of(facts_.commit) != postgres::CommitReach::Memory;
  queue_->report(is_safe ? EventId::ReplicaOpened : EventId::DatabaseCommitsUnsafe,
                 "the replica of the journal " + options_.journal.folder + ", connected to " +
                     connection->server() + ": " + postgres::to_text(facts_.commit) +
                     ". It has the journal up to position " +
                     std::to_string(follower_->cursor().position) + " of " +
                     std::to_string(target_));
  writer_.emplace(database_, servers_, *queue_, std::move(*connection), facts_,
                  std::move(*claimed));
  return is_seeded ? StoreResult<void>{} : seed();
}

// The sessions where the journal begins, if its first segments were retired. The place is recorded
// with the last of them, so that a start after an interruption writes them again.
StoreResult<void> Pipeline::seed() {
  const std::span<const FollowedSession> first = follower_->first_sessions();
  if (follower_->cursor().segment > 1 && first.empty()) {
    return refused(
        "the checkpoint of the journal's first segment cannot be read: `nexusfix "
        "journal verify` says more");
  }
  std::vector<char> entries;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto key = static_cast<SessionKey>(i);
    const FollowedSession& one = first[i];
    entries.clear();
    NumbersChange change;
    if (key >= queue_->sessions().size()) {
      append_entry(
          entries,
          {.kind = EntryKind::SessionOpened, .session = key, .number = 0, .bytes = one.name});
    } else {
      const SessionRecord& there = queue_->sessions().record(key);
      change.before = {there.next_inbound, there.next_outbound, there.epoch};
    }
    change.after = {one.record.next_inbound, one.record.next_outbound, one.record.epoch};
    change.created = one.record.created;
    change.is_unfinished = one.is_unfinished;
    change.text = "replica of a journal whose first segments are gone";
    append_numbers_change(entries, key, change);
    for (const NumberRange& lost : one.lost) {
      append_messages_lost(entries, key, lost.first, lost.last);
    }
    const bool is_last = i + 1 == first.size();
    auto appended =
        queue_->append(entries, one.record.created, is_last ? &follower_->cursor() : nullptr);
    if (!appended) return std::unexpected{std::move(appended.error())};
  }
  return {};
}

StoreResult<Pipeline::Pumped> Pipeline::pump() {
  Pumped pumped = Pumped::Idle;
  for (int i = 0; i < kRecordsAtOnce; ++i) {
    // A record is appended as a whole, and must not make this thread wait.
    if (!queue_->takes_at_once(entries_.size())) {
      pumped = Pumped::Full;
      break;
    }
    if (!entries_.empty()) {
      auto appended = queue_->append(entries_, time_, &follower_->cursor());
      entries_.clear();
      if (!appended && appended.error().code == StoreErrorCode::Refused) {
        return refused("the record before position " +
                       std::to_string(follower_->cursor().position) +
                       " does not go on from what the replica has: " + appended.error().text);
      }
      if (!appended) return std::unexpected{queue_->cause().value_or(appended.error())};
    }
    bool is_readable = true;
    const auto next = follower_->next_record([&](const FollowedRecord& record) {
      is_readable = take_replicated(record.entries, entries_);
      time_ = record.time;
    });
    if (!next || !is_readable) {
      return std::unexpected{StoreError{
          .code = StoreErrorCode::Corrupt,
          .text = next ? "a record of the journal has entries of a later version" : next.error()}};
    }
    if (!*next) break;
    pumped = Pumped::Moved;
    if (entries_.empty()) queue_->pass(follower_->cursor().position);
  }
  if (auto flushed = queue_->flush(); !flushed) {
    return std::unexpected{queue_->cause().value_or(flushed.error())};
  }
  return pumped;
}

StoreResult<void> Pipeline::record(std::uint64_t numbers_ahead, int stop) {
  auto done = postgres::record_replica(
      servers_, database_, stop,
      {.owner_first_epoch = first_epoch_, .numbers_ahead = numbers_ahead, .first_number = 1});
  if (!done) {
    const bool is_taken_over = done.error().state == postgres::kOwnedByAnother;
    return std::unexpected{postgres::store_error(
        database_, done.error(), is_taken_over ? StoreErrorCode::Locked : StoreErrorCode::Server)};
  }
  is_record_due_ = false;
  return {};
}

}  // namespace nexusfix::store::replica
