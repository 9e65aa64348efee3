// Follows a session's schedule: at its end Logout and a reset of the sequence numbers, outside of
// it no Logon.
#include <algorithm>
#include <chrono>
#include <string>

#include "base/api/utc_text.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/ground/statistics/session_state.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {
namespace {

using std::chrono::sys_seconds;

// A change of the wall clock is noticed within this time.
constexpr std::chrono::minutes kLooksAgainAfter{1};

WallTime to_wall(sys_seconds time) noexcept {
  constexpr sys_seconds kLast = std::chrono::floor<std::chrono::seconds>(WallTime::max());
  return time >= kLast ? WallTime::max() : WallTime{time};
}

}  // namespace

// Called at the start and whenever timers run. A clock that was set back is noticed, too.
void SessionControl::follow_schedule(SessionEntry& entry) {
  const session::Schedule& schedule = entry.settings().schedule;
  if (schedule.is_non_stop()) return;
  if (loop_.now().wall < entry.timetable.since_ || loop_.now().wall >= entry.timetable.until_) {
    const session::ScheduleState state =
        schedule.at(std::chrono::floor<std::chrono::seconds>(loop_.now().wall));
    entry.timetable.since_ = loop_.now().wall;
    entry.timetable.until_ = to_wall(state.next_change);
    const bool is_over =
        !entry.stored.is_on_trial() &&
        io_.commit.store().session(entry.stored.key()).created < to_wall(state.numbers_since);
    if (is_over && entry.timetable.session_ended_at_ != state.numbers_since) {
      end_session(entry, state);
    }
    if (io_.commit.has_failed()) return;
    if (state.may_log_on && !entry.timetable.is_open_) open_for_logons(entry);
    if (!state.may_log_on && entry.timetable.is_open_) close_for_logons(entry);
    publish(entry, loop_.now());
  }
  const auto until = entry.timetable.until_ - loop_.now().wall;
  loop_.arm(entry, loop_.now().mono + std::min<std::chrono::nanoseconds>(until, kLooksAgainAfter));
}

void SessionControl::close_for_logons(SessionEntry& entry) {
  entry.timetable.is_open_ = false;
  const auto next = entry.settings().schedule.next_logon(
      std::chrono::floor<std::chrono::seconds>(loop_.now().wall));
  loop_.report.session(
      EventId::SessionClosedBySchedule, entry,
      next ? "closed by its schedule until " + utc_text(*next, UtcForm::Plain) + " UTC"
           : std::string{"closed by its schedule for the next two years"});
  if (entry.connection() == nullptr) return;
  if (entry.connection()->is_connecting()) {
    return sessions_.disconnector.close(*entry.connection(), EventId::ConnectAborted,
                                        "the connection attempt is aborted");
  }
  sessions_.transactor.transact(entry, [this](session::StateMachine& machine) {
    machine.on_logout_command("End of the time for logons", loop_.now());
  });
}

void SessionControl::open_for_logons(SessionEntry& entry) {
  entry.timetable.is_open_ = true;
  loop_.report.session(
      EventId::SessionOpenBySchedule, entry,
      entry.timetable.until_ == WallTime::max()
          ? std::string{"open by its schedule"}
          : "open by its schedule until " +
                utc_text(std::chrono::floor<std::chrono::seconds>(entry.timetable.until_),
                         UtcForm::Plain) +
                " UTC");
  entry.connect_policy.connect_now(loop_.now().mono);
  if (entry.connect_policy.wants_connection() && entry.timetable.may_log_on()) {
    loop_.arm(entry, loop_.now().mono);
  }
}

}  // namespace nexusfix::engine
