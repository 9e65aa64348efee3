// The event loop: one turn waits, handles what came, runs timers, makes records durable and sends.
#include "engine/loop/event_loop.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <nexusfix/base/assert.hpp>

#include "engine/loop/thread_setup.hpp"

namespace nexusfix::engine {
namespace {

// More than a segment: there is a next one.
constexpr std::uint64_t kPlentyBytes = std::uint64_t{1} << 62U;

// An idle loop wakes up at least so often.
constexpr std::chrono::nanoseconds kIdleWait = std::chrono::seconds{1};

// Of the connections whose time is up, so many are looked after within one turn: thousands that
// came together and sent no Logon end together, too, and nobody who trades waits for all of them.
constexpr std::size_t kDueConnectionsPerTurn = 64;

// A halt ends with the session that the schedule ends.
bool will_connect(const SessionEntry& entry) noexcept {
  const ConnectPolicy& policy = entry.connect_policy;
  return policy.wants_connection() || (policy.is_halted() && !entry.settings.schedule.is_non_stop());
}

}  // namespace

void OutboundQueue::take(std::size_t count) noexcept {
  taken_ += count;
  NEXUSFIX_DEBUG_ASSERT(taken_ <= bytes_.size());
  if (taken_ == bytes_.size()) {
    clear();
  } else if (taken_ > bytes_.size() / 2) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }
}

void OutboundQueue::clear() noexcept {
  bytes_.clear();
  taken_ = 0;
}

void OutboundQueue::release() noexcept {
  std::vector<char>{}.swap(bytes_);
  taken_ = 0;
  storage_ = 0;
}

bool OutboundQueue::give_back() noexcept {
  if (bytes_.capacity() <= kKeptBytesMax) return false;
  if (!empty()) return true;
  release();
  return false;
}

void OutboundQueue::grow(std::size_t storage) {
  bytes_.reserve(storage);
  storage_ = bytes_.capacity();
}

Now EventLoop::now() noexcept {
  if (phase_ == Phase::Idle) now_ = seams_.clock->now();
  return now_;
}

int EventLoop::run() {
  const ThreadSetup setup{seams_.cpu};
  if (!setup.failure().empty()) {
    report_.engine(EventId::ThreadSetupFailed, setup.failure());
    inbox_->close();
    if (seams_.directory) seams_.directory->remove_loop(loop());
    // The others' sessions go on: their signs of life are not to be held up by this loop's.
    if (seams_.service != nullptr) seams_.service->has_ended(loop());
    return 1;
  }
  transport::ServiceNotifier* const service = seams_.service;
  auto timeout = busy_spin_ ? std::chrono::nanoseconds{0} : kIdleWait;
  if (service != nullptr) timeout = std::min(timeout, service->sleep_max());
  if (seams_.directory) seams_.directory->serve_here();
  is_running_ = true;
  while (poll(timeout)) {
    if (service != nullptr) service->is_alive(loop(), now_.mono);
  }
  is_running_ = false;
  if (service != nullptr) service->has_ended(loop());
  LoopDirectory::serve_no_more();
  return store_failed_ ? 1 : 0;
}

bool EventLoop::poll(std::chrono::nanoseconds timeout) {
  // Before it is looked whether there is mail: what is posted behind that has to wake this thread.
  if (timeout > std::chrono::nanoseconds{0}) inbox_->fall_asleep();
  const bool goes_on = turn(timeout);
  if (!goes_on) {
    inbox_->close();
  } else if (!busy_spin_) {
    inbox_->fall_asleep();  // For whoever waits on descriptor() between two polls.
  }
  return goes_on;
}

