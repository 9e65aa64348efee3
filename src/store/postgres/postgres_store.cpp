#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/base/clock.hpp>
#include <nexusfix/store/postgres.hpp>

#include "store/entry.hpp"
#include "store/postgres/lineage.hpp"
#include "store/postgres/log_queue.hpp"
#include "store/postgres/position_note.hpp"
#include "store/postgres/reader.hpp"
#include "store/postgres/schema.hpp"
#include "store/postgres/server_facts.hpp"
#include "store/postgres/statements.hpp"
#include "store/postgres/writer.hpp"

namespace nexusfix::store {
namespace postgres {
namespace {

class PostgresStore final : public Store {
 public:
  PostgresStore(const PostgresOptions& options, SessionTable sessions, Connection connection,
                ServerFacts facts, const Claim& claimed)
      : options_{options},
        queue_{options_, std::move(sessions), claimed.position},
        reader_{options_} {
    tell_opened(connection, facts);
    writer_.emplace(options_, queue_, std::move(connection), std::move(facts), claimed.owner_epoch);
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
    if (auto appended = queue_.append(entries, now); !appended) {
      return std::unexpected{std::move(appended.error())};
    }
    if (auto durable = queue_.wait_until_durable(); !durable) {
      return std::unexpected{std::move(durable.error())};
    }
    return key;
  }

