// One event is one record. The state machine gets the event, its actions are performed, and their
// changes are appended to the store as one record. Meanwhile, bytes for sockets are queued; they
// are sent when the record is durable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/language.hpp>
#include <nexusfix/store.hpp>

#include "base/api/exceptions.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/ground/scratch_buffer.hpp"
#include "engine/session/received_message.hpp"
#include "engine/session/sending/sent_messages.hpp"
#include "session/api/state_machine.hpp"

namespace nexusfix::engine {

struct Io;
struct Sessions;

// The present phase of the loop's call stack.
enum class Phase : std::uint8_t {
  Idle,       // no event: a message that is sent is a record of its own
  Observing,  // on_sending(), on_sent() or write_logon() runs: it must not send
  Event,      // actions of a session are performed
  Callback,   // the application's callback runs; its messages are undone if it throws
};

// A session's state before a message, for an undo; and the message, for the figures.
struct UndoEntry {
  // One byte, which each message sets: the entry of an earlier one, of another session, is used
  // again.
  enum class Kind : std::uint8_t {
    Plain,       // queues are as they were
    WithQueues,  // they are not
    Waiting,     // the last one that waits for OutboundMessages; only entry and msg_type count
  };
  // What most messages do not change: the queues of those that do not leave at once.
  struct Queues {
    std::size_t resend_queued_size;
    std::size_t until_logon_size;
    std::uint64_t left_to_resend;
  };

  void undo() const noexcept;

  SessionEntry* entry = nullptr;
  std::uint64_t next_outbound = 0;
  std::size_t outbound_size = 0;
  PackedMsgType msg_type = 0;
  std::uint32_t bytes = 0;  // 0: the figures do not have the message
  Kind kind = Kind::Plain;
  Queues queues{};  // only of Kind::WithQueues
};
static_assert(sizeof(UndoEntry) == 64, "its place in a list is a shift");

// The loop's thread only.
class Transactor {
 public:
  using Event = FunctionRef<void(session::StateMachine&)>;

  Transactor(LoopContext& loop, Io& io, Sessions& sessions);

  // Runs the event, the session's actions, and its commands. Appends one record.
  void transact(SessionEntry& entry, Event event);
  // For a message of the counterparty. With JournalInbound the record has it, too.
  void transact(SessionEntry& entry, const wire::MessageView& message, PackedMsgType msg_type);
  // Runs the commands that were given to the session: now, or after the actions of the running
  // event.
  void apply_or_defer(SessionEntry& entry);
  // Runs the commands that were deferred outside of an event.
  void run_deferred_commands(SessionEntry& entry) {
    if (!deferred_.empty()) transact(entry, [](session::StateMachine&) {});
  }
  // JournalInbound, in the event of the connection's end: records which messages it has taken.
  // lost: the lowest MsgSeqNum that waited for it; 0: none did.
  void record_end(SessionEntry& entry, std::uint64_t lost);
  // Appends the record; the connections that got bytes wait until it is durable.
  void append_record();
  // True: the MsgSeqNum is durably recorded as received (InboundDelivery=at-most-once).
  [[nodiscard]] bool record_before_delivery(SessionEntry& entry, std::uint64_t msg_seq_num);

  [[nodiscard]] Phase phase() const noexcept { return phase_; }
  [[nodiscard]] bool is_idle() const noexcept { return phase_ == Phase::Idle; }
  // The time of the running event; outside of events, the time of the clock.
  [[nodiscard]] Now now() noexcept {
    if (phase_ == Phase::Idle) loop_.time.update();
    return loop_.now();
  }

  // The record of the running event.
  [[nodiscard]] store::Transaction& record() noexcept { return record_; }
  // The messages of the running event, for on_sent() and the message log.
  [[nodiscard]] SentMessages& sent() noexcept { return sent_; }
  // The connection has bytes of this event, which wait for the event's record.
  void add_connection(Connection& connection) {
    connection.enter_event(in_event_);
    in_event_ = &connection;
  }

  // The session whose message is being encoded. It is finished at once, or not at all: no other
  // event may come between.
  void begin_message(SessionEntry& entry) noexcept { begun_ = &entry; }
  [[nodiscard]] SessionEntry* consume_begun() noexcept { return std::exchange(begun_, nullptr); }
  void forget_begun() noexcept { begun_ = nullptr; }