bool EventLoop::turn(std::chrono::nanoseconds timeout) {
  if (timeout > std::chrono::nanoseconds{0}) now_ = seams_.clock->now();
  if (reload_wanted_.load(std::memory_order_relaxed) != 0) [[unlikely]]
    static_cast<void>(with_memory([this] { reload_as_requested(); }));
  if (stop_requested_.load(std::memory_order_acquire) && !stopping_) {
    // What has begun to stop by then does so once more.
    if (!with_memory([this] { begin_stop(); })) stopping_ = false;
  }
  // What the application sent between two turns, and the Logouts of these: before the wait.
  end_events();
  if (finished()) return false;
  const MonoTime first = first_timer();
  if (replay_ready_ || first <= now_.mono || inbox_->has_work()) {
    timeout = std::chrono::nanoseconds{0};
  } else if (first != kNever) {
    timeout = std::min(timeout, std::chrono::nanoseconds{first - now_.mono});
  }
  std::size_t count = 0;
  const bool spins = busy_spin_ && timeout == std::chrono::nanoseconds{0};
  const bool is_direct = spins && receive_directly();
  if (!is_direct) {
    static_cast<void>(with_memory([&] { count = seams_.network->wait(ready_, timeout); }));
    now_ = seams_.clock->now();
  }
  inbox_->wake_up();
  for (std::size_t i = 0; i < count && !store_failed_; ++i) {
    if (!with_memory([&] { handle(ready_[i]); })) abort_ready(ready_[i]);
  }
  end_events();  // Answers leave before anything else is looked after.
  static_cast<void>(with_memory([this] {
    run_tasks();
    on_password_checks();
    serve_replays();
    run_timers();
    deliver_decided();
  }));
  // Messages that come one after the other put it off for so long: kTurnsUnaskedMax turns.
  if (!is_direct || first <= now_.mono || finished()) run_housekeeping();
  end_events();
  destroy_closed();
  return !finished();
}

// What no message waits for.
void EventLoop::run_housekeeping() {
  static_cast<void>(with_memory([this] {
    on_migrated();
    check_refused();
    check_store();
    check_certificates();
    check_buffers();
    serve_files();
  }));
  end_events();
  static_cast<void>(with_memory([this] {
    destroy_leaving();
    if (!with_next_settings_.empty()) [[unlikely]]
      apply_next_settings();
    report_.logs().turn(now_.wall);
    report_.report_memory();
  }));
}

void EventLoop::end_events() {
  if (has_aborted_) [[unlikely]]
    end_aborted();
  static_cast<void>(with_memory([this] { flush(); }));
}

MonoTime EventLoop::next_deadline() const {
  // What waits for the store alone is woken by it.
  const bool waits_for_store = stalled_until_ != kNever;
  const bool is_unflushed = !store_failed_ && store_->appended() != flushed_to_;
  const bool is_due = replay_ready_ || is_unflushed || (!unsent_.empty() && !waits_for_store) ||
                      inbox_->has_work();
  return is_due ? MonoTime::min() : first_timer();
}

bool EventLoop::is_logged_on(const SessionEntry& entry) const noexcept {
  return !store_failed_ && entry.machine.state() == session::State::LoggedOn;
}

void EventLoop::handle(const transport::Ready& ready) {
  if (ready.kind == transport::ReadyKind::Accepted) {
    on_accepted(ready);
    return;
  }
  Connection* const found = connections_.find(ready.socket);
  if (found == nullptr) return;  // A late event of a connection that was closed.
  Connection& connection = *found;
  switch (ready.kind) {
    case transport::ReadyKind::Connected:
      on_connected(connection);
      break;
    case transport::ReadyKind::Readable:
      on_readable(connection);
      break;
    case transport::ReadyKind::Writable:
      connection.blocked = false;
      mark_unsent(connection);
      if (connection.entry != nullptr && connection.entry->replay) replay_ready_ = true;
      break;
    case transport::ReadyKind::Failed:
      close(connection, EventId::ConnectionLost, seams_.network->last_error(connection.socket));
      break;
    case transport::ReadyKind::Announced:
      on_announced(connection);
      break;
    case transport::ReadyKind::Accepted:
      break;
  }
}

void EventLoop::wake_at(MonoTime deadline) noexcept { next_timer_ = std::min(next_timer_, deadline); }

MonoTime EventLoop::first_timer() const noexcept {
  return std::min({next_timer_, session_timers_.first(), connection_timers_.first()});
}

// Whoever becomes due meanwhile has the next turn.
void EventLoop::run_timers() {
  const MonoTime first = first_timer();
  if (now_.mono < first || store_failed_) return;
  // Those that the last turn has left are late by its choice, which says nothing of the loop.
  note_lateness(std::exchange(connections_left_, false) ? now_.mono : first);
  if (now_.mono >= next_timer_) next_timer_ = kNever;
  due_connections_.clear();
  static_cast<void>(with_memory([this] {
    connection_timers_.take_due(now_.mono, due_connections_, kDueConnectionsPerTurn);
  }));
  connections_left_ = connection_timers_.first() <= now_.mono;
  for (Connection* connection : due_connections_) {
    if (!with_memory([&] { on_timer(*connection); })) abort_connection(*connection);
  }
  due_sessions_.clear();
  static_cast<void>(with_memory([this] { session_timers_.take_due(now_.mono, due_sessions_); }));
  for (SessionEntry* entry : due_sessions_) {
    if (!with_memory([&] { on_timer(*entry); })) abort_session(*entry);
  }
  report_.report_suppressed();
}

