// Connects initiators.
#pragma once

#include <nexusfix/base/time.hpp>

#include "engine/connection/connection.hpp"
#include "engine/loop/loop_context.hpp"

namespace nexusfix::engine {

class Connections;
class Disconnector;
class SettingsChanges;
class Transactor;

class Connector {
 public:
  Connector(LoopContext& loop, Connections& connections, Disconnector& disconnector,
            SettingsChanges& changes, Transactor& transactor) noexcept
      : loop_{loop},
        connections_{connections},
        disconnector_{disconnector},
        changes_{changes},
        transactor_{transactor} {}

  void connect(SessionEntry& entry);
  void on_connected(Connection& connection);

 private:
  LoopContext& loop_;
  Connections& connections_;
  Disconnector& disconnector_;
  SettingsChanges& changes_;
  Transactor& transactor_;
};

}  // namespace nexusfix::engine
