#include "engine/session/control/session_control.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/api/utc_text.hpp"
#include "control/api/operator_acts.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/ground/statistics/session_state.hpp"
#include "engine/session/sessions.hpp"
#include "session/api/config.hpp"

namespace nexusfix::engine {

void SessionControl::disconnect(SessionEntry& entry, std::string_view why) {
  static_cast<void>(sessions_.transactor.now());
  if (entry.connection() != nullptr && entry.connection()->is_connecting()) {
    return sessions_.disconnector.close(*entry.connection(), EventId::ConnectionClosed, why);
  }
  entry.commands.add(SessionCommands::Kind::Disconnect, std::string{why});
  sessions_.transactor.apply_or_defer(entry);
}

void SessionControl::reset(SessionEntry& entry, std::string_view text) {
  entry.commands.add(SessionCommands::Kind::Reset, std::string{text});
  static_cast<void>(sessions_.transactor.now());
  sessions_.transactor.apply_or_defer(entry);
}

namespace {

// Why the session cannot reset its sequence numbers without a disconnect. Empty: it can.
std::string_view in_session_refusal(const SessionEntry& entry) noexcept {
  if (entry.machine.state() != session::State::LoggedOn) return "the session is not logged on";
  const auto* version = session::find_version(entry.settings().session.id.begin_string);
  return version->has_reset_seq_num_flag ? "" : "FIX 4.0 has no ResetSeqNumFlag (141)";
}

using std::chrono::sys_seconds;

// A change of the wall clock is noticed within this time.
constexpr std::chrono::minutes kLooksAgainAfter{1};

WallTime to_wall(sys_seconds time) noexcept {
  constexpr sys_seconds kLast = std::chrono::floor<std::chrono::seconds>(WallTime::max());
  return time >= kLast ? WallTime::max() : WallTime{time};
}

}  // namespace

std::expected<void, std::string> SessionControl::reset_in_session(SessionEntry& entry) {
  const std::string_view refusal = in_session_refusal(entry);
  if (!refusal.empty()) return std::unexpected{std::string{refusal}};
  entry.commands.add(SessionCommands::Kind::ResetInSession, {});
  static_cast<void>(sessions_.transactor.now());
  sessions_.transactor.apply_or_defer(entry);
  return {};
}

// The session's own timer may be due only after a HeartBtInt, in which a burst passes the limit.
void SessionControl::reset_at_limit(SessionEntry& entry) {
  constexpr std::chrono::seconds kInterval{1};
  const std::uint64_t limit = entry.settings().session.reset.in_session_at;
  if (limit == 0 || entry.machine.state() != session::State::LoggedOn) return;
  const session::Numbers numbers = entry.machine.sequence_numbers();
  if (std::max(numbers.next_inbound, numbers.next_outbound) <= limit) {
    return loop_.arm(entry, loop_.now().mono + kInterval);
  }
  static_cast<void>(reset_in_session(entry));
}

void SessionControl::end_session(SessionEntry& entry, const session::ScheduleState& state) {
  const std::chrono::sys_seconds ended_at = state.numbers_since;
  const bool is_within = state.session && state.session->begin == ended_at &&
                         entry.settings().schedule.rules()->reset_time &&
                         in_session_refusal(entry).empty();
  entry.schedule_status.session_ended_at_ = ended_at;
  loop_.report.session(EventId::SessionEndedBySchedule, entry,
                       "the session that ended at " + utc_text(ended_at, UtcForm::Plain) + " UTC" +
                           " is over by its schedule: both "
                           "sequence numbers are reset to 1" +
                           (is_within ? " by a Logon, without a disconnect" : ""));
  if (is_within) {
    return sessions_.transactor.transact(entry, [this](session::StateMachine& machine) {
      machine.on_reset_command(session::ResetFallback::LogOut, loop_.now());
    });
  }
  // The sequence numbers are reset at once, or when the connection has ended.
  entry.connect_policy.on_reset_requested(entry.connection() != nullptr);
  sessions_.transactor.transact(entry, [this](session::StateMachine& machine) {
    machine.on_session_end("End of session", loop_.now());
  });
}

// The sequence numbers are known again: the session connects, and accepts every valid Logon.
void SessionControl::end_halt(SessionEntry& entry) {
  entry.acceptor.halt.end();
  entry.logons.failed.forget();
  if (!may_connect(loop_, entry)) return;
  if (entry.connect_policy.on_numbers_set(entry.connection() != nullptr,
                                          sessions_.transactor.now().mono)) {
    loop_.arm(entry, entry.connect_policy.connect_at());
  }
}

bool SessionControl::abort_connect(SessionEntry& entry, std::string_view why) {
  Connection* const connection = entry.connection();
  if (connection == nullptr || !connection->is_connecting()) return false;
  sessions_.disconnector.close(*connection, EventId::ConnectAborted,
                               "the connection attempt is aborted" + std::string{why});
  return true;
}

void SessionControl::log_out(SessionEntry& entry, std::string_view text) {
  entry.connect_policy.log_out();
  std::string of_logout{text};
  static_cast<void>(sessions_.transactor.now());
  abort_connect(entry);
  entry.commands.add(SessionCommands::Kind::LogOut, std::move(of_logout));
  sessions_.transactor.apply_or_defer(entry);
}

void SessionControl::log_on(SessionEntry& entry) {
  if (!may_connect(loop_, entry)) return;
  entry.connect_policy.log_on(entry.connection() != nullptr, sessions_.transactor.now().mono);
  loop_.arm(entry, entry.connect_policy.connect_at());
  publish(entry, loop_.now());
}

// A change of sequence numbers that changes none: every reader of the log shows its text.
void SessionControl::record_act(SessionEntry& entry, std::string_view text) {
  if (io_.commit.has_failed() || entry.stored.is_on_trial()) return;
  sessions_.transactor.forget_begun();
  static_cast<void>(sessions_.transactor.now());
  sessions_.transactor.record().set_numbers(
      entry.stored.key(), store::numbers_change(io_.commit.store().session(entry.stored.key()), {},
                                                loop_.now().wall, text));
  sessions_.transactor.append_record();
}

void SessionControl::record_act(std::string_view text,
                                std::span<const std::unique_ptr<SessionEntry>> entries) {
  bool is_recorded = false;
  for (const auto& entry : entries) {
    if (entry->connection() == nullptr) continue;
    record_act(*entry, text);
    is_recorded = true;
  }
  if (!is_recorded && !entries.empty()) record_act(*entries.front(), text);
}

std::uint64_t SessionControl::send_test_request(SessionEntry& entry) {
  const RoundTrips::Trip& trip = loop_.round_trips.begin(entry, sessions_.transactor.now().mono);
  sessions_.transactor.transact(entry, [&](session::StateMachine& machine) {
    machine.on_test_request_command(trip.test_req_id(), loop_.now());
  });
  return trip.id;
}

std::string SessionControl::gap_fill_refusal(const SessionEntry& entry, std::uint64_t new_seq_no) {
  const std::uint64_t next = entry.machine.sequence_numbers().next_outbound;
  if (new_seq_no <= next) {
    return "the next MsgSeqNum out is " + std::to_string(next) + ": a gap fill to " +
           std::to_string(new_seq_no) +
           " skips nothing. What was sent is only filled in answer to a "
           "ResendRequest";
  }
  if (new_seq_no - next > kGapFillSkipsMax) {
    return "a gap fill skips at most " + std::to_string(kGapFillSkipsMax) +
           " MsgSeqNums, and the next one out is " + std::to_string(next);
  }
  if (entry.resend.is_in_progress()) return "a resend is in progress: wait until it is done";
  return {};
}

void SessionControl::send_gap_fill(SessionEntry& entry, std::uint64_t new_seq_no) {
  sessions_.transactor.transact(entry, [&](session::StateMachine& machine) {
    machine.on_gap_fill_command(new_seq_no, loop_.now());
  });
}

// An initiator keeps its intent: it connects again when it is enabled.
void SessionControl::disable(SessionEntry& entry, std::string_view text, std::string by) {
  entry.schedule_status.set_disabled(std::move(by));
  publish(entry, sessions_.transactor.now());
  if (abort_connect(entry, ": the session is disabled") || entry.connection() == nullptr) return;
  entry.commands.add(SessionCommands::Kind::LogOut,
                     std::string{text.empty() ? kDisabledText : text});
  sessions_.transactor.apply_or_defer(entry);
}

void SessionControl::enable(SessionEntry& entry) {
  entry.schedule_status.set_disabled(std::nullopt);
  entry.logons.failed.forget();
  publish(entry, sessions_.transactor.now());
  if (!entry.connect_policy.wants_connection() || !entry.schedule_status.may_log_on()) return;
  entry.connect_policy.restart_intervals();
  entry.connect_policy.connect_now(loop_.now().mono);
  loop_.arm(entry, entry.connect_policy.connect_at());
}

std::expected<void, std::string> SessionControl::set_next_numbers(SessionEntry& entry,
                                                                  session::Numbers numbers,
                                                                  std::string_view reason) {
  std::expected<void, std::string> done = std::unexpected{"no memory"};
  loop_.boundary.run([&] { done = record_next_numbers(entry, numbers, reason); });
  return done;
}

std::expected<void, std::string> SessionControl::record_next_numbers(SessionEntry& entry,
                                                                     session::Numbers numbers,
                                                                     std::string_view reason) {
  if (io_.commit.has_failed()) return std::unexpected{"the store has failed"};
  if (const auto [least, most] = std::minmax(numbers.next_inbound, numbers.next_outbound);
      least < 1 || most > session::kSetNumberMax) {
    return std::unexpected{"a next number is 1 to " + std::to_string(session::kSetNumberMax)};
  }
  if (!sessions_.transactor.is_idle()) return std::unexpected{"not from within a callback"};
  if (entry.stored.is_on_trial()) return std::unexpected{"the session has never logged on"};
  static_cast<void>(sessions_.transactor.now());
  abort_connect(entry, ": the sequence numbers are being set");
  if (entry.connection() != nullptr) {
    return std::unexpected{"the session is connected: log it out first"};
  }
  sessions_.transactor.forget_begun();
  static_cast<void>(sessions_.transactor.now());
  const session::Numbers before = entry.machine.sequence_numbers();
  sessions_.transactor.record().set_numbers(
      entry.stored.key(), store::numbers_change(io_.commit.store().session(entry.stored.key()),
                                                {.next_inbound = numbers.next_inbound,
                                                 .next_outbound = numbers.next_outbound},
                                                loop_.now().wall, reason));
  sessions_.transactor.append_record();
  if (io_.commit.has_failed()) return std::unexpected{"the store has failed"};
  entry.machine.set_sequence_numbers(numbers);
  end_halt(entry);
  entry.progress.set_next_inbound(numbers.next_inbound);
  publish(entry, loop_.now());
  loop_.report.session(
      EventId::SequenceNumbersSet, entry,
      {"next MsgSeqNum set by hand: in ", before.next_inbound, " to ", numbers.next_inbound,
       ", out ", before.next_outbound, " to ", numbers.next_outbound, ": ", reason});
  return {};
}

// At the end of its schedule a session gets a Logout and a reset of its sequence numbers, outside
// of it no Logon. Called at the start and whenever timers run. A clock that was set back is
// noticed, too.
void SessionControl::follow_schedule(SessionEntry& entry) {
  const session::Schedule& schedule = entry.settings().schedule;
  if (schedule.is_non_stop()) return;
  if (loop_.now().wall < entry.schedule_status.since_ ||
      loop_.now().wall >= entry.schedule_status.until_) {
    const session::ScheduleState state =
        schedule.at(std::chrono::floor<std::chrono::seconds>(loop_.now().wall));
    entry.schedule_status.since_ = loop_.now().wall;
    entry.schedule_status.until_ = to_wall(state.next_change);
    const bool is_over =
        !entry.stored.is_on_trial() &&
        io_.commit.store().session(entry.stored.key()).created < to_wall(state.numbers_since);
    if (is_over && entry.schedule_status.session_ended_at_ != state.numbers_since) {
      end_session(entry, state);
    }
    if (io_.commit.has_failed()) return;
    if (state.may_log_on && !entry.schedule_status.is_open_) open_for_logons(entry);
    if (!state.may_log_on && entry.schedule_status.is_open_) close_for_logons(entry);
    publish(entry, loop_.now());
  }
  const auto until = entry.schedule_status.until_ - loop_.now().wall;
  loop_.arm(entry, loop_.now().mono + std::min<std::chrono::nanoseconds>(until, kLooksAgainAfter));
}

void SessionControl::close_for_logons(SessionEntry& entry) {
  entry.schedule_status.is_open_ = false;
  const auto next = entry.settings().schedule.next_logon(
      std::chrono::floor<std::chrono::seconds>(loop_.now().wall));
  loop_.report.session(
      EventId::SessionClosedBySchedule, entry,
      next ? "closed by its schedule until " + utc_text(*next, UtcForm::Plain) + " UTC"
           : std::string{"closed by its schedule for the next two years"});
  if (abort_connect(entry) || entry.connection() == nullptr) return;
  sessions_.transactor.transact(entry, [this](session::StateMachine& machine) {
    machine.on_logout_command("End of the time for logons", loop_.now());
  });
}

void SessionControl::open_for_logons(SessionEntry& entry) {
  entry.schedule_status.is_open_ = true;
  entry.logons.failed.forget();
  loop_.report.session(
      EventId::SessionOpenBySchedule, entry,
      entry.schedule_status.until_ == WallTime::max()
          ? std::string{"open by its schedule"}
          : "open by its schedule until " +
                utc_text(std::chrono::floor<std::chrono::seconds>(entry.schedule_status.until_),
                         UtcForm::Plain) +
                " UTC");
  entry.connect_policy.connect_now(loop_.now().mono);
  if (entry.connect_policy.wants_connection() && entry.schedule_status.may_log_on()) {
    loop_.arm(entry, loop_.now().mono);
  }
}

}  // namespace nexusfix::engine
