// Moves connections to the event loop of their session.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <nexusfix/base/time.hpp>
#include <nexusfix/transport/network.hpp>
#include <nexusfix/wire/parser.hpp>

#include "engine/connection/connection.hpp"
#include "engine/loop/loop_context.hpp"

namespace nexusfix::engine {

class Acceptor;
class EventLoop;
class CommitGate;
class Connections;
class Inbound;
class Listeners;

class ConnectionMigration {
 public:
  ConnectionMigration(LoopContext& loop, CommitGate& commit, Connections& connections,
                      Inbound& inbound, Listeners& listeners, Acceptor& acceptor) noexcept
      : loop_{loop},
        commit_{commit},
        connections_{connections},
        inbound_{inbound},
        listeners_{listeners},
        acceptor_{acceptor} {}

  [[nodiscard]] std::optional<std::uint32_t> other_loop_of(const wire::MessageView& logon);
  [[nodiscard]] bool is_of_another_loop(Connection& connection, const wire::MessageView& logon);
  void migrate(Connection& connection, std::string_view rest);
  // Connections that other loops moved here, and tasks that they posted.
  void on_migrated(EventLoop& event_loop);

 private:
  void attach(LoopDirectory::MigratedConnection handed, transport::SocketId& attached);

  LoopContext& loop_;
  CommitGate& commit_;
  Connections& connections_;
  Inbound& inbound_;
  Listeners& listeners_;
  Acceptor& acceptor_;
};

}  // namespace nexusfix::engine
