// Closes connections: what the end of one means for its session.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

struct Io;
struct Sessions;

// The event loop's thread only.
class Disconnector {
 public:
  Disconnector(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : loop_{loop}, io_{io}, sessions_{sessions} {}

  // Closes the connection at once. Its session gets the end of it, as an event of its own.
  void close(Connection& connection, EventId id, std::string_view why);
  void close(Connection& connection) { close(connection, {}, {}); }  // without an event
  // Disconnects the sessions that abort_session() has got.
  void end_aborted();

 private:
  void end_session(SessionEntry& entry, bool was_connecting, std::uint64_t lost);
  void report_end(const Connection& connection, SessionEntry& entry, EventId id,
                  std::string_view why);
  void count_end(const Connection& connection, SessionEntry& entry, bool was_connecting) noexcept;

  LoopContext& loop_;
  Io& io_;
  Sessions& sessions_;
};

}  // namespace nexusfix::engine
