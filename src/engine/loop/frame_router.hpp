// Passes what a connection has received to the floor that decides on it.
#pragma once

#include <cstddef>
#include <string_view>

#include "engine/service/floors.hpp"
#include "engine/session/pass_message.hpp"

namespace nexusfix::engine {

// The Sink of FrameReader. The loop's thread only.
class FrameRouter {
 public:
  explicit FrameRouter(Floors& floors) noexcept : floors_{floors} {}

  [[nodiscard]] FrameReader& reader() const noexcept { return floors_.io.reader; }

  [[nodiscard, gnu::always_inline]] std::size_t on_only_message(Connection& connection,
                                                                const wire::MessageView& message,
                                                                std::string_view frame) {
    return floors_.sessions.inbound.pass(connection, *connection.entry(), message, frame);
  }
  [[nodiscard]] std::size_t on_message(Connection& connection, const wire::MessageView& message,
                                       std::string_view frame) {
    return floors_.sessions.inbound.on_message(connection, *connection.entry(), message, frame);
  }
  [[nodiscard]] std::size_t on_unsound_frame(Connection& connection, wire::GarbledReason reason,
                                             std::string_view frame) {
    return floors_.sessions.inbound.on_unsound_frame(connection, *connection.entry(), reason,
                                                     frame);
  }
  [[nodiscard]] std::size_t on_first_frame(Connection& connection, std::string_view frame) {
    if (floors_.directory.changes.has_waiting())
        [[unlikely]]  // of a connection that has just ended
      floors_.directory.changes.apply_next_settings();
    return floors_.policy.admission.on_first_frame(connection, frame);
  }
  void on_garbled(Connection& connection, wire::GarbledReason reason, std::string_view bytes) {
    floors_.sessions.inbound.on_garbled(connection, *connection.entry(), reason, bytes);
  }
  void on_drained(Connection& connection) { connection.entry()->machine.set_delayed(false); }
  void on_closed(Connection& connection, EventId id, std::string_view why) {
    floors_.sessions.disconnector.close(connection, id, why);
  }
  void on_migrating(Connection& connection, std::string_view rest) {
    floors_.directory.migration.migrate(connection, rest);
  }

 private:
  Floors& floors_;
};

}  // namespace nexusfix::engine
