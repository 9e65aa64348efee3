#include "cluster/postgres/reader.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "cluster/postgres/server/array_column.hpp"
#include "cluster/postgres/server/schema.hpp"
#include "store/api/entry.hpp"

namespace nexusfix::store::postgres {
namespace {

constexpr std::uint64_t kPageChunks = 256;
// A caller that stops leaves the rest of a page, which must still be read from the server.
constexpr std::uint64_t kPageBytes = 1U << 20U;

// Chunks before $5 that may have a session's messages from $3 to $4, by their places. The one that
// reaches $7 bytes is the page's last; the next page begins at $8. A page begins with the last
// place whose first number is not above $3. OFFSET 0: the chunks of a place are found by index.
// Otherwise the server may join places with the whole log. PostgreSQL 12 sorts the chunks of all
// places: they are no more than a page can need. The first one may have been read already.
constexpr const char* kRead =
    "SELECT position, session_keys, epochs, entries FROM ("
    "SELECT c.position, c.session_keys, c.epochs, c.entries, p.first_number, "
    "sum(octet_length(c.entries)) OVER (ORDER BY p.first_number, c.position) - "
    "octet_length(c.entries) AS before FROM ("
    "SELECT * FROM message_places WHERE session_key = $1::int8::int4 AND epoch = $2::int8 AND "
    "first_number >= coalesce((SELECT f.first_number FROM message_places f "
    "WHERE f.session_key = $1::int8::int4 AND f.epoch = $2::int8 AND f.first_number <= $3::int8 "
    "ORDER BY f.first_number DESC LIMIT 1), 0) AND first_number <= $4::int8 "
    "ORDER BY first_number LIMIT $6::int8 + 1) p CROSS JOIN LATERAL ("
    "SELECT * FROM chunks WHERE position >= greatest(p.position, $8::int8) AND "
    "position <= least(coalesce(p.last_position, p.position), $5::int8 - 1) AND "
    "$1::int8::int4 = ANY (session_keys) OFFSET 0) c "
    "ORDER BY p.first_number, c.position LIMIT $6::int8) AS page WHERE before < $7::int8 "
    "ORDER BY first_number, position";
// Chunks from $1 on and before $2, in which places have no part yet.
constexpr const char* kReadRest =
    "SELECT position, session_keys, epochs, entries FROM chunks WHERE "
    "position >= $1::int8 AND position < $2::int8 AND $4::int8::int4 = ANY (session_keys) "
    "ORDER BY position LIMIT $3::int8";
constexpr const char* kScan =
    "SELECT position, session_keys, epochs, entries, written FROM chunks WHERE "
    "position >= $1::int8 AND position < $2::int8 ORDER BY position LIMIT $3::int8";
enum Column { kPosition, kSessionKeys, kEpochs, kEntries, kWritten };

std::string_view field(const PGresult* row, int column) {
  return {PQgetvalue(row, 0, column), static_cast<std::size_t>(PQgetlength(row, 0, column))};
}

std::uint64_t number_of(const PGresult* row, int column) {
  return load_big_endian<std::uint64_t>(PQgetvalue(row, 0, column));
}

}  // namespace

// One query: the next rows after those that were read already.
struct Reader::Page {
  const char* prepared;
  std::array<std::uint64_t, 8> numbers;
  std::size_t count;
};

// On a standby that lags, or a former primary, messages would look as if they had never been kept.
ServerResult<void> Reader::check_position(Connection& connection) {
  auto rows =
      connection.run("SELECT position, rows_position FROM " + options_.schema + ".log_state");
  if (!rows) return std::unexpected{std::move(rows.error())};
  const bool has_state = PQntuples(rows->get()) == 1;
  const auto position = has_state ? number_at<LogPosition>(*rows, 0) : 0;
  // Another server of this reading may have fewer places.
  rows_position_ = std::min(rows_position_, has_state ? number_at<LogPosition>(*rows, 1) : 0);
  if (position >= before_) return {};
  return std::unexpected{ServerError{connection.server() + " has the log up to " +
                                         std::to_string(position) + " only, and up to " +
                                         std::to_string(before_) + " was confirmed",
                                     kLagging}};
}

ServerResult<void> Reader::accept(Connection& connection) {
  auto facts = read_facts(connection);
  if (!facts) return std::unexpected{std::move(facts.error())};
  if (auto same = check_same_cluster(facts_, *facts); !same) return same;
  if (auto whole = check_position(connection); !whole) return whole;
  facts_.timeline = facts->timeline;
  return {};
}

// Runs before the pages of one reading.
StoreResult<void> Reader::begin(LogPosition before) {
  before_ = before;
  rows_position_ = before;
  const bool was_connected = connection_.has_value();
  ServerResult<void> done = connect();
  if (done) done = check_position(*connection_);
  if (!done && was_connected && done.error().may_pass()) {
    connection_.reset();
    done = connect();
  }
  if (done) return {};
  connection_.reset();
  return std::unexpected{reading_error(done.error())};
}

StoreError Reader::reading_error(const ServerError& error) const {
  return store_error(options_, {.text = "reading: " + error.text, .state = error.state});
}

ServerResult<void> Reader::connect() {
  // A visitor that threw has left rows unread.
  const bool is_idle = connection_ && PQstatus(connection_->raw()) == CONNECTION_OK &&
                       PQtransactionStatus(connection_->raw()) == PQTRANS_IDLE;
  if (is_idle) return {};
  connection_.reset();
  auto made = servers_.connect(stop_, [this](Connection& one) { return accept(one); });
  if (!made) return std::unexpected{std::move(made.error())};
  // Plans by index, whatever the server's statistics say of a table that grows quickly.
  if (auto set = made->run("SET search_path = " + options_.schema +
                           "; SET default_transaction_read_only = on; SET enable_sort = off; "
                           "SET jit = off; SET enable_seqscan = off; SET enable_hashjoin = off; "
                           "SET enable_mergejoin = off; SET enable_bitmapscan = off; "
                           "SET plan_cache_mode = force_generic_plan");
      !set) {
    return std::unexpected{std::move(set.error())};
  }
  if (auto done = made->prepare("read", kRead); !done) return done;
  if (auto done = made->prepare("rest", kReadRest); !done) return done;
  if (auto done = made->prepare("scan", kScan); !done) return done;
  connection_ = std::move(*made);
  return {};
}

ServerResult<void> Reader::ask(const Page& page, ResultVisitor visit) {
  if (auto connected = connect(); !connected) return connected;
  std::array<std::array<char, 8>, 8> encoded{};
  std::array<std::string_view, 8> values{};
  for (std::size_t i = 0; i < page.count; ++i) {
    store_big_endian(encoded[i].data(), page.numbers[i]);
    values[i] = {encoded[i].data(), encoded[i].size()};
  }
  if (!connection_->send(page.prepared, std::span{values}.first(page.count)) ||
      PQsetSingleRowMode(connection_->raw()) == 0) {
    return std::unexpected{connection_->lost()};
  }
  std::optional<ServerError> error;
  for (;;) {
    if (auto there = connection_->wait_for_result(); !there) return there;
    const Result result{PQgetResult(connection_->raw())};
    if (!result) break;
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_SINGLE_TUPLE) {
      visit(result.get());
    } else if (status != PGRES_TUPLES_OK && !error) {
      error = error_of(result.get());
    }
  }
  if (error) return std::unexpected{std::move(*error)};
  return {};
}

