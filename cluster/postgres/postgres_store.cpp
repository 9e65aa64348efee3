#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/store/postgres.hpp>

#include "cluster/open_postgres.hpp"
#include "cluster/postgres/fetcher.hpp"
#include "cluster/postgres/follow/follower.hpp"
#include "cluster/postgres/log_queue.hpp"
#include "cluster/postgres/opening.hpp"
#include "cluster/postgres/position_marker.hpp"
#include "cluster/postgres/reader.hpp"
#include "cluster/postgres/server/schema.hpp"
#include "cluster/postgres/server/servers.hpp"
#include "cluster/postgres/server/statements.hpp"
#include "cluster/postgres/writer.hpp"
#include "store/api/entry.hpp"

namespace nexusfix::store {
namespace postgres {
namespace {

class PostgresStore final : public Store {
 public:
  PostgresStore(const PostgresOptions& options, std::unique_ptr<Servers> servers, Loaded loaded,
                Taken taken)
      : options_{options},
        servers_{std::move(servers)},
        owner_first_epoch_{taken.claim.owner_epoch},
        followed_end_{taken.followed_end},
        queue_{options_, std::move(loaded.sessions), taken.claim.position,
               std::move(loaded.lagging)},
        reader_{options_, *servers_, taken.facts, -1} {
    report_opened(taken.connection, taken.facts);
    if (!taken.sees_standby) {
      queue_.report(EventId::StandbyNotVisible,
                    "PostgreSQLStoreStandby=strict: the role of the database may not see what the "
                    "standby has acknowledged. A change of synchronous_standby_names that is taken "
                    "back at once may go unseen: GRANT pg_read_all_stats to the role");
    }
    if (taken.was_standby) {
      queue_.report(EventId::DatabaseTakenOver,
                    "this engine waited as a standby, and owns the log now: owner epoch " +
                        std::to_string(taken.claim.owner_epoch));
    }
    fetcher_.emplace(options_, *servers_, taken.facts);
    writer_.emplace(options_, *servers_, queue_, std::move(taken.connection),
                    std::move(taken.facts), std::move(taken.claim));
  }

  StoreResult<SessionKey> open_session(std::string_view name, WallTime now) override {
    if (const std::optional<SessionKey> key = queue_.sessions().find(name)) {
      if (!queue_.sessions().is_unfinished(*key)) return *key;
      return failure(StoreErrorCode::SessionRefused, SessionTable::unfinished_text(name));
    }
    if (auto room = queue_.sessions().has_room_for(name); !room) {
      return failure(StoreErrorCode::TooLarge, room.error());
    }
    const auto key = static_cast<SessionKey>(queue_.sessions().size());
    std::vector<char> entries;
    append_entry(entries,
                 {.kind = EntryKind::SessionOpened, .session = key, .number = 0, .bytes = name});
    if (first_number_ > 1) append_skip(entries, key, 1, first_number_ - 1);
    // The session's messages follow in the log: none of them is durable without it.
    if (auto appended = queue_.append(entries, now); !appended) {
      return std::unexpected{std::move(appended.error())};
    }
    return key;
  }

  StoreResult<void> rename_session(SessionKey key, std::string_view name, WallTime now) override {
    if (auto may = queue_.sessions().check_rename(name); !may) {
      return failure(
          name.size() > kSessionNameBytesMax ? StoreErrorCode::TooLarge : StoreErrorCode::Refused,
          may.error());
    }
    std::vector<char> entries;
    append_entry(entries,
                 {.kind = EntryKind::SessionRenamed, .session = key, .number = 0, .bytes = name});
    if (auto appended = queue_.append(entries, now); !appended) {
      return std::unexpected{std::move(appended.error())};
    }
    return queue_.wait_until_durable();
  }

  std::optional<SessionKey> find_session(std::string_view name) const override {
    return queue_.sessions().find(name);
  }
  std::size_t session_count() const noexcept override { return queue_.sessions().size(); }
  std::string_view session_name(SessionKey key) const noexcept override {
    return queue_.sessions().name(key);
  }
  const SessionRecord& session(SessionKey key) const noexcept override {
    return queue_.sessions().record(key);
  }
  std::span<const NumberRange> lost_numbers(SessionKey key) const noexcept override {
    return queue_.sessions().lost(key);
  }

  StoreResult<LogPosition> append(const Transaction& transaction, WallTime now) override {
    if (transaction.empty()) return queue_.appended();
    return queue_.append(transaction.entries(), now);
  }
  LogPosition appended() const noexcept override { return queue_.appended(); }
  LogPosition durable() const noexcept override { return queue_.durable(); }
  StoreResult<LogPosition> flush() override { return queue_.flush(); }

  StoreResult<void> close() override {
    // The rest was never sent. The service manager ends a process that waits longer.
    auto durable = queue_.wait_while_confirmed(options_.answer_timeout);
    queue_.close();
    fetcher_.reset();
    writer_.reset();  // The server gives the lock back when the connection has ended.
    return durable;
  }
  std::optional<StoreEvent> next_event() override {
    if (losses_.empty()) [[likely]]
      return queue_.next_event();
    StoreEvent event = std::move(losses_.front());
    losses_.pop_front();
    return event;
  }

