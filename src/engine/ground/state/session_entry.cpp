#include "engine/ground/state/session_entry.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/api/exceptions.hpp"
#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {
namespace {

// A change of the wall clock is noticed within this time.
constexpr std::chrono::minutes kWallTimeRead{1};

}  // namespace

// A time in the past is now: so no timer that a callback sets comes before those that are due.
TimerHandle SessionTimers::add(MonoTime due, const Now& now, std::uint32_t session,
                               detail::TimerCallback&& callback) {
  const MonoTime time = std::max(due, now.mono);
  return add(&State::mono, {.due = time.time_since_epoch(), .session = session},
             std::move(callback));
}

// A wall time in the past is due now, also if the wall clock goes back before the next turn.
TimerHandle SessionTimers::add(WallTime due, const Now& now, std::uint32_t session,
                               detail::TimerCallback&& callback) {
  if (due <= now.wall) return add(now.mono, now, session, std::move(callback));
  return add(&State::wall,
             {.due = due.time_since_epoch(), .session = session, .is_of_wall_clock = true},
             std::move(callback));
}

TimerHandle SessionTimers::add(Timers State::* timers, const TimerHandle& timer,
                               detail::TimerCallback&& callback) {
  if (!state_) {
    auto made = std::make_unique<State>();
    made->spare.reserve(kSpareMax);  // remove() needs no memory.
    state_ = std::move(made);
  }
  State& all = *state_;
  if (all.mono.size() + all.wall.size() >= kTimersMax) return {};
  TimerHandle set = timer;
  set.number = all.last + 1;
  const Key key{set.due, set.number};
  if (all.spare.empty()) {
    (all.*timers).emplace(key, std::move(callback));
  } else {
    Timers::node_type node = std::move(all.spare.back());
    all.spare.pop_back();
    node.key() = key;
    node.mapped() = std::move(callback);
    (all.*timers).insert(std::move(node));
  }
  all.last = set.number;
  return set;
}

bool SessionTimers::cancel(const TimerHandle& timer) noexcept {
  if (!state_) return false;
  Timers& timers = timer.is_of_wall_clock ? state_->wall : state_->mono;
  const auto found = timers.find({timer.due, timer.number});
  if (found == timers.end()) return false;
  const detail::TimerCallback cancelled = std::move(found->second);
  remove(timers, found);
  return true;
}

// An alarm in the past would count as lateness of the loop.
MonoTime SessionTimers::next(const Now& now) const noexcept {
  if (!state_) return kNever;
  MonoTime next = kNever;
  if (!state_->mono.empty()) {
    next = std::max(MonoTime{state_->mono.begin()->first.first}, now.mono);
  }
  if (!state_->wall.empty()) {
    const WallTime due{state_->wall.begin()->first.first};
    const std::chrono::nanoseconds left =
        due <= now.wall ? std::chrono::nanoseconds{0}
                        : std::min<std::chrono::nanoseconds>(due - now.wall, kWallTimeRead);
    next = std::min(next, now.mono + left);
  }
  return next;
}

std::optional<detail::TimerCallback> SessionTimers::remove_due(const Now& now,
                                                               std::uint64_t number_max) {
  if (!state_) return std::nullopt;
  const auto take = [&](Timers& timers,
                        std::chrono::nanoseconds time) -> std::optional<detail::TimerCallback> {
    const auto timer = timers.begin();
    if (timer == timers.end() || timer->first.first > time || timer->first.second > number_max)
      return std::nullopt;
    std::optional<detail::TimerCallback> due{std::move(timer->second)};
    remove(timers, timer);
    return due;
  };
  auto due = take(state_->mono, now.mono.time_since_epoch());
  return due ? std::move(due) : take(state_->wall, now.wall.time_since_epoch());
}

void SessionTimers::remove(Timers& timers, Timers::iterator timer) noexcept {
  Timers::node_type node = timers.extract(timer);
  if (state_->spare.size() < kSpareMax) state_->spare.push_back(std::move(node));
}

session::SessionConfig session_config_of(const LoopContext& loop, const SessionSettings& settings,
                                         SessionEntry& entry) {
  const Callbacks& callbacks = loop.callbacks;
  session::SessionConfig config = settings.session;
  config.logon.authenticates =
      callbacks.on_logon_request != nullptr || !settings.credentials.password_file.empty();
  // A client that the application has not accepted yet gets no answer, and uses no MsgSeqNum.
  config.logon.answers_invalid = callbacks.on_logon_request == nullptr;
  config.resend.asks_before = callbacks.on_resend_request != nullptr;
  config.shows_administrative = callbacks.on_admin != nullptr;
  if (callbacks.write_logon == nullptr && settings.logon_signer == nullptr) return config;
  config.logon.writer = {&entry, [](void* context, wire::Encoder& encoder,
                                    const wire::MessageHeader& header) noexcept {
                           auto& session = *static_cast<SessionEntry*>(context);
                           session.loop.services->write_logon(session, encoder, header);
                         }};
  return config;
}

