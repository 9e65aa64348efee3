// Reads kept messages from the server, on a connection that is used for nothing else. One row is in
// memory at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <nexusfix/base/function_ref.hpp>

#include "store/postgres/server/connection.hpp"
#include "store/postgres/server/server_facts.hpp"
#include "store/postgres/server/servers.hpp"

namespace nexusfix::store::postgres {

struct KeptRange {
  SessionKey session = 0;
  std::uint64_t epoch = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // inclusive
};

class Reader {
 public:
  // facts: of the server that has the log. stop: as in Connection::open(). Options and servers must
  // outlive it.
  Reader(const PostgresOptions& options, Servers& servers, ServerFacts facts, int stop)
      : options_{options}, servers_{servers}, facts_{std::move(facts)}, stop_{stop} {}

  // Visits messages before this position, by ascending numbers, until visit returns false; then
  // false.
  using NumberVisitor = FunctionRef<bool(std::uint64_t number, std::string_view bytes)>;
  [[nodiscard]] StoreResult<bool> read(const KeptRange& range, LogPosition before,
                                       NumberVisitor visit);

  struct Row {
    SessionKey session = 0;
    std::uint64_t epoch = 0;
    std::uint64_t number = 0;
    std::string_view bytes;
  };
  using RowVisitor = FunctionRef<void(const Row& row)>;
  // Visits all messages, in the order of the log.
  [[nodiscard]] StoreResult<void> scan(LogPosition before, RowVisitor visit);

 private:
  struct Page;
  using ResultVisitor = FunctionRef<void(const PGresult*)>;
  [[nodiscard]] StoreResult<void> begin(LogPosition before);
  [[nodiscard]] ServerResult<void> connect();
  [[nodiscard]] ServerResult<void> accept(Connection& connection);
  [[nodiscard]] ServerResult<void> check_position(Connection& connection) const;
  [[nodiscard]] StoreError reading_error(const ServerError& error) const;
  [[nodiscard]] ServerResult<void> ask(const Page& page, ResultVisitor visit);
  [[nodiscard]] StoreResult<void> ask_twice(const Page& page, ResultVisitor visit);

  const PostgresOptions& options_;
  Servers& servers_;
  ServerFacts facts_;
  int stop_;
  LogPosition before_ = 0;  // a server whose log ends earlier lacks messages
  std::optional<Connection> connection_;
};

}  // namespace nexusfix::store::postgres