void EventLoop::on_timer(SessionEntry& entry) {
  if (entry.is_aborted) return;
  if (entry.machine.next_deadline() <= now_.mono) {
    transact(entry, [this](session::StateMachine& machine) { machine.on_time(now_); });
  }
  arm(entry, entry.machine.next_deadline());
  run_session_timers(entry);
  follow_schedule(entry);
  const ConnectPolicy& policy = entry.connect_policy;
  if (policy.wants_connection() && entry.may_log_on && entry.connection == nullptr) {
    if (policy.connect_at() <= now_.mono) connect(entry);
    arm(entry, policy.connect_at());
  }
}

// A resend that MaxResendsPerSecond holds up, and the notice of a disconnection.
void EventLoop::run_session_timers(SessionEntry& entry) {
  if (entry.replay && entry.replay_at > now_.mono) {
    arm(entry, entry.replay_at);
  } else if (entry.replay) {
    replay_ready_ = true;
  }
  if (!entry.disconnection) return;
  if (entry.disconnection_at > now_.mono) return arm(entry, entry.disconnection_at);
  transact(entry, [&](session::StateMachine&) { entry.disconnection_at = kNever; });
}

void EventLoop::on_timer(Connection& connection) {
  if (connection.socket == 0) return;  // Closed by what another one's timer did.
  const bool is_held_back = connection.entry == nullptr && connection.resumes_at != kNever;
  if (connection.resumes_at <= now_.mono && (!is_held_back || admits_delayed(connection))) {
    resume(connection);
  }
  if (connection.socket == 0) return;
  if (connection.takes_by <= now_.mono) return end_slow_consumer(connection);
  if (connection.deadline > now_.mono) {
    arm(connection, std::min({connection.deadline, connection.takes_by, connection.resumes_at}));
  } else if (connection.closing) {
    close(connection, EventId::ConnectionClosedUnsent,
          "closed with bytes unsent: the counterparty does not read");
  } else if (!connection.established) {
    close(connection, EventId::ConnectTimedOut, "connect timed out" + protection_of(connection));
  } else if (connection.credentials.state == LogonCredentials::State::BeingChecked) {
    refuse(connection, EventId::PasswordCheckTimedOut,
           "its Logon has waited for LogonTimeout, and its password is not checked yet");
  } else if (connection.resumes_at != kNever) {
    refuse(connection, EventId::LogonTimedOutLoopLate,
           "its Logon has waited for LogonTimeout, and the event loop is still late");
  } else {
    refuse(connection, EventId::LogonTimedOut, "no Logon came in time" + protection_of(connection));
  }
}

void EventLoop::request_stop() noexcept {
  stop_requested_.store(true, std::memory_order_release);  // Pairs with the acquire in poll().
  seams_.network->wake();
}

// Bounded without a timer of its own: LogoutTimeout ends the wait for each counterparty's Logout,
// and the last bytes have their own deadline.
void EventLoop::begin_stop() {
  now_ = seams_.clock->now();
  stopping_ = true;
  if (seams_.service != nullptr) seams_.service->stopping();
  if (seams_.directory) seams_.directory->remove_loop(loop());
  orders_.clear();
  files_.stop();
  if (stall_timeout_.count() != 0) stop_by_ = now_.mono + 2 * stall_timeout_;
  for (Listener& listener : listeners_) {
    seams_.network->close(std::exchange(listener.socket, 0));
  }
  for (const auto& owned : entries_) {
    SessionEntry& entry = *owned;
    entry.connect_policy.log_out();
    if (entry.disconnection) {
      transact(entry, [&](session::StateMachine&) { entry.disconnection_at = kNever; });
    }
    if (entry.connection == nullptr) continue;
    if (entry.connection->established) {
      log_out(entry, {});
    } else {
      close(*entry.connection, EventId::ConnectionClosedByStop, "stopping");
    }
  }
  std::vector<Connection*> unbound;
  for (const auto& [socket, connection] : connections_) {
    if (connection->entry == nullptr) unbound.push_back(connection.get());
  }
  for (Connection* connection : unbound) close(*connection);
}

