#include "engine/ground/statistics/session_state.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/wire/field.hpp>

#include "base/api/utc_text.hpp"

namespace nexusfix::engine {
namespace {

void count_reject(const wire::MessageView& message, PackedMsgType msg_type,
                  MadeOnce<RejectCounters>& figures) noexcept {
  RejectCounters* const rejects = figures.made();
  if (rejects == nullptr) return;
  const bool is_business = msg_type == kPackedBusinessReject;
  const auto given = message.get<std::uint64_t>(is_business ? tag::BusinessRejectReason
                                                            : tag::SessionRejectReason);
  std::optional<std::uint32_t> reason;
  if (given && *given <= UINT32_MAX) reason = static_cast<std::uint32_t>(*given);
  rejects->count(is_business ? RejectKind::Business : RejectKind::Session, reason);
}

}  // namespace

void count_answer(const wire::MessageView& message, PackedMsgType msg_type, MonoTime now,
                  SessionCounters& session, LoopCounters& loop) noexcept {
  if (msg_type == kPackedReject || msg_type == kPackedBusinessReject) {
    if (SessionDetails* const details = session.details.get()) {
      count_reject(message, msg_type, details->rejects_in);
    }
    return;
  }
  const bool is_answer = msg_type == kPackedHeartbeat && session.test_request_at != kNever &&
                         message.has(tag::TestReqID);
  if (!is_answer) return;
  const MonoTime::duration taken = now - std::exchange(session.test_request_at, kNever);
  loop.test_request_round_trip.record(taken);
  if (SessionLatency* const latency = session.test_request_round_trip.made()) {
    latency->record(taken);
  }
}

void count_sent_reject(const wire::MessageView& message, PackedMsgType msg_type,
                       SessionCounters& session) noexcept {
  if (SessionDetails* const details = session.details.get()) {
    count_reject(message, msg_type, details->rejects_out);
  }
}

namespace {

std::string time_text(WallTime time) {
  return utc_text(std::chrono::floor<std::chrono::seconds>(time), UtcForm::Plain) + " UTC";
}

std::string failures_text(const SessionEntry& entry) {
  const FailedLogons& failed = entry.logons.failed;
  return failed.in_a_row() == 0 ? "" : failed.row_text() + ": " + failed.last();
}

// The timers are those of the monotonic clock: the time of day is what they mean now.
std::string waiting_text(const SessionEntry& entry, const Now& now) {
  const ConnectPolicy& policy = entry.connect_policy;
  std::string text = failures_text(entry);
  if (policy.connect_at() == kNever) return text;
  const WallTime at = now.wall + std::max(policy.connect_at() - now.mono, MonoTime::duration{});
  return text + (text.empty() ? "" : "; ") + "connects again at " + time_text(at);
}

std::string opening_text(const SessionEntry& entry, WallTime now) {
  const auto next =
      entry.settings().schedule.next_logon(std::chrono::floor<std::chrono::seconds>(now));
  return next ? "opens at " + time_text(WallTime{*next}) : "opens in no day of the next two years";
}

// The text is for a state that is no Logon.
std::string why_of(const SessionEntry& entry, SessionState state, const Now& now) {
  switch (state) {
    case SessionState::Disabled:
      return "disabled by " + entry.schedule_status.disabled_by();
    case SessionState::Halted:
      return "sequence numbers are lost on one side: an operator must set them (" +
             std::string{is_initiator(entry) ? "NXF-2008" : "NXF-2009"} + ", ctl set-numbers)";
    case SessionState::LoggedOut:
      return entry.connect_policy.is_logged_out_by_operator()
                 ? "logged out by an operator: ctl log-on"
                 : "logged out by the application";
    case SessionState::OutOfSchedule:
      return opening_text(entry, now.wall);
    case SessionState::Waiting:
      return waiting_text(entry, now);
    case SessionState::Listening:
    case SessionState::Connecting:
    case SessionState::LoggingOn:
      return failures_text(entry);
    case SessionState::LoggedOn:
    case SessionState::LoggingOut:
    case SessionState::StoreFailed:
      break;
  }
  return {};
}

[[nodiscard]] SessionState session_state_of(const SessionEntry& entry) noexcept {
  switch (entry.machine.state()) {
    case session::State::LoggedOn:
      return SessionState::LoggedOn;
    case session::State::LogoutSent:
      return SessionState::LoggingOut;
    case session::State::AwaitingLogon:
    case session::State::LogonSent:
    case session::State::LogonReceived:
      return SessionState::LoggingOn;
    case session::State::Disconnected:
      break;
  }
  // What an operator has done says more than what it was done for.
  if (entry.schedule_status.is_disabled() && entry.connection() == nullptr)
    return SessionState::Disabled;
  if (entry.acceptor.halt.accepts_only_reset() || entry.connect_policy.is_halted()) {
    return SessionState::Halted;
  }
  if (entry.connection() != nullptr && entry.connection()->is_connecting()) {
    return SessionState::Connecting;
  }
  if (is_initiator(entry) && !entry.connect_policy.wants_connection()) {
    return SessionState::LoggedOut;
  }
  if (!entry.schedule_status.may_log_on()) return SessionState::OutOfSchedule;
  return is_initiator(entry) ? SessionState::Waiting : SessionState::Listening;
}

}  // namespace

bool is_initiator(const SessionEntry& entry) noexcept {
  return entry.settings().session.role == session::Role::Initiator;
}

bool is_gone(const SessionEntry& entry) noexcept {
  return entry.membership.is_out() && entry.connection() == nullptr;
}

// A halted initiator is expected, too: it waits for an operator. An acceptor cannot know whether
// its counterparty wants to log on.
PublishedState state_of(const SessionEntry& entry) noexcept {
  const ConnectPolicy& policy = entry.connect_policy;
  return {.state = session_state_of(entry),
          .is_expected = is_initiator(entry) && entry.schedule_status.may_log_on() &&
                         (policy.wants_connection() || policy.is_halted())};
}

void publish_state(SessionEntry& entry, const Now& now) noexcept {
  const PublishedState state = state_of(entry);
  try {
    entry.counters->why.set(why_of(entry, state.state, now));
  } catch (const std::bad_alloc&) {  // the text is set again with the next change
  }
  entry.counters->failures_in_a_row.set(entry.logons.failed.in_a_row());
  entry.counters->set_state(state, now.wall);
  entry.counters->is_gone.set(is_gone(entry));
}

}  // namespace nexusfix::engine