  // Runs a callback. If it throws, its messages are undone, and the result is false. Inlined: most
  // messages run one.
  [[nodiscard, gnu::always_inline]] bool run_callback(SessionEntry& entry, auto&& callback) {
    NEXUSFIX_DEBUG_ASSERT(phase_ == Phase::Event);
    const CallbackScope scope{.record = record_.mark(), .sent = sent_.mark()};
    phase_ = Phase::Callback;
    bool is_done = false;
    try {
      callback();
      is_done = true;
    } catch (...) {
      undo_callback(entry, scope, std::current_exception());
    }
    end_callback();
    return is_done;
  }
  // Runs a callback that must not send. Returns what it threw; null: nothing.
  [[nodiscard]] std::exception_ptr observe(FunctionRef<void()> callback) noexcept {
    const Phase outer = std::exchange(phase_, Phase::Observing);
    std::exception_ptr thrown = exception_of(callback);
    phase_ = outer;
    return thrown;
  }
  // Whether next_undo() needs no memory.
  [[nodiscard]] bool has_room_for_undo() const noexcept { return undo_count_ < undo_room_; }
  // Before a message is given its MsgSeqNum: the place of its undo, which the caller writes.
  [[nodiscard, gnu::always_inline]] UndoEntry& next_undo() {
    if (undo_count_ == undo_room_) [[unlikely]]
      grow_undo_log();
    return undo_log_[undo_count_];
  }
  // The message is sent, and its undo is that of next_undo(). Within a callback, its undo and its
  // place in the figures wait for the end of that.
  void keep_undo_of_callback() noexcept { ++undo_count_; }
  [[gnu::always_inline]] void keep_undo() noexcept {
    ++undo_count_;
    if (phase_ != Phase::Callback) [[unlikely]]
      keep_all();
  }

  // The figures have a message that is sent for the first time.
  [[gnu::always_inline]] void count_sent(SessionEntry& entry, PackedMsgType msg_type,
                                         std::size_t bytes) noexcept {
    LoopContext& loop = loop_;  // read once: a counter could be it, as far as a compiler knows
    ++loop.stats.messages_out;
    loop.stats.bytes_out += bytes;
    entry.counters->on_sent(msg_type, bytes, loop.now().wall);
  }

  // Rolls the running event back, and aborts its sessions. False: none runs.
  bool abort_event() noexcept;

  void forget(SessionEntry& entry) noexcept;
  // The store has failed: the running event has no effect.
  void drop_event() noexcept;
  // Frees unused memory above bytes_max.
  void give_back(std::size_t bytes_max);

 private:
  // What was there before a callback.
  struct CallbackScope {
    store::Transaction::Mark record;
    SentMessages::Mark sent;
  };

  [[gnu::always_inline]] void end_callback() noexcept {
    phase_ = Phase::Event;
    keep_all();
    if (loop_.work.has(Work::Scratch)) [[unlikely]]
      loop_.end_scratch();
  }
  // The messages are sent, and cannot be undone any more. Inlined: the figures have them in their
  // order.
  [[gnu::always_inline]] void keep_all() noexcept {
    const UndoEntry* sent = undo_log_.data();
    const UndoEntry* const end = sent + std::exchange(undo_count_, 0);
    for (; sent != end; ++sent) {
      if (sent->bytes != 0) [[likely]]
        count_sent(*sent->entry, sent->msg_type, sent->bytes);
    }
  }
  [[gnu::noinline]] void grow_undo_log();
  void undo_callback(SessionEntry& entry, const CallbackScope& scope,
                     const std::exception_ptr& thrown);

  void end_connections() noexcept {
    while (in_event_ != nullptr) in_event_ = in_event_->leave_event();
  }
  [[nodiscard]] bool begin_event(SessionEntry& entry);
  void transact_fully(SessionEntry& entry, const wire::MessageView& message,
                      PackedMsgType msg_type);
  void finish_event(SessionEntry& entry);
  void end_event(SessionEntry& entry);
  void record_event(SessionEntry& entry);
  bool append_here();
  void run_deferred();
  // on_sent() and the message logs get the event's messages.
  void notify_sent() noexcept;
  void begin_actions(SessionEntry& entry);
  void run_actions(SessionEntry& entry);
  [[nodiscard]] static bool has_more(const SessionEntry& entry) noexcept;
  void run_more(SessionEntry& entry);
  void run_command(SessionEntry& entry);
  void disconnect(SessionEntry& entry, std::string_view why);
  void record_progress(SessionEntry& entry);
  void record_received(SessionEntry& entry, std::uint64_t next_inbound);
  // The received message that raises the session's next inbound MsgSeqNum, as the store keeps it;
  // empty: it keeps none. Valid until the next call.
  [[nodiscard]] std::string_view received_by(SessionEntry& entry);
  void hold_logon(SessionEntry& entry);
  void record_left(SessionEntry& entry, std::uint64_t msg_seq_num);

  LoopContext& loop_;
  Io& io_;
  Sessions& sessions_;

  store::Transaction record_;
  ReceivedMessage received_;
  Phase phase_ = Phase::Idle;
  SessionEntry* owner_ = nullptr;  // of the running event
  SessionEntry* begun_ = nullptr;
  // The messages of the running callbacks, or one.
  std::vector<UndoEntry> undo_log_ = std::vector<UndoEntry>(1);
  std::size_t undo_room_ = 1;   // its size, which a division would give
  std::size_t undo_count_ = 0;  // of them; the other entries are free
  // The connections that got bytes in this event: the last one, which knows the one before it.
  Connection* in_event_ = nullptr;
  std::vector<SessionEntry*> deferred_;  // sessions with commands of another session's callback
  SentMessages sent_;
  ScratchBuffer action_buffer_;
};

}  // namespace nexusfix::engine
