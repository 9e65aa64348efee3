// Passes the messages that a connection has received to its session.
#pragma once

#include <cstddef>
#include <expected>
#include <string_view>

#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/parser.hpp>

#include "engine/ground/connection/repaired_frame.hpp"
#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

struct Sessions;

// Where a function returns a size, it is the number of processed bytes; kMustWait: the message must
// wait.
class InboundMessages {
 public:
  InboundMessages(LoopContext& loop, Sessions& sessions) noexcept
      : loop_{loop}, sessions_{sessions} {}

  [[nodiscard]] std::size_t on_message(Connection& connection, SessionEntry& entry,
                                       const wire::MessageView& message, std::string_view frame);
  // on_message(), inlined into its most frequent caller by pass_message.hpp.
  [[nodiscard]] std::size_t pass(Connection& connection, SessionEntry& entry,
                                 const wire::MessageView& message, std::string_view frame);
  // The message with which a connection was bound to the session.
  void on_first_message(Connection& connection, SessionEntry& entry,
                        const wire::MessageView& message, std::string_view frame);
  // BodyLength or CheckSum may be wrong, and the frame may be several messages because of it: only
  // the first one is processed.
  [[nodiscard]] std::size_t on_unsound_frame(Connection& connection, SessionEntry& entry,
                                             wire::GarbledReason reason, std::string_view frame);
  void on_garbled(Connection& connection, SessionEntry& entry, wire::GarbledReason reason,
                  std::string_view bytes);

 private:
  void deliver(Connection& connection, SessionEntry& entry, const wire::MessageView& message,
               std::string_view frame);
  void excuse_wait(const Connection& connection, SessionEntry& entry,
                   const wire::MessageView& message);
  [[nodiscard]] bool must_wait(Connection& connection, SessionEntry& entry,
                               const wire::MessageView& message);

  LoopContext& loop_;
  Sessions& sessions_;

  RepairedMessage repaired_;
};

}  // namespace nexusfix::engine