  // It was the replica of a journal, whose engine may have used numbers that the log lacks. They
  // stay recorded as missing until they are skipped.
  StoreResult<void> accept_replica(const ReplicaState& replica) {
    first_number_ = std::max(first_number_, replica.first_number);
    if (!replica.is_replica && replica.numbers_ahead == 0) return {};
    std::string text = "the log was the replica of a journal (" + replica.owner +
                       ", JournalReplica=" + replica.mode +
                       "), and is the log now, from position " + std::to_string(replica.position) +
                       " on";
    if (replica.numbers_ahead == 0) {
      queue_.report(EventId::ReplicaTakenOver, text + ": it has everything that was sent");
      return {};
    }
    losses_.push_back({.id = EventId::ReplicaIncomplete,
                       .text = place() + text +
                               ". Messages that were sent may be missing. Each session skips " +
                               std::to_string(replica.numbers_ahead) +
                               " numbers; one that the log does not have begins at MsgSeqNum " +
                               std::to_string(replica.numbers_ahead + 1)});
    if (auto skipped = skip(replica.numbers_ahead); !skipped) return skipped;
    first_number_ = std::max(first_number_, replica.numbers_ahead + 1);
    auto settled = record_replica(*servers_, options_, -1,
                                  {.owner_first_epoch = owner_first_epoch_,
                                   .numbers_ahead = 0,
                                   .first_number = first_number_});
    if (!settled) return std::unexpected{store_error(options_, settled.error())};
    return {};
  }

  // Skips what was lost; from then on nothing is durable that is not recorded.
  StoreResult<void> begin_marker(std::unique_ptr<PositionMarker> marker,
                                 const std::optional<Loss>& loss, PositionRecord fresh) {
    if (loss) {
      losses_.push_back(
          {.id = EventId::DatabaseLostCommits, .text = place() + loss->what(marker->path())});
      if (auto skipped = skip(loss->numbers); !skipped) return skipped;
      if (loss->may_miss_sessions) {
        fresh.first_number = std::max(fresh.first_number, loss->numbers + 1);
      }
      // Raises in what was lost are among the numbers that were skipped.
      std::erase_if(fresh.raises, [&](const Raise& one) { return one.until > loss->left_at; });
      add_raise(fresh, {.until = queue_.durable(), .numbers = loss->numbers});
    }
    fresh.begin = queue_.durable();
    fresh.confirmed = fresh.begin;
    fresh.sessions = session_count();
    fresh.first_number = std::max(fresh.first_number, first_number_);
    first_number_ = fresh.first_number;
    if (auto begun = marker->begin(std::move(fresh)); !begun) return begun;
    marker_ = std::move(marker);
    queue_.set_marker(marker_.get());
    return {};
  }

  bool has_room_for(std::uint64_t bytes) const noexcept override {
    return queue_.has_room_for(bytes);
  }

  std::unique_ptr<Store::Fetch> fetch(SessionKey key, std::uint64_t first, std::uint64_t last,
                                      std::uint64_t bytes_max) override {
    NEXUSFIX_ASSERT(key < session_count());
    if (!fetcher_) return nullptr;
    return fetcher_->fetch(
        {.session = key, .epoch = session(key).epoch, .first = first, .last = last}, bytes_max,
        queue_.pending());
  }

  StoreResult<void> read(SessionKey key, std::uint64_t first, std::uint64_t last,
                         MessageVisitor visit) override {
    NEXUSFIX_ASSERT(key < session_count());
    const std::uint64_t epoch = session(key).epoch;
    const LogQueue::Pending pending = queue_.pending();
    auto goes_on = reader_.read({.session = key, .epoch = epoch, .first = first, .last = last},
                                pending.durable, visit);
    if (!goes_on) return std::unexpected{std::move(goes_on.error())};
    if (!*goes_on) return {};
    for (const Batch* batch : pending.batches) {
      for (const Batch::Message& message : batch->messages()) {
        const bool is_wanted = message.session == key && message.epoch == epoch &&
                               first <= message.number && message.number <= last;
        if (is_wanted && !visit(message.number, batch->bytes_of(message))) return {};
      }
    }
    return {};
  }

  StoreResult<void> scan(LogVisitor visit) override {
    const LogQueue::Pending pending = queue_.pending();
    auto done = reader_.scan(followed_end_, pending.durable, [&](const Chunk& chunk) {
      for (const Chunk::Message& message : chunk.messages()) {
        visit({.session = session_name(message.session),
               .epoch = message.epoch,
               .msg_seq_num = message.number,
               .bytes = message.bytes});
      }
    });
    reader_.disconnect();  // a program scans once, at its start
    if (!done) return done;
    for (const Batch* batch : pending.batches) {
      for (const Batch::Message& message : batch->messages()) {
        visit({.session = session_name(message.session),
               .epoch = message.epoch,
               .msg_seq_num = message.number,
               .bytes = batch->bytes_of(message)});
      }
    }
    return {};
  }