bool EventLoop::finished() {
  if (store_failed_) return true;
  if (!connections_.empty() || waits_for_disk()) return false;
  if (stopping_) return true;
  if (seams_.directory) return false;
  if (inbox_->is_open() || waits_for_operator()) return false;
  return std::ranges::all_of(listeners_, [](const auto& one) { return one.socket == 0; }) &&
         std::ranges::none_of(entries_, [](const auto& entry) { return will_connect(*entry); });
}

// Who polls may have something to do at the end; who runs would only start again, and be refused.
bool EventLoop::waits_for_operator() const noexcept {
  return is_running_ && takes_commands_ && std::ranges::any_of(entries_, [](const auto& entry) {
           return entry->connect_policy.is_halted();
         });
}

// What callbacks sent at the very end is made durable, too; a disk that stands still is not waited
// for without end.
bool EventLoop::waits_for_disk() const noexcept {
  return store_->appended() != store_->durable() && now_.mono < stop_by_;
}

void EventLoop::flush() {
  if (store_failed_) return;
  const store::LogPosition appended = store_->appended();
  if (unsent_.empty() && is_settled_ && appended == flushed_to_) return;
  if (appended != flushed_to_) disk_watch_.begin(store_->synced(), now_.mono);
  flushed_to_ = appended;
  store::LogPosition durable = store_->durable();
  if (flushed_to_ != durable) {
    if (const auto flushed = store_->flush(); !flushed) {
      fail_store(flushed.error());
      return;
    }
    durable = store_->durable();
  }
  is_settled_ = durable == flushed_to_;
  look_for_stall(durable);
  // A connection that breaks below may make the application send to another one of this list: its
  // bytes are not durable yet, and waits_for, which is set anew, holds them back.
  sending_.swap(unsent_);
  for (Connection* const one : sending_) {
    Connection& connection = *one;
    if (connection.socket == 0) continue;  // Closed meanwhile.
    connection.unsent = false;
    if (has_aborted_ && connection.entry != nullptr && connection.entry->is_aborted) [[unlikely]]
      continue;  // Its end says why.
    if (durable < connection.waits_for) {
      mark_unsent(connection);  // Next turn, then.
      enforce_outbound_limit(connection);
      continue;
    }
    const bool is_sent = with_memory([&] {
      if (!connection.blocked) send_waiting(connection);
      enforce_outbound_limit(connection);
    });
    if (!is_sent && connection.socket != 0) mark_unsent(connection);
  }
  sending_.clear();
}

// Nothing points to those that were closed in this turn any more.
void EventLoop::destroy_closed() noexcept {
  if (closed_.empty()) [[likely]]
    return;
  std::erase_if(unsent_, [](const Connection* one) { return one->socket == 0; });
  closed_.clear();
}

// What the store has found meanwhile, also where nothing is appended.
void EventLoop::check_store() {
  if (store_failed_) return;
  while (const auto event = store_->take_event()) {
    if (event->id == EventId::StoreFailed) {
      return fail_store({.code = store::StoreErrorCode::Failed, .text = event->text});
    }
    report_.engine(event->id, event->text);
  }
  if (disk_watch_.next() != kNever) look_for_slow_disk();
  if (refuses_messages_ && store_->has_room_for(kPlentyBytes)) {
    refuses_messages_ = false;
    report_.engine(EventId::StoreHasRoom,
                   "the store has room for the log again: application messages are accepted");
  }
}

// Where nobody waits for the disk, nobody notices either that it stands still; but what a loss of
// power would take then grows.
void EventLoop::look_for_slow_disk() {
  const auto told = disk_watch_.look(store_->synced(), store_->appended(), now_.mono);
  wake_at(disk_watch_.next());
  if (!told) [[likely]]
    return;
  const std::string seconds = std::to_string(told->since / std::chrono::seconds{1}) + " s";
  if (!told->stands_still) {
    report_.engine(EventId::DiskResumed, "the disk takes the log again, after " + seconds);
    return;
  }
  report_.engine(
      EventId::DiskStalled,
      "the disk has taken nothing of the log for " + seconds +
          ". Sessions go on (JournalDurability=process), but a loss of power now would take "
          "what was written since. A session that has used the sequence numbers reserved for it, "
          "and "
          "a second full segment, wait for the disk");
}

