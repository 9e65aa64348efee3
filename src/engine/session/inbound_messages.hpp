// Passes the messages that a connection has received to its session: floods end, and messages that
// came too early wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/parser.hpp>

#include "engine/ground/connection/repaired_frame.hpp"
#include "engine/ground/loop_context.hpp"
#include "session/api/actions.hpp"

namespace nexusfix::engine {

class BufferGovernor;
class Transactor;
struct Sessions;

// Keeps messages that came too early until the missing ones before them have come. The loop's
// thread only. OutOfOrderQueue delivers them.
class HeldMessages {
 public:
  HeldMessages(LoopContext& loop, BufferGovernor& buffers) noexcept
      : loop_{loop}, buffers_{buffers} {}

  void perform(SessionEntry& entry, const session::BufferOutOfOrder& action);
  void perform(SessionEntry& entry, const session::DiscardOutOfOrder& action);
  // Reports what is lost.
  void discard(SessionEntry& entry, std::uint64_t begin, std::uint64_t end, std::string_view why);

 private:
  LoopContext& loop_;
  BufferGovernor& buffers_;
};

// Passes held messages to the state machine in sequence, as soon as the missing ones before them
// have come.
class OutOfOrderQueue {
 public:
  OutOfOrderQueue(LoopContext& loop, Transactor& transactor) noexcept
      : loop_{loop}, transactor_{transactor} {}

  // Most sessions have none that waits.
  void deliver_in_sequence(SessionEntry& entry) {
    const OutOfOrderMessages& waiting = entry.out_of_order;
    if (!waiting.messages_.empty() || waiting.dropped_high_ != 0) [[unlikely]]
      deliver_waiting(entry);
  }

 private:
  void deliver_waiting(SessionEntry& entry);
  void deliver_due(SessionEntry& entry);
  [[nodiscard]] bool request_dropped(SessionEntry& entry);

  LoopContext& loop_;
  Transactor& transactor_;
};

// count_administrative() and count_reject() disconnect counterparties that flood the session layer:
// each answer to them uses a MsgSeqNum and room in the store. The first one runs before a received
// administrative message is processed, so that the answer to that is the last one; the second one
// when a Reject was sent.
void count_administrative(LoopContext& loop, SessionEntry& entry, const wire::MessageView& message,
                          PackedMsgType msg_type);
void count_reject(LoopContext& loop, SessionEntry& entry);

// Where a function returns a size, it is the number of processed bytes; kMustWait: the message must
// wait.
class InboundMessages {
 public:
  InboundMessages(LoopContext& loop, Sessions& sessions) noexcept
      : loop_{loop}, sessions_{sessions} {}

  [[nodiscard]] std::size_t on_message(Connection& connection, SessionEntry& entry,
                                       const wire::MessageView& message, std::string_view frame);
  // on_message(), inlined into its most frequent caller by pass_message.hpp. True: it must wait.
  [[nodiscard]] bool pass(Connection& connection, SessionEntry& entry,
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