 private:
  void report_opened(const Connection& connection, const ServerFacts& facts) {
    const bool is_safe = reach_of(facts.commit) != CommitReach::Memory;
    std::string text = "connected to " + connection.server() + ", ";
    if (!facts.system_identifier.empty()) {
      text += "cluster " + facts.system_identifier + ", timeline " +
              std::to_string(facts.timeline) + ": ";
    }
    queue_.report(is_safe ? EventId::DatabaseConnected : EventId::DatabaseCommitsUnsafe,
                  text + to_text(facts.commit));
  }

  static void append_skip(std::vector<char>& entries, SessionKey key, std::uint64_t first,
                          std::uint64_t last) {
    append_entry(entries,
                 {.kind = EntryKind::OutboundNumber, .session = key, .number = last, .bytes = {}});
    append_messages_lost(entries, key, first, last);
  }

  [[nodiscard]] std::string place() const { return "PostgreSQL store " + options_.schema + ": "; }

  // Each session goes on above every number that it may have used in what was lost: at most these.
  StoreResult<void> skip(std::uint64_t numbers) {
    SystemClock clock;
    std::vector<char> entries;
    for (SessionKey key = 0; key < session_count(); ++key) {
      const std::uint64_t first = session(key).next_outbound;
      const std::uint64_t last = first + numbers - 1;
      entries.clear();
      append_skip(entries, key, first, last);
      if (auto appended = queue_.append(entries, clock.now().wall); !appended) {
        return std::unexpected{std::move(appended.error())};
      }
      losses_.push_back(
          {.id = EventId::SequenceNumbersSkipped,
           .text = place() + std::string{session_name(key)} + ": MsgSeqNum " +
                   std::to_string(first) + " to " + std::to_string(last) +
                   " are skipped: messages may have been sent under some of them that the "
                   "database has lost. The counterparty will be sent a gap fill; compare what it "
                   "has received"});
    }
    return queue_.wait_until_durable();
  }

  [[nodiscard]] std::unexpected<StoreError> failure(StoreErrorCode code,
                                                    std::string_view reason) const {
    return std::unexpected{store_error(options_, {.text = std::string{reason}, .state = {}}, code)};
  }

  PostgresOptions options_;
  std::unique_ptr<PositionMarker> marker_;  // null: nothing is recorded
  std::uint64_t first_number_ = 1;          // of a session that the log does not have
  std::deque<StoreEvent> losses_;           // losses that were not taken yet
  std::unique_ptr<Servers> servers_;
  std::uint64_t owner_first_epoch_;  // of this process
  LogPosition followed_end_;         // the observer of the standby has got the messages before it
  LogQueue queue_;
  Reader reader_;
  std::optional<Fetcher> fetcher_;  // nothing: closed
  std::optional<Writer> writer_;    // likewise
};

}  // namespace
}  // namespace postgres

StoreResult<std::unique_ptr<Store>> open_postgres(const PostgresOptions& given) {
  using namespace postgres;
  PostgresOptions options = given;
  options.batches_in_flight_max = std::max(options.batches_in_flight_max, 1U);
  std::unique_ptr<PositionMarker> marker;
  if (!options.note_folder.empty()) {
    auto opened = PositionMarker::open(options);
    if (!opened) return std::unexpected{std::move(opened.error())};
    marker = std::move(*opened);
  }
  auto servers = std::make_unique<Servers>(options);
  auto taken = claim_log(options, *servers, marker.get());
  if (!taken) return std::unexpected{std::move(taken.error())};
  auto sessions = load_sessions(taken->connection, options);
  if (!sessions) return std::unexpected{std::move(sessions.error())};
  if (auto done = prepare_to_write(taken->connection, options.peer_timeout); !done) {
    return std::unexpected{store_error(options, done.error())};
  }
  PositionRecord fresh = marker && marker->found() ? *marker->found() : PositionRecord{};
  fresh.by = RecordedBy::Owner;
  fresh.log_id = taken->claim.log_id;
  fresh.claim = taken->claim_name;
  fresh.cluster = taken->facts.system_identifier;
  fresh.timeline = taken->facts.timeline;
  const std::optional<Loss> loss = taken->loss;
  const ReplicaState replica = taken->replica;
  auto store = std::make_unique<PostgresStore>(options, std::move(servers), std::move(*sessions),
                                               std::move(*taken));
  if (auto done = store->accept_replica(replica); !done) {
    return std::unexpected{std::move(done.error())};
  }
  if (marker) {
    auto begun = store->begin_marker(std::move(marker), loss, std::move(fresh));
    if (!begun) return std::unexpected{std::move(begun.error())};
  }
  return store;
}

const PostgresPart* postgres_part() noexcept {
  static constexpr PostgresPart kPart{.open = open_postgres,
                                      .find_mark = find_cluster_mark,
                                      .mark = mark_for_cluster,
                                      .standby_fault = find_standby_fault,
                                      .follow = postgres::Follower::open};
  return &kPart;
}

}  // namespace nexusfix::store
