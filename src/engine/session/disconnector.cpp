#include <new>
#include <string>

#include "engine/ground/statistics/session_state.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {
namespace {

// What is left of a record of TLS: an alert, or a part of a handshake.
bool is_tls(std::string_view bytes) noexcept {
  return bytes.starts_with(std::string_view{"\x15\x03"}) ||
         bytes.starts_with(std::string_view{"\x16\x03"});
}

// None: we have closed the connection.
AttemptEnd end_of(EventId id) noexcept {
  if (id == EventId::ConnectionClosedByCounterparty) return AttemptEnd::Closed;
  return id == EventId::ConnectionLost ? AttemptEnd::Lost : AttemptEnd::None;
}

}  // namespace

void Disconnector::close(Connection& connection, EventId id, std::string_view why) {
  if (connection.is_dead()) return;
  SessionEntry* const entry = connection.entry();
  if (entry == nullptr) return io_.connections.drop(connection);
  entry->disconnection.set_text(why);  // Allocates, so it comes before all changes.
  try {
    report_end(connection, *entry, id, why);
  } catch (const std::bad_alloc&) {  // The connection ends nevertheless.
    loop_.report.memory_failed();
  }
  static_cast<void>(io_.connections.cut(connection));
  const bool was_connecting = connection.is_connecting();
  const std::uint64_t lost = entry->progress.keeps_received() ? lowest_waiting(*entry) : 0;
  connection.end();
  entry->resend.abort();
  entry->resend.queued().release();
  entry->until_logon.release();
  count_end(connection, *entry, was_connecting);
  end_session(*entry, was_connecting, lost);
}

void Disconnector::end_session(SessionEntry& entry, bool was_connecting, std::uint64_t lost) {
  if (!was_connecting) {
    sessions_.transactor.transact(entry, [&](session::StateMachine& machine) {
      sessions_.transactor.record_end(entry, lost);
      machine.on_disconnected(loop_.now());
    });
  }
  // They are requested again, unless a reset follows.
  entry.out_of_order.clear();
  if (entry.membership.is_dynamic() && !entry.membership.has_logged_on())
    sessions_.registry.remove(entry);
  entry.connect_policy.on_closed(entry.settings(), entry.name, entry.schedule_status.may_log_on(),
                                 loop_.now().mono);
  publish(entry, loop_.now());
  if (!entry.connect_policy.wants_connection() || !entry.schedule_status.may_log_on()) return;
  loop_.arm(entry, entry.connect_policy.connect_at());
}

void Disconnector::report_end(const Connection& connection, SessionEntry& entry, EventId id,
                              std::string_view why) {
  FailedLogons& failed = entry.logons.failed;
  if (id == EventId::ConnectFailed || id == EventId::ConnectTimedOut) {
    failed.count(why, loop_.now().wall);
    return loop_.report.peer(id, entry, {why, " (", failed.row_text(), ")"}, &connection);
  }
  if (!why.empty()) loop_.report.peer(id, entry, why, &connection);
  if (connection.is_connecting() || connection.has_logged_on()) return;
  FailedAttempt attempt = failed.take(loop_.now().mono);
  if (!is_initiator(entry)) {
    if (!attempt.said.empty()) failed.count(attempt.said, loop_.now().wall);
    return;
  }
  if (id == EventId::ConnectionLost && attempt.end == AttemptEnd::None) attempt.said = why;
  if (attempt.end == AttemptEnd::None) attempt.end = end_of(id);
  if (attempt.end == AttemptEnd::None) return;  // We ended it.
  if (is_tls(connection.framing().carried().view())) attempt.end = AttemptEnd::TlsAnswer;
  attempt.has_tls = !io_.connections.protection_of(connection).empty();
  attempt.was_logged_on = entry.counters->logons.read() != 0;
  failed.count(summary(attempt), loop_.now().wall);
  const bool is_again = failed.in_a_row() >= FailedLogons::kErrorFrom;
  loop_.report.peer(is_again ? EventId::LogonFailedAgain : EventId::LogonFailed, entry,
                    {describe(attempt), " (", failed.row_text(), ")"}, &connection);
}

void Disconnector::count_end(const Connection& connection, SessionEntry& entry,
                             bool was_connecting) noexcept {
  SessionCounters& counters = *entry.counters;
  if (was_connecting) {
    ++counters.connect_failures;
  } else if (connection.has_logged_on()) {
    ++counters.disconnects;
  } else {
    ++counters.logon_failures;
  }
  counters.test_request_at = kNever;
  counters.on_unsent(0, loop_.now().wall);
}

void Disconnector::end_aborted() {
  loop_.work.clear(Work::Aborted);
  for (std::size_t i = 0; i < sessions_.registry.entries().size(); ++i) {
    SessionEntry& entry = *sessions_.registry.entries()[i];
    if (!entry.abort.take()) continue;
    // Without memory the session is aborted again, and the next turn tries again.
    loop_.boundary.run(entry, [&] {
      constexpr std::string_view kNoMemory = "disconnected: there was no memory for what it needed";
      const bool is_of_limit = !entry.abort.reason().empty();
      const std::string why{is_of_limit ? std::string_view{entry.abort.reason()} : kNoMemory};
      entry.abort.clear_reason();
      const EventId id = is_of_limit ? EventId::BufferLimitReached : EventId::SessionCutForMemory;
      if (entry.connection() != nullptr) {
        close(*entry.connection(), id, why);
      } else {
        loop_.report.peer(id, entry, why);
        sessions_.transactor.transact(entry, [this](session::StateMachine& machine) {
          machine.on_disconnected(loop_.now());
        });
      }
      loop_.arm(entry, loop_.now().mono);
    });
  }
}

}  // namespace nexusfix::engine
