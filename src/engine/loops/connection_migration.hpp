// Moves connections to the event loop of their session.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <nexusfix/base/time.hpp>
#include <nexusfix/transport/network.hpp>
#include <nexusfix/wire/parser.hpp>

#include "engine/connection/connection.hpp"
#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

struct Io;

// The loop that has the session of this Logon; unset: this one, or none.
[[nodiscard]] std::optional<std::uint32_t> other_loop_of(const LoopContext& loop,
                                                         const wire::MessageView& logon);
// True: the session is on another loop, and the connection is migrating.
[[nodiscard]] bool begin_migration(const LoopContext& loop, Connection& connection,
                                   const wire::MessageView& logon);

class ConnectionMigration {
 public:
  ConnectionMigration(LoopContext& loop, Io& io) noexcept : loop_{loop}, io_{io} {}

  void migrate(Connection& connection, std::string_view rest);
  // Adds a connection that another loop moved here. Null: it is not taken.
  // attached: its socket, set also when a later step throws.
  [[nodiscard]] Connection* attach(LoopDirectory::MigratedConnection& handed,
                                   transport::SocketId& attached);

 private:
  LoopContext& loop_;
  Io& io_;
};

}  // namespace nexusfix::engine
