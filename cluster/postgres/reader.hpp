// Reads kept messages from the server, on a connection that is used for nothing else. One chunk is
// in memory at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <nexusfix/base/language.hpp>

#include "cluster/postgres/chunk.hpp"
#include "cluster/postgres/server/connection.hpp"
#include "cluster/postgres/server/server_facts.hpp"
#include "cluster/postgres/server/servers.hpp"

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

  // Visits all chunks with messages that begin at `from` or after it and before `before`, in the
  // order of the log. Both positions are between two chunks.
  using ChunkVisitor = FunctionRef<void(const Chunk& chunk)>;
  [[nodiscard]] StoreResult<void> scan(LogPosition from, LogPosition before, ChunkVisitor visit);
  // Ends the connection; the next reading makes another one.
  void disconnect() noexcept { connection_.reset(); }

 private:
  struct Page;
  // A resend reads one page after the other: no chunk before this one has a later message.
  struct RestPlace {
    SessionKey session = 0;
    std::uint64_t epoch = 0;  // 0: there is no such place
    std::uint64_t number = 0;
    LogPosition chunk = 0;
  };
  using ResultVisitor = FunctionRef<void(const PGresult*)>;
  [[nodiscard]] StoreResult<void> begin(LogPosition before);
  [[nodiscard]] ServerResult<void> connect();
  [[nodiscard]] ServerResult<void> accept(Connection& connection);
  [[nodiscard]] ServerResult<void> check_position(Connection& connection);
  [[nodiscard]] StoreError reading_error(const ServerError& error) const;
  [[nodiscard]] StoreResult<void> read_chunk(const PGresult* row);
  [[nodiscard]] ServerResult<void> ask(const Page& page, ResultVisitor visit);
  [[nodiscard]] StoreResult<void> ask_twice(const Page& page, ResultVisitor visit);

  const PostgresOptions& options_;
  Servers& servers_;
  ServerFacts facts_;
  int stop_;
  LogPosition before_ = 0;         // a server whose log ends earlier lacks messages
  LogPosition rows_position_ = 0;  // message_places has the log before it, on each server so far
  RestPlace rest_;
  std::optional<Connection> connection_;
  Chunk chunk_;  // the last one that was read
};

}  // namespace nexusfix::store::postgres
