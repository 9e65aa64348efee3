// The servers that an operator names: each address of each host in turn, with a time of its own, so
// that one that is silent does not keep the next one from being asked. libpq's own list has no such
// time where it does not block.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include <nexusfix/base/function_ref.hpp>

#include "store/postgres/server/connection.hpp"

namespace nexusfix::store::postgres {

class Servers {
 public:
  explicit Servers(const PostgresOptions& options) : options_{options} {}

  // Whether it is a server that will do.
  using Accept = FunctionRef<ServerResult<void>(Connection&)>;
  // The server that was accepted last is asked first, the others in their order. Any thread. Asks
  // the name service, which may block.
  [[nodiscard]] ServerResult<Connection> connect(int stop, Accept accept);

 private:
  PostgresOptions options_;
  std::mutex mutex_;
  ServerAddress last_;
};

}  // namespace nexusfix::store::postgres
