// One event loop: it waits for events, passes each to its component, runs timers, makes records
// durable, and sends.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/transport/network.hpp>

#include "engine/ground/loop_context.hpp"
#include "engine/service/floors.hpp"
#include "engine/service/inbox/task_runner.hpp"
#include "engine/session/pass_message.hpp"

namespace nexusfix::engine {

// Passes what a connection has received to the floor that decides on it. The
// Sink of FrameReader. The loop's thread only.
class FrameRouter {
 public:
  explicit FrameRouter(Floors& floors) noexcept : floors_{floors} {}

  [[nodiscard]] FrameReader& reader() const noexcept { return floors_.io.reader; }

  [[nodiscard, gnu::always_inline]] bool on_only_message(Connection& connection,
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

// All functions: the loop's thread, unless a comment says otherwise.
class EventLoop final : private EventEnds {
 public:
  EventLoop(LoopDependencies dependencies, Callbacks callbacks, bool busy_spin);
  ~EventLoop();

  // prepare(), open_store() and open() are called once each, in this order, with the same settings;
  // open_store() may come first. prepare() loads dictionaries and opens logs. open_store() of a
  // standby blocks until the log of another engine is free.
  [[nodiscard]] std::expected<void, EngineError> prepare(Settings& settings);
  [[nodiscard]] std::expected<void, EngineError> open_store(const Settings& settings) {
    return floors_.io.commit.open(settings, floors_.io.recovery);
  }
  // Delivers the stored messages to the application, opens the sessions, then the ports.
  [[nodiscard]] std::expected<void, EngineError> open(Settings settings);

  int run();
  bool poll(std::chrono::nanoseconds timeout);
  // Any thread: asks it to stop, and reads its figures and logs.
  [[nodiscard]] LoopContext& context() noexcept { return loop_; }
  void wake() noexcept { loop_.network->wake(); }
  [[nodiscard]] int descriptor() const noexcept { return loop_.network->descriptor(); }
  [[nodiscard]] MonoTime next_deadline() const;
  // An operator can set sequence numbers through the control socket: run() then goes on even if
  // only halted sessions are left.
  void accept_commands_from_outside() noexcept { loop_.work.accept_commands(); }

  [[nodiscard]] std::uint32_t index() const noexcept { return loop_.index; }
  [[nodiscard]] EngineLogs& logs() noexcept { return loop_.report.logs(); }
  [[nodiscard]] const std::shared_ptr<TaskInbox>& inbox() const noexcept {
    return tasks_.shared_inbox();
  }

  // For the public Engine.
  [[nodiscard]] store::Store& store() noexcept { return floors_.io.commit.store(); }
  [[nodiscard]] Listeners& listeners() noexcept { return floors_.io.listeners; }
  [[nodiscard]] SessionRegistry& registry() noexcept { return floors_.sessions.registry; }
  [[nodiscard]] std::expected<void, EngineError> add_sessions(Settings settings);
  void close_unused_listeners() {
    close_unused(floors_.io.listeners, floors_.sessions.registry, floors_.sessions.templates);
  }
  [[nodiscard]] SettingsChanges& changes() noexcept { return floors_.directory.changes; }
  [[nodiscard]] Reloader& reloader() noexcept { return floors_.directory.reloader; }
  [[nodiscard]] SessionControl& control() noexcept { return floors_.sessions.control; }
  [[nodiscard]] Reporter& report() noexcept { return loop_.report; }

 private:
  // In open.cpp.
  [[nodiscard]] std::expected<void, EngineError> open_sessions(Settings& settings);
  [[nodiscard]] std::expected<void, EngineError> open_listeners(const std::string& file);
  void report_inbound_in_doubt(const SessionEntry& entry);

  [[nodiscard]] FrameRouter router() noexcept { return FrameRouter{floors_}; }
  [[nodiscard]] bool poll_fully(std::chrono::nanoseconds timeout);
  [[nodiscard]] bool may_only_receive(std::chrono::nanoseconds timeout) const noexcept {
    // One jump for both.
    const auto waits = static_cast<std::uint64_t>(timeout.count()) | loop_.work.flags();
    return waits == 0 && first_timer() > loop_.now().mono && !has_request() &&
           floors_.io.reader.may_receive_unasked();
  }
  [[nodiscard]] bool poll_received(const transport::IoResult& result);
  [[nodiscard]] bool turn(std::chrono::nanoseconds timeout);
  // The rest of a turn, after the network was asked or a connection was received from. count: of
  // state_.ready. first: the first timer before that.
  [[nodiscard]] bool finish_turn(bool asked_network, std::size_t count, MonoTime first);
  // Another thread wants something.
  [[nodiscard]] bool has_request() const noexcept {
    // One jump for all three: hardly ever is one of them set.
    return (static_cast<unsigned>(floors_.directory.reloader.is_requested()) |
            static_cast<unsigned>(loop_.stop.is_asked()) |
            static_cast<unsigned>(tasks_.inbox().has_work())) != 0;
  }
  // At the end of a turn: the next one may have nothing to do but to receive.
  void become_quiet() noexcept {
    if (!state_.busy_spin || !loop_.work.may_become_quiet()) return;
    loop_.work.set_only(floors_.io.reader.only_connection());
    if (loop_.work.is_quiet()) loop_.boundary.costs().forget_turn();  // No other session waits.
  }
  void handle(const transport::Ready& ready);
  // handle() while it is measured who costs the loop its time.
  void handle_measured(const transport::Ready& ready);
  // When the work of a turn has ended.
  void measure_turn() {
    loop_.boundary.costs().end_turn(loop_.now().mono);
    if (loop_.boundary.costs().is_due(loop_.now().mono)) [[unlikely]]
      loop_.boundary.run([this] { name_costly(); });
  }
  // Ends it as if the network had reported its end.
  void close(Connection& connection, EventId id, std::string_view why);
  void close_ended();
  void accept_password_checks();
  void deliver_decided();
  // Connections that other loops moved here, and tasks that they posted.
  void accept_migrated();
  // No component has them any more.
  void free_destroyed_sessions();
  void end_slow_consumer(Connection& connection);
  void name_costly();
  void report_stall(const LoopCosts::Stall& stall);
  [[nodiscard]] std::string name_of(LoopCosts::Id id) const;
  void run_housekeeping();
  // Ends aborted sessions, and sends what may leave. Most turns have neither.
  void end_events() {
    if (!loop_.work.ends_events()) return;
    if (loop_.work.has(Work::Aborted)) [[unlikely]]
      floors_.sessions.disconnector.end_aborted();
    if (loop_.work.has(Work::Scratch)) [[unlikely]]
      loop_.end_scratch();
    flush();
  }
  void flush();
  void flush_fully();

  void end_event() noexcept override;
  void end_event(SessionEntry& entry) noexcept override {
    if (!floors_.sessions.transactor.abort_event()) abort_session(loop_, entry);
  }
  void end_event(Connection& connection) noexcept override {
    if (!floors_.sessions.transactor.abort_event()) floors_.io.connections.abort(connection);
  }
  void end_event(const transport::Ready& ready) noexcept override {
    if (!floors_.sessions.transactor.abort_event()) floors_.io.connections.abort(ready);
  }

  void run_timers();
  void on_timer(Connection& connection);
  void on_timer(SessionEntry& entry);
  void run_session_timers(SessionEntry& entry);
  void run_application_timers(SessionEntry& entry);
  // When the next timed work is due; kNever: there is none.
  [[nodiscard]] MonoTime first_timer() const noexcept { return loop_.time.first_timer(); }

  // Whether the loop has work that no event of the network announces.
  [[nodiscard]] bool has_due_work(MonoTime first) const noexcept {
    return first <= loop_.now().mono || tasks_.inbox().has_work() || loop_.work.is_due();
  }

  // In stop.cpp.
  void on_stop_requested();
  void begin_drain();
  [[nodiscard]] std::size_t count_undrained() const noexcept;
  void close_unbound();
  void begin_stop();
  [[nodiscard]] bool finished() {
    if (floors_.io.commit.has_failed()) [[unlikely]]
      return true;
    return floors_.io.connections.table().empty() && has_no_more_work();
  }
  // There is no connection.
  [[nodiscard]] bool has_no_more_work();
  [[nodiscard]] bool waits_for_operator() const noexcept;
  void end_all_sessions(const store::StoreError& error);
  void end_without_memory();
  void disconnect_all();
  void notify_of_end(SessionEntry& entry, std::string_view why);

  struct State {
    bool busy_spin = false;
    std::vector<transport::Ready> ready;  // of this turn
    bool is_running = false;              // run() is on the stack
    bool has_late_connections = false;    // the last turn left due connections over
    MonoTime stop_by = kNever;            // from then on, a stop no longer waits for the disk
    MonoTime drain_by = kNever;           // a drain ends then at the latest; kNever: there is none
  };

  LoopContext loop_;
  State state_;

  Floors floors_;
  SessionServices services_;
  TaskRunner tasks_;
};

}  // namespace nexusfix::engine
