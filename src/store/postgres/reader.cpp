#include "store/postgres/reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

#include "store/format/entry.hpp"
#include "store/postgres/array_column.hpp"
#include "store/postgres/server/schema.hpp"

namespace nexusfix::store::postgres {
namespace {

constexpr std::uint64_t kPageRows = 4096;
// A caller that stops leaves the rest of a page, which must still be read from the server.
constexpr std::uint64_t kPageBytes = 1U << 20U;

// The row that reaches this number of bytes is the page's last.
constexpr const char* kRead =
    "SELECT msg_seq_num, bytes FROM (SELECT msg_seq_num, bytes, "
    "sum(octet_length(bytes)) OVER (ORDER BY msg_seq_num) - octet_length(bytes) AS before "
    "FROM messages WHERE session_key = $1::int8::int4 AND "
    "epoch = $2::int8 AND msg_seq_num BETWEEN $3::int8 AND $4::int8 AND position < $5::int8 "
    "ORDER BY msg_seq_num LIMIT $6::int8) AS page WHERE before < $7::int8 ORDER BY msg_seq_num";
constexpr const char* kScan =
    "SELECT position, session_key, epoch, msg_seq_num, bytes FROM messages WHERE "
    "position >= $1::int8 AND position < $2::int8 ORDER BY position LIMIT $3::int8";

std::string_view field(const PGresult* row, int column) {
  return {PQgetvalue(row, 0, column), static_cast<std::size_t>(PQgetlength(row, 0, column))};
}

std::uint64_t number_at(const PGresult* row, int column) {
  return load_big_endian<std::uint64_t>(PQgetvalue(row, 0, column));
}

}  // namespace

// One query: the next rows after those that were read already.
struct Reader::Page {
  const char* prepared;
  std::array<std::uint64_t, 7> numbers;
  std::size_t count;
};

// On a standby that lags, or a former primary, messages would look as if they had never been kept.
ServerResult<void> Reader::check_position(Connection& connection) const {
  auto rows = connection.run("SELECT position FROM " + options_.schema + ".log_state");
  if (!rows) return std::unexpected{std::move(rows.error())};
  LogPosition position = 0;
  if (PQntuples(rows->get()) == 1) {
    const std::string_view text = field(rows->get(), 0);
    std::from_chars(text.data(), text.data() + text.size(), position);
  }
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
                           "SET jit = off; "
                           "SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan");
      !set) {
    return std::unexpected{std::move(set.error())};
  }
  if (auto done = made->prepare("read", kRead); !done) return done;
  if (auto done = made->prepare("scan", kScan); !done) return done;
  connection_ = std::move(*made);
  return {};
}

ServerResult<void> Reader::ask(const Page& page, ResultVisitor visit) {
  if (auto connected = connect(); !connected) return connected;
  std::array<std::array<char, 8>, 7> encoded{};
  std::array<std::string_view, 7> values{};
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

StoreResult<bool> Reader::read(const KeptRange& range, LogPosition before, NumberVisitor visit) {
  if (auto begun = begin(before); !begun) return std::unexpected{std::move(begun.error())};
  const std::uint64_t last = std::min(range.last, kNumberMax);
  std::uint64_t next = range.first;
  bool goes_on = true;
  while (goes_on && next <= last) {
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
    const Page page{
        "read", {range.session, range.epoch, next, last, before, kPageRows, kPageBytes}, 7};
    auto done = ask_twice(page, [&](const PGresult* row) {
      ++rows;
      bytes += field(row, 1).size();
      if (!goes_on) return;
      next = number_at(row, 0) + 1;
      goes_on = visit(next - 1, field(row, 1));
    });
    if (!done) return std::unexpected{std::move(done.error())};
    if (rows < kPageRows && bytes < kPageBytes) break;
  }
  return goes_on;
}

StoreResult<void> Reader::scan(LogPosition before, RowVisitor visit) {
  if (auto begun = begin(before); !begun) return begun;
  LogPosition next = 0;
  for (std::uint64_t rows = kPageRows; rows == kPageRows;) {
    rows = 0;
    const Page page{"scan", {next, before, kPageRows, 0, 0, 0, 0}, 3};
    auto done = ask_twice(page, [&](const PGresult* row) {
      ++rows;
      next = number_at(row, 0) + 1;
      visit({.session = load_big_endian<SessionKey>(PQgetvalue(row, 0, 1)),
             .epoch = number_at(row, 2),
             .number = number_at(row, 3),
             .bytes = field(row, 4)});
    });
    if (!done) return done;
  }
  connection_.reset();  // a program scans once, at its start
  return {};
}

}  // namespace nexusfix::store::postgres