// An application's message on a full disk: what is left is for what cannot be refused. Once one was
// refused, all are, until there is room for more than a few.
bool EventLoop::has_room_for(std::size_t message_bytes) {
  if (refuses_messages_) return false;
  if (store_->has_room_for(transaction_.entries().size() + message_bytes)) [[likely]]
    return true;
  refuses_messages_ = true;
  report_.engine(
      EventId::StoreFull,
      "the store has no room for the log (the disk is full, or the database does not keep up): "
      "application messages are refused. Heartbeats and other session messages go on while room "
      "lasts. Make room: the engine looks for it each second");
  return false;
}

// A disk, or a database, that does not answer: nothing may overtake what waits for it, so the
// sessions whose bytes wait are cut when they have waited too long. Others go on.
void EventLoop::look_for_stall(store::LogPosition durable) {
  if (durable == flushed_to_) {
    stalled_until_ = kNever;
    return;
  }
  if (stall_timeout_.count() == 0) return;
  if (stalled_until_ == kNever || durable != stalled_at_) {
    stalled_at_ = durable;
    stalled_until_ = now().mono + stall_timeout_;
    wake_at(stalled_until_);
    return;
  }
  if (now().mono < stalled_until_) {
    wake_at(stalled_until_);
    return;
  }
  stalled_until_ = now().mono + stall_timeout_;
  wake_at(stalled_until_);
  std::vector<transport::SocketId> waiting;
  for (const auto& [socket, connection] : connections_) {
    if (connection->waits_for > durable && !connection->outbound.empty()) waiting.push_back(socket);
  }
  if (waiting.empty()) return;
  report_.engine(EventId::StoreStalled, "ALARM: the store does not answer; " +
                                            std::to_string(waiting.size()) +
                                            " connections whose bytes wait for it are closed");
  for (const transport::SocketId socket : waiting) {
    Connection* const found = connections_.find(socket);
    if (found != nullptr) {
      close(*found, EventId::ConnectionClosedStoreStalled, "closed: the store is stalled");
    }
  }
}

// What is on disk is no longer certain: nothing that waits may be sent, and nobody may believe that
// the session goes on. Sockets are closed without a Logout, which would use up a number.
void EventLoop::fail_store(const store::StoreError& error) {
  store_failed_ = true;
  if (seams_.directory) seams_.directory->remove_loop(loop());
  orders_.clear();
  files_.stop();
  report_.engine(EventId::StoreFailed,
                 "ALARM: the store failed, every session is disconnected: " + error.text);
  // Else counterparties would connect to it, and wait for an answer.
  for (Listener& listener : listeners_) {
    seams_.network->close(std::exchange(listener.socket, 0));
  }
  for (const auto& [socket, connection] : connections_) {
    seams_.network->close(socket);
    if (connection->entry != nullptr) connection->entry->connection = nullptr;
    connection->entry = nullptr;
    connection->socket = 0;
  }
  for (auto& [socket, connection] : connections_.take_all()) {
    closed_.push_back(std::move(connection));
  }
  deferred_.clear();
  sent_.clear();
  for (const auto& entry : entries_) notify_store_failure(*entry);
}

// Nothing can be sent any more, but whoever cancels orders on a disconnect must hear of it.
void EventLoop::notify_store_failure(SessionEntry& entry) {
  const session::State state = entry.machine.state();
  if (state != session::State::LoggedOn && state != session::State::LogoutSent) return;
  const Disconnection told{.text = "the store failed"};
  const std::optional<std::string> thrown = failure_of([&] {
    if (callbacks_.on_logout != nullptr) callbacks_.on_logout(callbacks_.application, entry.session);
    if (callbacks_.on_disconnect != nullptr) {
      callbacks_.on_disconnect(callbacks_.application, entry.session, told);
    }
  });
  if (thrown) report_.session(EventId::CallbackThrew, entry, "a callback threw: " + *thrown);
}

void EventLoop::report_all(const std::vector<SettingsError>& warnings) {
  for (const SettingsError& one : warnings) {
    report_.engine(EventId::ConfigurationWarning, one.what());
  }
}

}  // namespace nexusfix::engine