  StoreResult<void> rename_session(SessionKey key, std::string_view name, WallTime now) override {
    if (auto may = queue_.sessions().may_be_renamed_to(name); !may) {
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
    auto durable = queue_.wait_until_durable();
    queue_.close();
    writer_.reset();  // The server gives the lock back when the connection has ended.
    return durable;
  }
  std::optional<StoreEvent> take_event() override {
    if (losses_.empty()) [[likely]]
      return queue_.take_event();
    StoreEvent event = std::move(losses_.front());
    losses_.pop_front();
    return event;
  }

  // What was lost is skipped, and from then on nothing is durable that is not noted.
  StoreResult<void> begin_note(std::unique_ptr<PositionNote> note, const std::optional<Loss>& loss,
                               Note fresh) {
    if (loss) {
      if (auto skipped = skip(*loss, note->path()); !skipped) return skipped;
      if (loss->may_miss_sessions) {
        fresh.first_number = std::max(fresh.first_number, loss->numbers + 1);
      }
      // Those of what is lost are among the numbers that were skipped.
      std::erase_if(fresh.raises, [&](const Raise& one) { return one.until > loss->left_at; });
      fresh.raises.push_back({.until = queue_.durable(), .numbers = loss->numbers});
    }
    fresh.begin = queue_.durable();
    fresh.confirmed = fresh.begin;
    fresh.sessions = session_count();
    first_number_ = fresh.first_number;
    if (auto begun = note->begin(std::move(fresh)); !begun) return begun;
    note_ = std::move(note);
    queue_.set_note(note_.get());
    return {};
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
    auto done = reader_.scan(pending.durable, [&](const Reader::Row& row) {
      visit({.session = session_name(row.session),
             .epoch = row.epoch,
             .msg_seq_num = row.number,
             .bytes = row.bytes});
    });
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
  void tell_opened(const Connection& connection, const ServerFacts& facts) {
    const bool is_safe = reach_of(facts.commit) != CommitReach::Memory;
    std::string text = "connected to " + connection.server() + ", ";
    if (!facts.system_identifier.empty()) {
      text += "cluster " + facts.system_identifier + ", timeline " +
              std::to_string(facts.timeline) + ": ";
    }
    queue_.tell(is_safe ? StoreEvent::Level::Info : StoreEvent::Level::Warning,
                text + to_text(facts.commit));
  }

  static void append_skip(std::vector<char>& entries, SessionKey key, std::uint64_t first,
                          std::uint64_t last) {
    append_entry(entries,
                 {.kind = EntryKind::OutboundNumber, .session = key, .number = last, .bytes = {}});
    append_messages_lost(entries, key, first, last);
  }

  // Each session goes on above every number that it may have used in what is lost.
  StoreResult<void> skip(const Loss& loss, const std::string& note_path) {
    const std::string place = "PostgreSQL store " + options_.schema + ": ";
    losses_.push_back({.level = StoreEvent::Level::Error, .text = place + loss.what(note_path)});
    SystemClock clock;
    std::vector<char> entries;
    for (SessionKey key = 0; key < session_count(); ++key) {
      const std::uint64_t first = session(key).next_outbound;
      const std::uint64_t last = first + loss.numbers - 1;
      entries.clear();
      append_skip(entries, key, first, last);
      if (auto appended = queue_.append(entries, clock.now().wall); !appended) {
        return std::unexpected{std::move(appended.error())};
      }
      losses_.push_back(
          {.level = StoreEvent::Level::Error,
           .text = place + std::string{session_name(key)} + ": MsgSeqNum " + std::to_string(first) +
                   " to " + std::to_string(last) +
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
  std::unique_ptr<PositionNote> note_;  // null: nothing is noted
  std::uint64_t first_number_ = 1;      // of a session that the log does not have
  std::deque<StoreEvent> losses_;       // that were not taken yet
  LogQueue queue_;
  Reader reader_;
  std::optional<Writer> writer_;  // nothing: closed
};

std::string_view field(const PGresult* rows, int row, int column) {
  return {PQgetvalue(rows, row, column), static_cast<std::size_t>(PQgetlength(rows, row, column))};
}

std::uint64_t number(const PGresult* rows, int row, int column) {
  const std::string_view bytes = field(rows, row, column);
  if (bytes.size() == sizeof(std::uint32_t)) return load_big_endian<std::uint32_t>(bytes.data());
  return load_big_endian<std::uint64_t>(bytes.data());
}

ServerResult<Result> select(Connection& connection, const char* name, const char* statement) {
  if (auto done = connection.prepare(name, statement); !done) {
    return std::unexpected{std::move(done.error())};
  }
  return connection.ask_prepared(name);
}

// A session's row as the entries that lead there.
bool open_from_row(SessionTable& table, const PGresult* rows, int row) {
  const auto key = static_cast<SessionKey>(number(rows, row, 0));
  const WallTime created{std::chrono::nanoseconds{static_cast<std::int64_t>(number(rows, row, 5))}};
  std::vector<char> entries;
  append_entry(entries, {.kind = EntryKind::SessionOpened,
                         .session = key,
                         .number = 0,
                         .bytes = field(rows, row, 1)});
  NumbersChange change;
  change.after = {.next_inbound = number(rows, row, 3),
                  .next_outbound = number(rows, row, 4),
                  .epoch = number(rows, row, 2)};
  change.created = created;
  change.is_unfinished = field(rows, row, 6) == std::string_view{"\1", 1};
  append_numbers_change(entries, key, change);
  return table.apply(entries, created).has_value();
}

StoreResult<SessionTable> load_sessions(Connection& connection, const PostgresOptions& options) {
  SessionTable table;
  auto sessions =
      select(connection, "sessions",
             "SELECT session_key, name, epoch, next_inbound, next_outbound, created_ns, "
             "is_unfinished FROM sessions ORDER BY session_key");
  if (!sessions) return std::unexpected{store_error(options, sessions.error())};
  for (int row = 0; row < PQntuples(sessions->get()); ++row) {
    if (open_from_row(table, sessions->get(), row)) continue;
    return std::unexpected{store_error(
        options,
        {.text = "row " + std::to_string(row + 1) +
                 " of table sessions, by session_key, makes no sense: somebody has changed it",
         .state = {}},
        StoreErrorCode::Corrupt)};
  }
  auto lost = select(connection, "lost",
                     "SELECT l.session_key, l.first_number, l.last_number FROM lost_numbers l "
                     "JOIN sessions s USING (session_key) WHERE l.epoch = s.epoch "
                     "ORDER BY l.position");
  if (!lost) return std::unexpected{store_error(options, lost.error())};
  for (int row = 0; row < PQntuples(lost->get()); ++row) {
    std::vector<char> entries;
    append_messages_lost(entries, static_cast<SessionKey>(number(lost->get(), row, 0)),
                         number(lost->get(), row, 1), number(lost->get(), row, 2));
    if (table.apply(entries, {})) continue;
    return std::unexpected{store_error(
        options,
        {.text = "table lost_numbers makes no sense: somebody has changed it", .state = {}},
        StoreErrorCode::Corrupt)};
  }
  return table;
}

// The log, locked and claimed by this process.
struct Taken {
  Connection connection;
  ServerFacts facts;
  Claim claim;
  std::string claim_name;
  std::optional<Loss> loss;
};

// A former primary that is back has less than the log had, whatever its position says.
ServerResult<void> check_timeline(const Note& note, const std::string& path,
                                  const ServerFacts& facts) {
  if (note.cluster.empty() || note.cluster != facts.system_identifier) return {};
  const ServerFacts noted{
      .system_identifier = note.cluster, .timeline = note.timeline, .commit = {}};
  auto same = check_same_cluster(noted, facts);
  if (same) return same;
  same.error().text += ", as " + path +
                       " says. If it was restored on purpose, set the sessions' numbers (nexusfix "
                       "journal set) and remove the file";
  return same;
}

StoreResult<Taken> take_log(PostgresOptions options, const PositionNote* note) {
  const auto fail = [&](ServerError error) { return std::unexpected{store_error(options, error)}; };
  const bool is_noted = note != nullptr && note->found();
  auto connection = Connection::open(options, -1);
  if (!connection) return fail(std::move(connection.error()));
  auto facts = read_facts(*connection);
  if (!facts) return fail(std::move(facts.error()));
  if (auto reach = check_reach(options, facts->commit); !reach) {
    return fail(std::move(reach.error()));
  }
  if (is_noted) {
    if (auto later = check_timeline(*note->found(), note->path(), *facts); !later) {
      return fail(std::move(later.error()));
    }
    options.if_no_log = IfNoLog::Refuse;
  }
  if (auto locked = lock_log(*connection, options); !locked) {
    return std::unexpected{std::move(locked.error())};
  }
  if (auto done = migrate(*connection, options); !done) {
    if (is_noted && done.error().code == StoreErrorCode::Missing) {
      done.error().text += ". " + note->path() + " says that there was one, confirmed up to " +
                           std::to_string(note->found()->confirmed) +
                           ": if its sessions are to begin at MsgSeqNum 1, remove the file";
    }
    return std::unexpected{std::move(done.error())};
  }
  Taken taken{std::move(*connection), std::move(*facts), {}, new_claim_name(), std::nullopt};
  if (is_noted) {
    auto loss = find_loss(taken.connection, options, *note->found(), note->path());
    if (!loss) return std::unexpected{std::move(loss.error())};
    taken.loss = *loss;
  }
  auto claimed = claim(taken.connection, taken.claim_name);
  if (!claimed) return fail(std::move(claimed.error()));
  taken.claim = std::move(*claimed);
  return taken;
}

}  // namespace
}  // namespace postgres

StoreResult<std::unique_ptr<Store>> open_postgres(const PostgresOptions& given) {
  using namespace postgres;
  PostgresOptions options = given;
  options.batches_in_flight_max = std::max(options.batches_in_flight_max, 1U);
  std::unique_ptr<PositionNote> note;
  if (!options.note_folder.empty()) {
    auto opened = PositionNote::open(options);
    if (!opened) return std::unexpected{std::move(opened.error())};
    note = std::move(*opened);
  }
  auto taken = take_log(options, note.get());
  if (!taken) return std::unexpected{std::move(taken.error())};
  auto sessions = load_sessions(taken->connection, options);
  if (!sessions) return std::unexpected{std::move(sessions.error())};
  if (auto done = prepare_to_write(taken->connection); !done) {
    return std::unexpected{store_error(options, done.error())};
  }
  Note fresh = note && note->found() ? *note->found() : Note{};
  fresh.log_id = taken->claim.log_id;
  fresh.claim = taken->claim_name;
  fresh.cluster = taken->facts.system_identifier;
  fresh.timeline = taken->facts.timeline;
  auto store =
      std::make_unique<PostgresStore>(options, std::move(*sessions), std::move(taken->connection),
                                      std::move(taken->facts), taken->claim);
  if (note) {
    auto begun = store->begin_note(std::move(note), taken->loss, std::move(fresh));
    if (!begun) return std::unexpected{std::move(begun.error())};
  }
  return store;
}

}  // namespace nexusfix::store
