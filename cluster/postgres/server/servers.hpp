// The servers of the options: each address of each host in turn, with a time limit of its own, so
// that a silent one does not keep the next from being asked. libpq has no such limit for its own
// list without blocking.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>

#include "cluster/postgres/server/connection.hpp"

namespace nexusfix::store::postgres {

class Servers {
 public:
  explicit Servers(const PostgresOptions& options) : options_{options} {}

  // Whether the server is acceptable.
  using Accept = FunctionRef<ServerResult<void>(Connection&)>;
  // Asks the last accepted server first, the others in their order. No server is waited for after
  // `end`. Any thread. Asks the name service, which may block.
  [[nodiscard]] ServerResult<Connection> connect(int stop, Accept accept,
                                                 std::optional<MonoTime> end = {});

 private:
  PostgresOptions options_;
  std::mutex mutex_;
  ServerAddress last_;
};

}  // namespace nexusfix::store::postgres
