// Logons wait while the event loop is late: what is there must not suffer from what comes.
#include <algorithm>
#include <string>

#include "engine/acceptor/logon_admission.hpp"
#include "engine/loop/loop_context.hpp"
#include "engine/loops/connection_migration.hpp"

namespace nexusfix::engine {
namespace {

// How soon a loop that was late is asked again. These alarms also show it whether it still is.
constexpr std::chrono::milliseconds kHeldBack{100};
// Of those that waited, so many are let in within one turn; the others soon have theirs. All at
// once would make the loop late again.
constexpr unsigned kAdmittedPerTurn = 64;
constexpr std::chrono::milliseconds kNextTurns{10};

}  // namespace

// due: what is first of all that is to be done now.
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

// A stranger's first message while the loop is late. It stays where a message that is not whole
// would stay; LogonTimeout bounds how long.
bool LogonAdmission::delays_logon(Connection& connection, const wire::MessageView& logon) {
  if (!lateness_.is_late(loop_.now().mono)) [[likely]]
    return false;
  if (logon.msg_type() != std::string_view{"A"} || migration_.other_loop_of(logon)) return false;
  if (!logons_wait_) {
    logons_wait_ = true;
    loop_.report.engine_limited(
        EventId::LogonsDelayed,
        "the event loop is late, its timers by more than " +
            std::to_string(lateness_.late_max() / std::chrono::milliseconds{1}) +
            " ms (LogonMaxLateness): Logons wait until it is in time again");
  }
  connection.pause.delayed_logon = true;
  connection.pause.until = loop_.now().mono + kHeldBack;
  loop_.arm(connection, connection.pause.until);
  loop_.network->pause(connection.socket, true);
  return true;
}

// Whether the time has come for its Logon; if not, when it is to be asked again.
bool LogonAdmission::admits_delayed(Connection& connection) {
  if (connection.credentials.state == LogonCredentials::State::BeingChecked) return false;
  const bool is_late = lateness_.is_late(loop_.now().mono);
  if (!is_late && admitted_this_turn_ < kAdmittedPerTurn) {
    ++admitted_this_turn_;
    return true;
  }
  connection.pause.until = loop_.now().mono + (is_late ? kHeldBack : kNextTurns);
  return false;
}

}  // namespace nexusfix::engine
