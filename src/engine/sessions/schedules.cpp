// What a session's timetable asks for: at its end Logout and new numbers, outside of it no Logon.
#include <algorithm>
#include <chrono>
#include <string>

#include <nexusfix/base/utc_text.hpp>

#include "engine/loop/runtime.hpp"

namespace nexusfix::engine {
namespace {

using std::chrono::sys_seconds;

// A wall clock that is set is noticed within this time.
constexpr std::chrono::minutes kLooksAgainAfter{1};

WallTime to_wall(sys_seconds time) noexcept {
  constexpr sys_seconds kLast = std::chrono::floor<std::chrono::seconds>(WallTime::max());
  return time >= kLast ? WallTime::max() : WallTime{time};
}

}  // namespace

// At the start, and whenever timers run. A clock that was set back is another time, too.
void Runtime::follow_schedule(SessionSlot& slot) {
  const session::Schedule& schedule = slot.settings.schedule;
  if (schedule.is_non_stop()) return;
  if (now_.wall < slot.schedule_since || now_.wall >= slot.schedule_until) {
    const session::ScheduleState state =
        schedule.at(std::chrono::floor<std::chrono::seconds>(now_.wall));
    slot.schedule_since = now_.wall;
    slot.schedule_until = to_wall(state.next_change);
    const bool is_over =
        slot.trial == nullptr && store_->session(slot.key).created < to_wall(state.numbers_since);
    if (is_over && slot.session_ended_at != state.numbers_since) {
      end_session(slot, state.numbers_since);
    }
    if (store_failed_) return;
    if (state.may_log_on && !slot.may_log_on) open_for_logons(slot);
    if (!state.may_log_on && slot.may_log_on) close_for_logons(slot);
  }
  const auto until = slot.schedule_until - now_.wall;
  arm(slot, now_.mono + std::min<std::chrono::nanoseconds>(until, kLooksAgainAfter));
}

// Its numbers are 1 again at once, or when its connection has ended.
void Runtime::end_session(SessionSlot& slot, sys_seconds ended_at) {
  slot.session_ended_at = ended_at;
  report_.session(EventId::SessionEndedBySchedule, slot,
                  "the session that ended at " + utc_text(ended_at, UtcForm::Plain) + " UTC" +
                      " is over by its schedule: both "
                      "sequence numbers are reset to 1");
  slot.connect_policy.on_reset_requested(slot.connection != nullptr);
  transact(slot, [this](session::StateMachine& machine) {
    machine.on_session_end("End of session", now_);
  });
}

void Runtime::close_for_logons(SessionSlot& slot) {
  slot.may_log_on = false;
  const auto next =
      slot.settings.schedule.next_logon(std::chrono::floor<std::chrono::seconds>(now_.wall));
  report_.session(EventId::SessionClosedBySchedule, slot,
                  next ? "closed by its schedule until " + utc_text(*next, UtcForm::Plain) + " UTC"
                       : std::string{"closed by its schedule for the next two years"});
  if (slot.connection == nullptr) return;
  if (!slot.connection->established) {
    return close(*slot.connection, EventId::ConnectAborted, "the connection attempt is aborted");
  }
  transact(slot, [this](session::StateMachine& machine) {
    machine.on_logout_command("End of the time for logons", now_);
  });
}

void Runtime::open_for_logons(SessionSlot& slot) {
  slot.may_log_on = true;
  report_.session(EventId::SessionOpenBySchedule, slot,
                  slot.schedule_until == WallTime::max()
                      ? std::string{"open by its schedule"}
                      : "open by its schedule until " +
                            utc_text(std::chrono::floor<std::chrono::seconds>(slot.schedule_until),
                                     UtcForm::Plain) +
                            " UTC");
  slot.connect_policy.connect_now(now_.mono);
  if (slot.connect_policy.wants_connection()) arm(slot, now_.mono);
}

}  // namespace nexusfix::engine
