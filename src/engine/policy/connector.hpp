// Connects initiators.
#pragma once

#include <nexusfix/base/clock.hpp>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

struct Io;
struct Sessions;

class Connector {
 public:
  Connector(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : loop_{loop}, io_{io}, sessions_{sessions} {}

  void connect(SessionEntry& entry);
  void on_connected(Connection& connection);

 private:
  LoopContext& loop_;
  Io& io_;
  Sessions& sessions_;
};

}  // namespace nexusfix::engine