// A connection that was lost since its last use is made again, once.
StoreResult<void> Reader::ask_twice(const Page& page, ResultVisitor visit) {
  bool has_rows = false;
  const auto note = [&](const PGresult* row) {
    has_rows = true;
    visit(row);
  };
  const bool was_connected = connection_.has_value();
  auto done = ask(page, note);
  if (!done && done.error().may_pass() && was_connected && !has_rows) {
    connection_.reset();
    done = ask(page, note);
  }
  if (done) return {};
  connection_.reset();
  return std::unexpected{reading_error(done.error())};
}

StoreResult<void> Reader::read_chunk(const PGresult* row) {
  const std::uint64_t position = number_of(row, kPosition);
  if (chunk_.read(position, field(row, kSessionKeys), field(row, kEpochs), field(row, kEntries))) {
    return {};
  }
  return std::unexpected{
      store_error(options_,
                  {.text = "the chunk at position " + std::to_string(position) +
                           " is not readable: table chunks was changed from outside",
                   .state = {}},
                  StoreErrorCode::Corrupt)};
}

StoreResult<bool> Reader::read(const KeptRange& range, LogPosition before, NumberVisitor visit) {
  if (auto begun = begin(before); !begun) return std::unexpected{std::move(begun.error())};
  const std::uint64_t last = std::min(range.last, kNumberMax);
  bool goes_on = true;
  std::uint64_t first = range.first;  // of what is not read yet
  StoreResult<void> readable;
  const auto take = [&](const PGresult* row) {
    if (!goes_on || !readable) return;
    readable = read_chunk(row);
    if (!readable) return;
    for (const Chunk::Message& one : chunk_.messages()) {
      if (one.session != range.session || one.epoch != range.epoch) continue;
      if (one.number < first) continue;
      first = one.number + 1;
      if (one.number > last) continue;
      rest_ = {range.session, range.epoch, one.number, chunk_.begin()};
      goes_on = visit(one.number, one.bytes);
      if (!goes_on) return;
    }
  };
  // The chunks of places, and then those from rows_position_ on.
  LogPosition next = 0;
  for (bool has_places = true; goes_on && first <= last;) {
    std::uint64_t chunks = 0;
    std::uint64_t bytes = 0;
    const Page page = has_places
                          ? Page{"read",
                                 {range.session, range.epoch, first, last, rows_position_,
                                  kPageChunks, kPageBytes, next},
                                 8}
                          : Page{"rest", {next, before, kPageChunks, range.session, 0, 0, 0, 0}, 4};
    auto done = ask_twice(page, [&](const PGresult* row) {
      ++chunks;
      bytes += field(row, kEntries).size();
      next = number_of(row, kPosition) + 1;
      take(row);
    });
    if (!done) return std::unexpected{std::move(done.error())};
    if (!readable) return std::unexpected{std::move(readable.error())};
    const bool is_page_full = chunks == kPageChunks || (has_places && bytes >= kPageBytes);
    if (is_page_full) continue;
    if (!std::exchange(has_places, false)) break;
    // A connection that was made again may have moved it back.
    const bool goes_on_there =
        rest_.session == range.session && rest_.epoch == range.epoch && rest_.number < first;
    next = std::max(rows_position_, goes_on_there ? rest_.chunk : 0);
  }
  return goes_on;
}

StoreResult<void> Reader::scan(LogPosition from, LogPosition before, ChunkVisitor visit) {
  if (auto begun = begin(before); !begun) return begun;
  LogPosition next = from;
  StoreResult<void> readable;
  for (std::uint64_t chunks = kPageChunks; chunks == kPageChunks;) {
    chunks = 0;
    const Page page{"scan", {next, before, kPageChunks, 0, 0, 0, 0, 0}, 3};
    auto done = ask_twice(page, [&](const PGresult* row) {
      ++chunks;
      if (!readable) return;
      readable = read_chunk(row);
      if (!readable) return;
      next = chunk_.end();
      const bool is_known = PQgetisnull(row, 0, kWritten) == 0;
      chunk_.set_written(is_known
                             ? std::optional{static_cast<std::int64_t>(number_of(row, kWritten))}
                             : std::nullopt);
      visit(chunk_);
    });
    if (!done) return done;
    if (!readable) return readable;
  }
  return {};
}

}  // namespace nexusfix::store::postgres
