#include "cluster/postgres/opening.hpp"

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/postgres/server/array_column.hpp"
#include "cluster/postgres/server/schema.hpp"
#include "cluster/postgres/standby.hpp"
#include "store/api/entry.hpp"

namespace nexusfix::store::postgres {
namespace {

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

// The entries that lead to a session's row.
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

// Adds what the rows of sessions lack of a chunk. False: the chunk is of other sessions.
bool catch_up(Loaded& loaded, LogPosition position, std::string_view entries) {
  EntryReader reader{entries};
  Entry entry;
  while (reader.next(entry)) {
    const bool is_inbound = entry.kind == EntryKind::InboundProgress;
    const bool is_message = entry.kind == EntryKind::OutboundMessage;
    if (!is_inbound && !is_message && entry.kind != EntryKind::OutboundNumber) continue;
    if (entry.session >= loaded.sessions.size()) return false;
    const SessionRecord& record = loaded.sessions.record(entry.session);
    const bool is_newer =
        is_inbound ? entry.number > record.next_inbound : entry.number >= record.next_outbound;
    if (!is_newer) continue;
    loaded.lagging.make_room(loaded.sessions.size(), 1);
    loaded.lagging.touch(entry.session, position);
    if (is_message) {
      loaded.lagging.add_message(entry.session, record.epoch, entry.number, entry.bytes.size(),
                                 position);
    }
    const CommonRecord common{.session = entry.session,
                              .msg_seq_num = is_inbound ? 0 : entry.number,
                              .next_inbound = is_inbound ? entry.number : 0};
    if (!loaded.sessions.apply(common).empty()) return false;
  }
  return reader.at_end();
}

// A former primary that is back may lack confirmed records, whatever its position says.
ServerResult<void> check_timeline(const PositionRecord& record, const std::string& path,
                                  const ServerFacts& facts) {
  if (record.cluster.empty() || record.cluster != facts.system_identifier) return {};
  const ServerFacts noted{
      .system_identifier = record.cluster, .timeline = record.timeline, .commit = {}};
  auto same = check_same_cluster(noted, facts);
  if (same) return same;
  same.error().text += ", as " + path +
                       " says. If it was restored on purpose, set the sessions' numbers (nexusfix "
                       "journal set) and remove the file";
  return same;
}

// The claim ends the process that has the lock.
ServerResult<Claim> claim_and_lock(Connection& connection, const PostgresOptions& options,
                                   const std::string& name) {
  const std::uint64_t token = options.lease->token();
  // Another process may have the lease by now, and claim the log first.
  if (token == 0) return std::unexpected{ServerError{"the lease was lost", kOwnedByAnother}};
  auto claimed = claim_by_lease(connection, options, name, token);
  if (!claimed) return claimed;
  // The session that was ended has the lock until the server has done it.
  if (auto locked = lock_log(connection, options); !locked) {
    return std::unexpected{ServerError{std::move(locked.error().text), kLockHeld}};
  }
  return claimed;
}

// Why the replica of a journal is not taken over.
ServerResult<void> check_replica(const PostgresOptions& options, const ReplicaState& found) {
  if (found.lacks_more) {
    return std::unexpected{ServerError{
        "the log is the replica of a journal (" + found.owner +
            "), and lacks a part of it that has no bound: it lagged, and was still catching "
            "up. Start the engine of that journal again. If its machine is lost, the sessions can "
            "go on with gaps: docs/operations/from-journal-replica.md",
        kElsewhere}};
  }
  if (!found.is_replica || options.if_replica == IfReplica::TakeOver) return {};
  return std::unexpected{ServerError{
      "the log is the replica of a journal (" + found.owner +
          "). Nothing was changed: use the journal, or start an engine to take the replica over",
      kElsewhere}};
}

// The log, locked by this connection.
struct Locked {
  Connection connection;
  std::string claim_name = new_claim_name();
  std::optional<Claim> claim{};               // by the lease; nothing: it is not claimed yet
  std::optional<LogPosition> followed_end{};  // it was a standby, which has followed the log so far
  bool was_standby = false;                   // another process had the log meanwhile
};

// A claim that fails for now, or whose outcome is not known, is followed by another one with a
// higher token: the standby goes on to wait.
StoreResult<Locked> wait_and_claim(Standby& standby, Connection connection,
                                   const PostgresOptions& options) {
  for (;;) {
    auto waited = standby.wait(std::move(connection));
    if (!waited) return std::unexpected{std::move(waited.error())};
    Locked locked{.connection = std::move(*waited)};
    auto claimed = claim_and_lock(locked.connection, options, locked.claim_name);
    if (claimed) {
      options.lease->on_claimed();
      locked.claim = std::move(*claimed);
      return locked;
    }
    const ServerError& error = claimed.error();
    if (!error.may_pass() && error.state != kOwnedByAnother) {
      return std::unexpected{store_error(options, error)};
    }
    standby.on_not_taken(error.text);
    connection = std::move(locked.connection);
  }
}

StoreResult<Locked> wait_for_lock(Standby& standby, Connection connection) {
  auto waited = standby.wait(std::move(connection));
  if (!waited) return std::unexpected{std::move(waited.error())};
  return Locked{.connection = std::move(*waited)};
}

StoreResult<Locked> lock_or_wait(Connection connection, const PostgresOptions& options,
                                 Servers& servers, const ServerFacts& facts, Servers::Accept accept,
                                 PositionMarker* marker) {
  if (options.lease == nullptr && options.if_owned == IfOwned::Refuse) {
    if (auto locked = lock_log(connection, options); !locked) {
      return std::unexpected{std::move(locked.error())};
    }
    return Locked{.connection = std::move(connection)};
  }
  if (options.lease == nullptr) {
    const auto is_free = try_lock_log(connection, options);
    if (!is_free) return std::unexpected{is_free.error()};
    if (*is_free) return Locked{.connection = std::move(connection)};
  }
  Standby standby{options, servers, facts, accept, marker};
  const bool is_leased = options.lease != nullptr;
  auto taken = is_leased ? wait_and_claim(standby, std::move(connection), options)
                         : wait_for_lock(standby, std::move(connection));
  if (taken) {
    taken->followed_end = standby.followed_end();
    taken->was_standby = standby.has_waited_for_owner();
  }
  return taken;
}

}  // namespace

StoreResult<Loaded> load_sessions(Connection& connection, const PostgresOptions& options) {
  // All of it as it is at one time; plans by index, whatever the statistics of the server say,
  // whose costs are no reason for JIT compilation (200 ms).
  constexpr const char* kBegin =
      "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL enable_seqscan = off; "
      "SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off; SET LOCAL jit = off";
  Loaded loaded;
  SessionTable& table = loaded.sessions;
  if (auto begun = connection.run(kBegin); !begun) {
    return std::unexpected{store_error(options, begun.error())};
  }
  const auto corrupt = [&](std::string text) {
    return std::unexpected{store_error(
        options, {.text = std::move(text) + ": it was changed from outside", .state = {}},
        StoreErrorCode::Corrupt)};
  };
  auto sessions =
      select(connection, "sessions",
             "SELECT session_key, name, epoch, next_inbound, next_outbound, created_ns, "
             "is_unfinished FROM sessions ORDER BY session_key");
  if (!sessions) return std::unexpected{store_error(options, sessions.error())};
  for (int row = 0; row < PQntuples(sessions->get()); ++row) {
    if (open_from_row(table, sessions->get(), row)) continue;
    return corrupt("row " + std::to_string(row + 1) +
                   " of table sessions, by session_key, is not consistent");
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
    if (!table.apply(entries, {})) return corrupt("table lost_numbers is not consistent");
  }
  auto state = connection.run("SELECT rows_position FROM log_state");
  if (!state) return std::unexpected{store_error(options, state.error())};
  // A number in the statement: by a join the server would read the whole log.
  const std::string rest =
      "SELECT position, entries FROM chunks WHERE position >= " +
      (PQntuples(state->get()) == 1 ? std::string{text_at(*state, 0)} : "NULL") +
      " ORDER BY position";
  auto chunks = select(connection, "lagging", rest.c_str());
  if (!chunks) return std::unexpected{store_error(options, chunks.error())};
  for (int row = 0; row < PQntuples(chunks->get()); ++row) {
    const LogPosition position = number(chunks->get(), row, 0);
    if (catch_up(loaded, position, field(chunks->get(), row, 1))) continue;
    return corrupt("the chunk at position " + std::to_string(position) + " is not consistent");
  }
  if (auto ended = connection.run("COMMIT"); !ended) {
    return std::unexpected{store_error(options, ended.error())};
  }
  return loaded;
}

StoreResult<Taken> claim_log(PostgresOptions options, Servers& servers, PositionMarker* marker) {
  const auto fail = [&](const ServerError& error) {
    return std::unexpected{store_error(options, error)};
  };
  const auto is_recorded = [&] { return marker != nullptr && marker->found(); };
  ServerFacts facts;  // of the server that was accepted last
  const auto accept = [&](Connection& one) -> ServerResult<void> {
    auto found = read_facts(one);
    if (!found) return std::unexpected{std::move(found.error())};
    if (auto same = check_same_cluster(facts, *found); !same) return same;
    if (is_recorded()) {
      auto timeline = check_timeline(*marker->found(), marker->path(), *found);
      if (!timeline) return timeline;
    }
    if (auto reach = check_reach(options, found->commit); !reach) return reach;
    facts = std::move(*found);
    return {};
  };
  auto connection = servers.connect(-1, accept);
  if (!connection) return fail(std::move(connection.error()));
  if (is_recorded()) options.if_no_log = IfNoLog::Refuse;
  auto locked = lock_or_wait(std::move(*connection), options, servers, facts, accept, marker);
  if (!locked) return std::unexpected{std::move(locked.error())};
  if (auto done = migrate(locked->connection, options); !done) {
    if (is_recorded() && done.error().code == StoreErrorCode::Missing) {
      done.error().text += ". " + marker->path() + " says that there was one, confirmed up to " +
                           std::to_string(marker->found()->confirmed) +
                           ": if its sessions are to begin at MsgSeqNum 1, remove the file";
    }
    return std::unexpected{std::move(done.error())};
  }
  Taken taken{.connection = std::move(locked->connection),
              .facts = std::move(facts),
              .claim = {},
              .claim_name = std::move(locked->claim_name),
              .loss = std::nullopt,
              .replica = {},
              .was_standby = locked->was_standby,
              .followed_end = locked->followed_end.value_or(0)};
  auto replica = read_replica_state(taken.connection);
  if (!replica) return fail(std::move(replica.error()));
  if (auto may = check_replica(options, *replica); !may) {
    return std::unexpected{store_error(options, may.error(), StoreErrorCode::Refused)};
  }
  taken.replica = std::move(*replica);
  if (is_recorded()) {
    auto loss =
        find_loss(taken.connection, options, *marker, taken.facts.timeline, taken.claim_name);
    if (!loss) return std::unexpected{std::move(loss.error())};
    taken.loss = *loss;
  }
  auto claimed = locked->claim ? ServerResult<Claim>{std::move(*locked->claim)}
                               : claim(taken.connection, taken.claim_name);
  if (!claimed) return fail(std::move(claimed.error()));
  taken.claim = std::move(*claimed);
  auto sees = await_standby(taken.connection, options);
  if (!sees) return fail(std::move(sees.error()));
  taken.sees_standby = *sees;
  return taken;
}

}  // namespace nexusfix::store::postgres