namespace {

std::shared_ptr<SessionCounters> make_counters(const LoopContext& loop,
                                               const SessionSettings& settings) {
  return std::make_shared<SessionCounters>(settings.session.id.to_string(), loop.index,
                                           settings.session.role == session::Role::Initiator);
}

std::unique_ptr<OutboundLimit> make_outbound_limit(const LoopContext& loop,
                                                   const SessionSettings& settings) {
  if (!settings.outbound.is_set()) return nullptr;
  return std::make_unique<OutboundLimit>(settings.outbound, *loop.shared.budget);
}

// SessionStatus (1409): "new session password does not comply with policy".
constexpr std::uint32_t kPasswordAgainstPolicy = 3;

}  // namespace

OutboundRules::OutboundRules(const SessionSettings& settings)
    : has_sub_ids{settings.session.id.has_sub_ids()},
      keeps_masked_out{!settings.log.masked.empty() && !settings.log.stores_masked},
      is_plain{!has_sub_ids && !keeps_masked_out && !settings.outbound.is_set() &&
               settings.session.resend.persist_messages} {}

SessionEntry::SessionEntry(LoopContext& of_loop, SessionSettings session_settings,
                           session::Numbers numbers)
    : machine{session_config_of(of_loop, session_settings, *this), numbers, &of_loop.event_memory},
      progress{numbers.next_inbound, session_settings.journals_inbound},
      outbound_{session_settings},
      settings_{std::move(session_settings)},
      limits{.throttle = Throttle{settings_.throttle.messages_max, settings_.throttle.interval},
             .notices = {}},
      counters{make_counters(of_loop, settings_)},
      outbound_limit{make_outbound_limit(of_loop, settings_)},
      name{settings_.session.id.to_string()},
      loop{of_loop},
      session{*of_loop.services, *this} {
  BufferBudget& budget = *loop.shared.budget;
  resend.count_in(budget);
  until_logon.count_in(budget);
  out_of_order.count_in(budget);
}

SessionEntry::~SessionEntry() { loop.session_figures.remove(*counters); }

void SessionEntry::change_settings(SessionSettings settings) {
  const bool is_limited_otherwise = settings.outbound != settings_.outbound;
  auto limit = is_limited_otherwise ? make_outbound_limit(loop, settings) : nullptr;
  settings.session.id = std::move(settings_.session.id);
  SessionSettings before = std::exchange(settings_, std::move(settings));
  UndoGuard undo{[&] {
    before.session.id = std::move(settings_.session.id);
    settings_ = std::move(before);
  }};
  machine.configure(session_config_of(loop, settings_, *this));
  undo.keep();
  // No message waits: the key takes effect without a connection.
  if (is_limited_otherwise) outbound_limit = std::move(limit);
  outbound_ = OutboundRules{settings_};
  progress.keep_received(settings_.journals_inbound);
}

void SessionEntry::publish_waiting() noexcept {
  const WaitingMessages& waiting = outbound_limit->waiting;
  counters->queued_messages.set(waiting.size());
  waiting.empty() ? counters->queued_since.clear() : counters->queued_since.set(waiting.since());
}

transport::ReceiveTimestamps SessionEntry::receive_timestamps() const noexcept {
  if (settings_.accept) return settings_.accept->options.receive_timestamps;
  if (settings_.connect.empty()) return transport::ReceiveTimestamps::None;
  return settings_.connect.front().options.receive_timestamps;
}

void SessionEntry::connect(Connection& connection) noexcept { connection_ = &connection; }

void SessionEntry::disconnect(const Connection& connection) noexcept {
  if (connection_ == &connection) connection_ = nullptr;
}

wire::FrameScanner SessionEntry::frame_scanner() const {
  return wire::FrameScanner{
      wire::FrameLimits{.message_bytes_max = settings_.limits.message_bytes_max}};
}

void abort_session(LoopContext& loop, SessionEntry& entry, std::string why) noexcept {
  entry.abort.begin(std::move(why));
  loop.work.set(Work::Aborted);
  Connection* const connection = entry.connection();
  if (connection != nullptr && !connection->is_connecting()) connection->begin_draining();
}

bool begin_password_change(LoopContext& loop, SessionEntry& entry, LogonAnswer& answer) {
  if (entry.connection() == nullptr) return false;
  LogonCredentials& credentials = entry.connection()->credentials();
  if (credentials.is_changing()) return true;  // The Logon was accepted already.
  if (credentials.change() == nullptr || !answer.accepted) return false;
  if (!entry.machine.would_admit()) return false;  // The state machine gives the reason.
  const std::string_view wrong =
      loop.shared.credentials->new_password_error(credentials.change()->new_password.view());
  if (!wrong.empty()) {
    loop.report.peer(EventId::NewPasswordRefused, entry,
                     "NewPassword (925): " + std::string{wrong});
    answer =
        LogonAnswer::refuse("NewPassword (925): " + std::string{wrong}, kPasswordAgainstPolicy);
    return false;
  }
  entry.logons.password_change.begin(entry.commands.logon_id(), std::move(answer));
  loop.shared.credentials->submit(
      Credentials::Change{.loop = loop.index,
                          .socket = entry.connection()->socket_id(),
                          .password = std::move(*credentials.begin_change())});
  return true;
}

}  // namespace nexusfix::engine
