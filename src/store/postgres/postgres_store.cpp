#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/store/postgres.hpp>

#include "store/entry.hpp"
#include "store/postgres/log_queue.hpp"
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
    if (auto appended = queue_.append(entries, now); !appended) {
      return std::unexpected{std::move(appended.error())};
    }
    if (auto durable = queue_.wait_until_durable(); !durable) {
      return std::unexpected{std::move(durable.error())};
    }
    return key;
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
  std::optional<StoreEvent> take_event() override { return queue_.take_event(); }

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

  [[nodiscard]] std::unexpected<StoreError> failure(StoreErrorCode code,
                                                    std::string_view reason) const {
    return std::unexpected{store_error(options_, {.text = std::string{reason}, .state = {}}, code)};
  }

  PostgresOptions options_;
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

}  // namespace
}  // namespace postgres

StoreResult<std::unique_ptr<Store>> open_postgres(const PostgresOptions& given) {
  using namespace postgres;
  PostgresOptions options = given;
  options.batches_in_flight_max = std::max(options.batches_in_flight_max, 1U);
  auto connection = Connection::open(options, -1);
  if (!connection) return std::unexpected{store_error(options, connection.error())};
  auto facts = read_facts(*connection);
  if (!facts) return std::unexpected{store_error(options, facts.error())};
  if (auto reach = check_reach(options, facts->commit); !reach) {
    return std::unexpected{store_error(options, reach.error())};
  }
  if (auto locked = lock_log(*connection, options); !locked) {
    return std::unexpected{std::move(locked.error())};
  }
  if (auto done = migrate(*connection, options); !done) {
    return std::unexpected{std::move(done.error())};
  }
  auto claimed = claim(*connection);
  if (!claimed) return std::unexpected{store_error(options, claimed.error())};
  auto sessions = load_sessions(*connection, options);
  if (!sessions) return std::unexpected{std::move(sessions.error())};
  if (auto done = prepare_to_write(*connection); !done) {
    return std::unexpected{store_error(options, done.error())};
  }
  return std::make_unique<PostgresStore>(options, std::move(*sessions), std::move(*connection),
                                         std::move(*facts), *claimed);
}

}  // namespace nexusfix::store
