#include "engine/loop/event_loop.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/api/secret.hpp"
#include "base/api/thread_setup.hpp"
#include "engine/ground/charge.hpp"

namespace nexusfix::engine {
namespace {

// An idle loop wakes up at least once in this time.
constexpr std::chrono::nanoseconds kIdleWait = std::chrono::seconds{1};

// One turn handles at most this number of due connections. Thousands that connected together and
// sent no Logon are due together; trading sessions must not wait for all of them.
constexpr std::size_t kDueConnectionsPerTurn = 64;

// LoopStatistics::late_turns.
constexpr std::chrono::milliseconds kLate{10};

// Components free larger buffers than this after a large callback or resend.
constexpr std::size_t kScratchBytesMax = 4U << 20U;

// A halt also ends when the schedule ends the session. A timer's callback may log on, and so may an
// operator who has logged the session out.
bool may_connect_again(const SessionEntry& entry) noexcept {
  const ConnectPolicy& policy = entry.connect_policy;
  return policy.wants_connection() || policy.is_logged_out_by_operator() || !entry.timers.empty() ||
         (policy.is_halted() && !entry.settings().schedule.is_non_stop());
}

}  // namespace

int EventLoop::run() {
  const ThreadSetup setup{loop_.cpu};
  if (!setup.failure().empty()) {
    loop_.report.engine(EventId::ThreadSetupFailed, setup.failure());
    tasks_.close();
    if (loop_.shared.directory) loop_.shared.directory->remove_loop(loop_.index);
    // The sessions of other loops go on: the service manager must not wait for this loop.
    if (loop_.service != nullptr) loop_.service->has_ended(loop_.index);
    return 1;
  }
  transport::ServiceNotifier* const service = loop_.service;
  auto timeout = state_.busy_spin ? std::chrono::nanoseconds{0} : kIdleWait;
  if (service != nullptr) timeout = std::min(timeout, service->sleep_max());
  if (loop_.shared.directory) loop_.shared.directory->serve_here();
  state_.is_running = true;
  loop_.stats.is_running.set(true);
  while (poll(timeout)) {
    if (service != nullptr) service->is_alive(loop_.index, loop_.now().mono);
  }
  state_.is_running = false;
  loop_.stats.is_running.set(false);
  if (service != nullptr) service->has_ended(loop_.index);
  LoopDirectory::serve_no_more();
  return floors_.io.commit.has_failed() ? 1 : 0;
}

// In most turns, a spinning loop finds nothing. Their function is small, and what it needs after
// the receive is read again, so that it saves one register.
bool EventLoop::poll(std::chrono::nanoseconds timeout) {
  if (!may_only_receive(timeout)) return poll_fully(timeout);
  tasks_.inbox().serve_here();
  ++loop_.stats.turns;
  const transport::IoResult result = floors_.io.reader.receive_from(*loop_.work.only());
  loop_.update_time();
  if (result.status == transport::IoResult::Status::WouldBlock && first_timer() > loop_.now().mono)
      [[likely]]
    return true;
  return poll_received(result);
}

// A quiet loop has received something, or a timer has become due. Mostly it is quiet again when it
// has sent the answers.
[[gnu::noinline]] bool EventLoop::poll_received(const transport::IoResult& result) {
  Connection& connection = *loop_.work.only();
  const MonoTime first = first_timer();
  bool goes_on = true;
  if (result.status != transport::IoResult::Status::WouldBlock)
    floors_.io.reader.on_direct_result(connection, result, router());
  const bool is_done = loop_.boundary.run([&] {
    end_events();
    if (loop_.work.is_quiet() && first > loop_.now().mono) [[likely]]
      return;
    goes_on = finish_turn(/*asked_network=*/false, 0, first);
  });
  if (!is_done) end_without_memory();
  if (!goes_on) tasks_.close();
  return goes_on;
}

[[gnu::noinline]] bool EventLoop::poll_fully(std::chrono::nanoseconds timeout) {
  tasks_.inbox().serve_here();
  // Before the inbox is read: a task that is posted after this must wake the thread.
  if (timeout > std::chrono::nanoseconds{0}) tasks_.inbox().fall_asleep();
  bool goes_on = false;
  ++loop_.stats.turns;
  if (!loop_.boundary.run([&] { goes_on = turn(timeout); })) end_without_memory();
  if (!goes_on) {
    tasks_.close();
  } else if (!state_.busy_spin) {
    // It may sleep between two polls, until descriptor() is readable.
    tasks_.inbox().fall_asleep();
    if (loop_.latency.is_unsettled()) loop_.latency.settle(loop_.time.read().mono);
  }
  return goes_on;
}

[[gnu::always_inline]] inline bool EventLoop::turn(std::chrono::nanoseconds timeout) {
  if (timeout > std::chrono::nanoseconds{0}) {
    loop_.time.update();
    measure_turn();
  }
  if (floors_.directory.reloader.is_requested()) [[unlikely]]
    floors_.directory.reloader.reload_as_requested();
  if (loop_.stop.must_stop() && !loop_.work.is_stopping()) [[unlikely]]
    on_stop_requested();
  // Messages that the application sent between two turns are sent before the wait.
  end_events();
  if (finished()) return false;
  const MonoTime first = first_timer();
  bool has_work = has_due_work(first);
  if (has_work) {
    timeout = std::chrono::nanoseconds{0};
  } else if (timeout > std::chrono::nanoseconds{0} && first != kNever) {
    timeout = std::min(timeout, std::chrono::nanoseconds{first - loop_.now().mono});
  }
  std::size_t count = 0;
  const bool spins = state_.busy_spin && timeout == std::chrono::nanoseconds{0};
  const auto direct =
      spins ? floors_.io.reader.receive_directly(router()) : FrameReader::Direct::NeedsWait;
  // What another thread has finished meanwhile is for the next turn.
  has_work |= first <= loop_.now().mono;
  if (direct == FrameReader::Direct::Nothing && !has_work) {
    measure_turn();
    become_quiet();
    return true;
  }
  const bool asks_network = direct == FrameReader::Direct::NeedsWait;
  if (asks_network) {
    floors_.io.reader.unwatch_connections(spins);
    if (floors_.io.commit.waits_for_disk()) loop_.network->expect_wake();
    count = loop_.network->wait(state_.ready, timeout);
    // What the network does not watch is received here, so that housekeeping does not delay it.
    if (!spins || floors_.io.reader.receive_directly(router()) == FrameReader::Direct::NeedsWait)
      loop_.update_time();
  }
  return finish_turn(asks_network, count, first);
}

[[gnu::always_inline]] inline bool EventLoop::finish_turn(bool asked_network, std::size_t count,
                                                          MonoTime first) {
  tasks_.inbox().wake_up();
  measure_turn();
  loop_.boundary.costs().begin_turn(loop_.now().mono);
  if (const auto one = floors_.io.reader.consume_received(); one != 0)
    loop_.boundary.costs().count({nullptr, one});
  const bool is_measured = loop_.boundary.costs().is_measuring();
  for (std::size_t i = 0; i < count && !floors_.io.commit.has_failed(); ++i) {
    loop_.boundary.costs().count({nullptr, state_.ready[i].socket});
    loop_.boundary.run(state_.ready[i], [&] {
      if (is_measured) [[unlikely]]
        return handle_measured(state_.ready[i]);
      handle(state_.ready[i]);
    });
  }
  end_events();  // Answers are sent first.
  tasks_.run_tasks(floors_);
  if (loop_.shared.credentials) [[unlikely]]
    accept_password_checks();
  floors_.sessions.resends.serve_replays();
  if (first_timer() <= loop_.now().mono) run_timers();
  if (loop_.work.has(Work::Decided)) [[unlikely]]
    deliver_decided();
  // Turns that receive directly delay this, as they delay the wait.
  if (asked_network || first <= loop_.now().mono || finished()) run_housekeeping();
  end_events();
  floors_.io.connections.destroy_closed();
  if (finished()) return false;
  become_quiet();
  return true;
}

// Work that delays no message.
void EventLoop::run_housekeeping() {
  loop_.stats.turned_at_ns.set(loop_.now().mono.time_since_epoch().count());
  accept_migrated();
  loop_.boundary.run([this] { floors_.io.acceptor.check_refused(); });
  floors_.io.commit.check();
  floors_.directory.certificates.check();
  loop_.stats.connections.set(floors_.io.connections.table().size());
  if (floors_.io.buffers.check()) {
    floors_.sessions.transactor.give_back(kScratchBytesMax);
    floors_.sessions.resends.give_back(kScratchBytesMax);
    loop_.give_back_scratch(kScratchBytesMax);
  }
  floors_.directory.reloader.serve_files();
  end_events();
  if (floors_.sessions.registry.destroy_leaving()) [[unlikely]]
    close_unused_listeners();
  free_destroyed_sessions();
  if (floors_.directory.changes.has_waiting()) [[unlikely]]
    loop_.boundary.run([this] { floors_.directory.changes.apply_next_settings(); });
  loop_.report.logs().turn(loop_.now().wall);
  loop_.report.report_memory();
  loop_.report.report_refused();
}

MonoTime EventLoop::next_deadline() const {
  const bool is_due = loop_.work.is_due() || floors_.io.commit.is_unflushed() ||
                      (floors_.io.connections.has_unsent() && !floors_.io.commit.is_waiting()) ||
                      tasks_.inbox().has_work();
  return is_due ? MonoTime::min() : first_timer();
}

void EventLoop::handle(const transport::Ready& ready) {
  if (ready.kind == transport::Ready::Kind::Accepted) {
    floors_.io.acceptor.on_accepted(ready);
    return;
  }
  Connection* const found = floors_.io.connections.find(ready.socket);
  if (found == nullptr) return;  // It was closed in the meantime.
  Connection& connection = *found;
  switch (ready.kind) {
    case transport::Ready::Kind::Connected:
      floors_.policy.connector.on_connected(connection);
      break;
    case transport::Ready::Kind::Readable:
      floors_.io.reader.on_readable(connection, router());
      break;
    case transport::Ready::Kind::Writable:
      connection.set_blocked(false);
      floors_.io.connections.mark_unsent(connection);
      if (connection.entry() != nullptr && connection.entry()->resend.is_in_progress())
        loop_.work.set(Work::Resends);
      break;
    case transport::Ready::Kind::Failed:
      close(connection,
            connection.is_connecting() ? EventId::ConnectFailed : EventId::ConnectionLost,
            loop_.network->last_error(connection.socket_id()));
      break;
    case transport::Ready::Kind::Announced:
      floors_.io.acceptor.on_announced(connection);
      break;
    case transport::Ready::Kind::Accepted:
      break;
  }
}

void EventLoop::handle_measured(const transport::Ready& ready) {
  const Connection* const connection = floors_.io.connections.find(ready.socket);
  if (connection == nullptr) return handle(ready);
  measure(loop_, *connection, [&] { handle(ready); });
}

void EventLoop::name_costly() {
  const MonoTime now = loop_.now().mono;
  if (const auto stall = loop_.boundary.costs().consume_stall(now, state_.is_running))
    report_stall(*stall);
  const auto costly = loop_.boundary.costs().end_window(now);
  if (!costly) return;
  constexpr std::chrono::milliseconds kUnit{1};
  loop_.report.engine(EventId::LoopCostly,
                      {costly->who, " took ", costly->time / kUnit, " ms of the event loop's last ",
                       costly->window / kUnit, " ms, in ", costly->events,
                       " events. The other sessions of this loop waited meanwhile"});
}

void EventLoop::report_stall(const LoopCosts::Stall& stall) {
  std::vector<std::string> names;
  for (const LoopCosts::Id id : stall.served) {
    std::string name = name_of(id);
    if (!name.empty() && std::ranges::find(names, name) == names.end())
      names.push_back(std::move(name));
  }
  std::string served = names.empty() ? "no session" : "";
  for (const std::string& name : names) served += (served.empty() ? "" : ", ") + name;
  if (stall.more != 0) served += ", and " + std::to_string(stall.more) + " events more";
  loop_.report.engine(
      EventId::LoopCostly,
      {"one turn of the event loop took ", stall.time / std::chrono::milliseconds{1},
       " ms. It served ", served, ". The other sessions of this loop waited meanwhile"});
}

// Empty: it has ended, or it is a port.
std::string EventLoop::name_of(LoopCosts::Id id) const {
  if (id.session == nullptr) {
    const Connection* const connection = floors_.io.connections.find(id.socket);
    return connection != nullptr ? who_is(loop_, *connection) : std::string{};
  }
  for (const auto& entry : floors_.sessions.registry.entries()) {
    if (entry.get() == id.session) return entry->name;
  }
  return {};
}

// An owner that becomes due during these timers runs in the next turn.
void EventLoop::run_timers() {
  const MonoTime first = first_timer();
  if (floors_.io.commit.has_failed()) return;
  // Connections that the last turn left over are late by design: they say nothing about the loop.
  const bool is_known_late = std::exchange(state_.has_late_connections, false);
  floors_.policy.admission.record_lateness(is_known_late ? loop_.now().mono : first);
  if (!is_known_late && loop_.now().mono - first > kLate) ++loop_.stats.late_turns;
  if (loop_.now().mono >= loop_.time.wakes_at()) loop_.time.clear_wake();
  const auto& due = loop_.timers.remove_due_connections(loop_.now().mono, kDueConnectionsPerTurn);
  state_.has_late_connections = loop_.timers.first_connection() <= loop_.now().mono;
  for (Connection* connection : due) {
    loop_.boundary.costs().count({nullptr, connection->socket_id()});
    loop_.boundary.run(*connection, [&] { on_timer(*connection); });
  }
  for (SessionEntry* entry : loop_.timers.remove_due_sessions(loop_.now().mono)) {
    loop_.boundary.run(*entry, [&] { charge(loop_, *entry, [&] { on_timer(*entry); }); });
  }
  loop_.report.report_suppressed();
}

void EventLoop::on_timer(SessionEntry& entry) {
  if (entry.abort.is_pending()) return;
  if (entry.machine.next_deadline() <= loop_.now().mono) {
    floors_.sessions.transactor.transact(
        entry, [this](session::StateMachine& machine) { machine.on_time(loop_.now()); });
  }
  loop_.arm(entry, entry.machine.next_deadline());
  run_session_timers(entry);
  if (!entry.timers.empty()) run_application_timers(entry);
  floors_.sessions.control.follow_schedule(entry);
  floors_.sessions.control.reset_at_limit(entry);
  const ConnectPolicy& policy = entry.connect_policy;
  if (policy.wants_connection() && entry.schedule_status.may_log_on() &&
      entry.connection() == nullptr) {
    if (policy.connect_at() <= loop_.now().mono) {
      if (entry.file.next_settings() != nullptr) {
        floors_.directory.changes.apply_next_settings(entry);
      }
      floors_.policy.connector.connect(entry);
    }
    loop_.arm(entry, policy.connect_at());
  }
}

// A timer that a callback sets runs in a later turn, also if it is due at once.
void EventLoop::run_application_timers(SessionEntry& entry) {
  const std::uint64_t number_max = entry.timers.last_number();
  for (std::size_t i = 0; i < SessionTimers::kDuePerTurn; ++i) {
    if (entry.abort.is_pending() || floors_.io.commit.has_failed()) return;
    auto callback = entry.timers.remove_due(loop_.now(), number_max);
    if (!callback) break;
    floors_.sessions.actions.run_timer(entry, *callback);
  }
  loop_.arm(entry, entry.timers.next(loop_.now()));
}

// Sends what has waited for OutboundMessages, resumes a resend that a limit has paused, reports
// that a backlog has ended, and delivers the notice of a disconnection.
void EventLoop::run_session_timers(SessionEntry& entry) {
  if (entry.outbound_limit && floors_.sessions.outbox.send_waiting(entry)) {
    floors_.sessions.actions.notify_writable(entry);
  }
  if (entry.connection() != nullptr && entry.connection()->backlog().consume_end()) {
    floors_.sessions.actions.notify_writable(entry);
  }
  if (entry.resend.is_in_progress() && entry.resend.resumes_at() > loop_.now().mono) {
    loop_.arm(entry, entry.resend.resumes_at());
  } else if (entry.resend.is_in_progress()) {
    loop_.work.set(Work::Resends);
  }
  if (!entry.disconnection.is_pending()) return;
  if (entry.disconnection.due_at() > loop_.now().mono)
    return loop_.arm(entry, entry.disconnection.due_at());
  floors_.sessions.transactor.transact(
      entry, [&](session::StateMachine&) { entry.disconnection.make_due(); });
}

void EventLoop::on_timer(Connection& connection) {
  if (connection.is_dead()) return;  // The timer of another connection has closed it.
  if (connection.entry() == nullptr) {
    if (floors_.policy.admission.on_alarm(connection))
      floors_.io.reader.resume(connection, router());
    if (!connection.is_dead()) loop_.arm(connection, connection.next_deadline());
    return;
  }
  if (connection.paused_until() <= loop_.now().mono) floors_.io.reader.resume(connection, router());
  if (connection.is_dead()) return;
  if (connection.takes_by() <= loop_.now().mono) return end_slow_consumer(connection);
  if (connection.deadline() > loop_.now().mono) {
    loop_.arm(connection, connection.next_deadline());
  } else if (connection.is_draining()) {
    close(connection, EventId::ConnectionClosedUnsent,
          "closed with bytes unsent: the counterparty does not read");
  } else {
    close(connection, EventId::ConnectTimedOut,
          "connect timed out" + floors_.io.connections.protection_of(connection));
  }
}

bool EventLoop::has_no_more_work() {
  // A callback may have sent a message at the very end. A stalled disk delays a stop for a limited
  // time only.
  if (floors_.io.commit.waits_for_disk() && loop_.now().mono < state_.stop_by) return false;
  if (loop_.work.is_stopping()) return true;
  if (floors_.io.commit.is_draining()) return false;  // The next turn stops the loop.
  if (loop_.shared.directory) return false;
  if (tasks_.inbox().is_open() || waits_for_operator()) return false;
  return std::ranges::all_of(floors_.io.listeners.all(),
                             [](const auto& one) { return !one.is_listening(); }) &&
         std::ranges::none_of(floors_.sessions.registry.entries(),
                              [](const auto& entry) { return may_connect_again(*entry); });
}

// Without this, a program in run() would exit, be started again, and its session be refused again.
// A program that calls poll() decides by itself.
bool EventLoop::waits_for_operator() const noexcept {
  return state_.is_running && loop_.work.accepts_commands() &&
         std::ranges::any_of(floors_.sessions.registry.entries(),
                             [](const auto& entry) { return entry->connect_policy.is_halted(); });
}

void EventLoop::flush() {
  const store::LogPosition durable = floors_.io.commit.flush_at_once();
  if (durable == 0) [[unlikely]]
    return flush_fully();
  floors_.io.connections.send_unsent(durable);
  if (floors_.io.connections.has_ended()) [[unlikely]]
    close_ended();
}

[[gnu::noinline]] void EventLoop::flush_fully() {
  store::LogPosition durable = 0;
  if (!floors_.io.commit.flush(durable)) return;
  if (floors_.io.commit.has_stalled(durable)) floors_.io.connections.end_stalled(durable);
  floors_.io.connections.send_unsent(durable);
  if (floors_.io.connections.has_ended()) close_ended();
}

void EventLoop::close(Connection& connection, EventId id, std::string_view why) {
  floors_.io.reader.drain_delayed(connection, router());
  floors_.sessions.disconnector.close(connection, id, why);
}

// What the application sends meanwhile leaves, too.
void EventLoop::close_ended() {
  while (Connection* const connection = floors_.io.connections.next_ended()) {
    loop_.boundary.run(*connection, [&] {
      close(*connection, connection->end_event(), std::string{connection->close_reason()});
    });
  }
  flush();
}

void EventLoop::end_slow_consumer(Connection& connection) {
  const auto time = connection.entry()->settings().limits.slow_consumer_timeout;
  close(connection, EventId::SlowConsumerTimedOut,
        "slow consumer: it has taken none of " + std::to_string(connection.outbound().size()) +
            " bytes for " + std::to_string(time.count()) + " s (SlowConsumerTimeout)");
}

// A connection whose check has ended continues with the bytes that it carries.
void EventLoop::accept_password_checks() {
  for (Credentials::Decision& decision : loop_.shared.credentials->take(loop_.index)) {
    // An event of the connection, which may have been closed meanwhile.
    transport::Ready decided{transport::Ready::Kind::Readable, decision.socket, 0};
    loop_.boundary.run(decided, [&] {
      if (Connection* const connection = floors_.policy.admission.finish_check(decision)) {
        floors_.io.reader.resume(*connection, router());
      }
    });
  }
}

// After the event in which the Logon was decided, which may be another session's event.
void EventLoop::deliver_decided() {
  while (SessionEntry* const entry = floors_.sessions.actions.next_decided()) {
    loop_.boundary.run(*entry, [&] { floors_.sessions.out_of_order.deliver_in_sequence(*entry); });
  }
}

void EventLoop::accept_migrated() {
  if (!loop_.shared.directory) return;
  LoopDirectory::Arrived arrived = loop_.shared.directory->take(loop_.index);
  for (LoopDirectory::MigratedConnection& one : arrived.connections) {
    transport::Ready accepted{transport::Ready::Kind::Accepted, 0, 0};
    loop_.boundary.run(accepted, [&] {
      const WipedAtEnd logon{one.bytes};
      Connection* const connection = floors_.directory.migration.attach(one, accepted.accepted);
      if (connection != nullptr) floors_.io.reader.on_bytes(*connection, one.bytes, router());
    });
  }
  while (arrived.tasks) {
    const std::unique_ptr<LoopTask> task = std::move(arrived.tasks);
    arrived.tasks = std::move(task->next);
    loop_.boundary.run([&] { task->run(floors_); });
  }
  if (arrived.closes_unused) loop_.boundary.run([this] { close_unused_listeners(); });
}

void EventLoop::free_destroyed_sessions() {
  floors_.sessions.registry.free_destroyed([this](SessionEntry& entry) {
    floors_.sessions.dynamic.forget(entry);
    floors_.sessions.transactor.forget(entry);
    floors_.sessions.actions.forget(entry);
    floors_.sessions.resends.forget(entry);
    floors_.directory.changes.forget(entry);
    floors_.directory.reloader.forget(entry);
  });
}

std::expected<void, EngineError> EventLoop::add_sessions(Settings settings) {
  if (floors_.directory.reloader.is_under_way())
    return std::unexpected{EngineError{"a reload is under way: try again"}};
  return floors_.directory.installer.add_sessions(std::move(settings));
}

// The content of the disk is no longer certain: waiting messages must not be sent, and no
// counterparty may assume that its session goes on. A Logout would use a MsgSeqNum, so none is
// sent.
void EventLoop::end_all_sessions(const store::StoreError& error) {
  loop_.report.engine(EventId::StoreFailed,
                      {"ALARM: the store failed, every session is disconnected: ", error.text});
  disconnect_all();
  for (const auto& entry : floors_.sessions.registry.entries())
    notify_of_end(*entry, "the store failed");
}

// There was no memory outside of an event, so that nothing can be rolled back. The engine ends as
// if it was killed, but notifies the application. Nothing of this needs memory, except the report;
// that comes after the connections have freed their memory.
void EventLoop::end_without_memory() {
  if (floors_.io.commit.has_failed()) return;
  floors_.io.commit.end();
  disconnect_all();
  floors_.io.connections.destroy_closed();
  loop_.report.engine(EventId::EndedWithoutMemory,
                      "ALARM: there was no memory for the event loop: every session is "
                      "disconnected, and the engine ends in order");
  for (const auto& entry : floors_.sessions.registry.entries())
    notify_of_end(*entry, "there was no memory");
}

// The counterparties would connect again, and wait for an answer, if the ports stayed open.
void EventLoop::disconnect_all() {
  if (loop_.shared.directory) loop_.shared.directory->remove_loop(loop_.index);
  floors_.directory.reloader.stop();
  floors_.io.listeners.close_all();
  floors_.io.connections.abandon_all();
  floors_.sessions.transactor.drop_event();
}

// No message can be sent any more. An application that cancels orders on a disconnect must be
// notified.
void EventLoop::notify_of_end(SessionEntry& entry, std::string_view why) {
  const session::State state = entry.machine.state();
  if (state != session::State::LoggedOn && state != session::State::LogoutSent) return;
  const Disconnection disconnection{.text = why};
  const std::exception_ptr thrown = exception_of([&] {
    if (loop_.callbacks.on_logout != nullptr)
      loop_.callbacks.on_logout(loop_.callbacks.application, entry.session);
    if (loop_.callbacks.on_disconnect != nullptr) {
      loop_.callbacks.on_disconnect(loop_.callbacks.application, entry.session, disconnection);
    }
  });
  if (!thrown) return;
  loop_.report.session(EventId::CallbackThrew, entry, {"a callback threw: ", what_of(thrown)});
}

}  // namespace nexusfix::engine
