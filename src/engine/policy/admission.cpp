// Logons wait while the event loop is late, so that they do not delay the sessions that are logged
// on.
#include <algorithm>
#include <string>

#include "engine/ground/loop_context.hpp"
#include "engine/policy/logon_admission.hpp"

namespace nexusfix::engine {
namespace {

// How soon a delayed Logon is tried again. These alarms also show whether the loop is still late.
constexpr std::chrono::milliseconds kHeldBack{100};
// At most this number of delayed Logons is admitted in one turn; the others follow in the next
// turns. All at once would make the loop late again.
constexpr unsigned kAdmittedPerTurn = 64;
constexpr std::chrono::milliseconds kNextTurns{10};

}  // namespace

// due: the earliest deadline that has passed.
void LogonAdmission::note_lateness(MonoTime due) {
  admitted_this_turn_ = 0;
  lateness_.done(due, loop_.now().mono);
  if (const auto late = stall_detector_.done(due, loop_.now().mono)) [[unlikely]] {
    loop_.report.engine(
        EventId::LoopStalled,
        "the event loop was stalled: what was due is done " +
            std::to_string(*late / std::chrono::milliseconds{1}) +
            " ms later. It waited for the disk, a callback or a processor, or the machine was "
            "suspended");
  }
  if (!logons_wait_ || lateness_.is_late(loop_.now().mono)) [[likely]]
    return;
  logons_wait_ = false;
  loop_.report.engine_limited(EventId::LogonsResumed,
                              "the event loop is in time again: Logons are answered");
}

// The first message of an unauthenticated peer while the loop is late. It stays in `carried` like
// an incomplete message; LogonTimeout bounds the wait.
bool LogonAdmission::delays_logon(Connection& connection, const wire::MessageView& logon) {
  if (!lateness_.is_late(loop_.now().mono)) [[likely]]
    return false;
  if (logon.msg_type() != std::string_view{"A"} || other_loop_of(logon)) return false;
  if (!logons_wait_) {
    logons_wait_ = true;
    loop_.report.engine_limited(
        EventId::LogonsDelayed,
        "the event loop is late, its timers by more than " +
            std::to_string(lateness_.late_max() / std::chrono::milliseconds{1}) +
            " ms: Logons wait until it is in time again");
  }
  connection.defer_logon(loop_.now().mono, loop_.now().mono + kHeldBack, loop_.work);
  loop_.arm(connection, connection.paused_until());
  loop_.network->pause(connection.socket_id(), true);
  return true;
}

// Whether the delayed Logon is admitted now. False: paused_until() is the time of the next attempt.
bool LogonAdmission::admits_delayed(Connection& connection) {
  if (connection.is_checking_password()) return false;
  const bool is_late = lateness_.is_late(loop_.now().mono);
  if (!is_late && admitted_this_turn_ < kAdmittedPerTurn) {
    ++admitted_this_turn_;
    return true;
  }
  connection.defer_logon_again(loop_.now().mono + (is_late ? kHeldBack : kNextTurns));
  return false;
}

}  // namespace nexusfix::engine
