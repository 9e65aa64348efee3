// Kept messages from the server, on a connection that is used for nothing else. One row is in
// memory at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <nexusfix/base/function_ref.hpp>

#include "store/postgres/connection.hpp"

namespace nexusfix::store::postgres {

struct KeptRange {
  SessionKey session = 0;
  std::uint64_t epoch = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // inclusive
};

class Reader {
 public:
  explicit Reader(const PostgresOptions& options) : options_{options} {}

  // Those before this position, by ascending numbers, until visit returns false; then false.
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
  // All of them, in the order of the log.
  [[nodiscard]] StoreResult<void> scan(LogPosition before, RowVisitor visit);

 private:
  struct Page;
  using ResultVisitor = FunctionRef<void(const PGresult*)>;
  [[nodiscard]] ServerResult<void> connect();
  [[nodiscard]] ServerResult<void> ask(const Page& page, ResultVisitor visit);
  [[nodiscard]] StoreResult<void> ask_twice(const Page& page, ResultVisitor visit);

  const PostgresOptions& options_;
  std::optional<Connection> connection_;
};

}  // namespace nexusfix::store::postgres
