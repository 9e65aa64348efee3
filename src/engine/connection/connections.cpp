#include "engine/connection/connections.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "engine/acceptor/acceptor.hpp"
#include "engine/connection/inbound.hpp"
#include "engine/registry/session_registry.hpp"
#include "engine/sending/waiting_messages.hpp"
#include "engine/sessions/out_of_order_queue.hpp"
#include "engine/sessions/transactor.hpp"
#include "engine/statistics/session_state.hpp"

namespace nexusfix::engine {
namespace {

// How long the last bytes (a Logout) may take to leave.
constexpr std::chrono::seconds kLastBytesTimeout{2};

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

std::string Connections::protection_of(const Connection& connection) const {
  const std::string protection = loop_.network->protection(connection.socket_id());
  return protection.empty() ? protection : ", " + protection;
}

// AllowedCertificates.
std::string Connections::certificate_fault(const Connection& connection,
                                           const SessionSettings& settings) const {
  const std::vector<std::string>& allowed = settings.admission.allowed_certificates;
  if (allowed.empty()) return {};
  const std::vector<std::string> shown = loop_.network->peer_identities(connection.socket_id());
  if (shown.empty()) return "it has shown no certificate, and AllowedCertificates asks for one";
  if (std::ranges::find_first_of(shown, allowed) != shown.end()) return {};
  std::string text = "its certificate is none of AllowedCertificates:";
  constexpr std::size_t kLoggedBytesMax = 400;
  for (const std::string& one : shown) {
    if (text.size() + one.size() > kLoggedBytesMax) return text + " ...";
    text += " " + one;
  }
  return text;
}

void Connections::refuse(Connection& connection, EventId id, std::string_view why) {
  ++loop_.stats.connections_refused;
  loop_.report.refused(id, connection.accepted().source,
                       loop_.network->peer_name(connection.socket_id()), why);
  close(connection);
}

void Connections::close(Connection& connection) { close(connection, {}, {}); }

void Connections::close(Connection& connection, EventId id, std::string_view why) {
  inbound_.drain_delayed(connection);
  SessionEntry* const entry = connection.entry();
  // Allocates, so it comes before all changes.
  if (entry != nullptr) entry->disconnection.set_text(why);
  loop_.disturb();
  std::unique_ptr<Connection> owned = table_.take(connection.socket_id());
  if (owned == nullptr) return;
  acceptor_.leave_pending(connection);
  try {
    if (entry != nullptr) report_end(connection, *entry, id, why);
  } catch (const std::bad_alloc&) {  // The connection ends nevertheless.
    loop_.report.memory_failed();
  }
  loop_.network->close(connection.socket_id());
  loop_.timers.disarm(connection);
  closed_.push_back(std::move(owned));
  const bool was_connecting = connection.is_connecting();
  const std::uint64_t lost =
      entry != nullptr && entry->progress.keeps_received() ? lowest_waiting(*entry) : 0;
  connection.end();
  if (entry == nullptr) return;
  entry->resend.abort();
  entry->resend.queued().release();
  entry->until_logon.release();
  count_end(connection, *entry, was_connecting);
  if (!was_connecting) {
    transactor_.transact(*entry, [&](session::StateMachine& machine) {
      transactor_.record_end(*entry, lost);
      machine.on_disconnected(loop_.now());
    });
  }
  OutOfOrderQueue::forget_out_of_order(
      *entry);  // They are requested again, unless a reset follows.
  if (entry->membership.is_dynamic() && !entry->membership.has_logged_on())
    registry_.remove(*entry, {});
  entry->connect_policy.on_closed(entry->settings(), entry->name, entry->timetable.may_log_on(),
                                  loop_.now().mono);
  publish(*entry, loop_.now());
  if (!entry->connect_policy.wants_connection() || !entry->timetable.may_log_on()) return;
  loop_.arm(*entry, entry->connect_policy.connect_at());
}

void Connections::report_end(const Connection& connection, SessionEntry& entry, EventId id,
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
  attempt.has_tls = !protection_of(connection).empty();
  attempt.was_logged_on = entry.counters->logons.read() != 0;
  failed.count(summary(attempt), loop_.now().wall);
  const bool is_again = failed.in_a_row() >= FailedLogons::kErrorFrom;
  loop_.report.peer(is_again ? EventId::LogonFailedAgain : EventId::LogonFailed, entry,
                    {describe(attempt), " (", failed.row_text(), ")"}, &connection);
}

void Connections::count_end(const Connection& connection, SessionEntry& entry,
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

void Connections::destroy_all_closed() noexcept {
  std::erase_if(unsent_, [](const Connection* one) { return one->is_dead(); });
  closed_.clear();
}

void Connections::abort(const transport::Ready& ready) noexcept {
  const bool is_new = ready.kind == transport::ReadyKind::Accepted;
  const transport::SocketId socket = is_new ? ready.accepted : ready.socket;
  Connection* const connection = table_.find(socket);
  if (connection == nullptr) {
    if (!is_new) return;
    ++loop_.stats.connections_refused;
    if (socket != 0) loop_.network->close(socket);
    return;
  }
  abort(*connection);
}

void Connections::abort(Connection& connection) noexcept {
  if (connection.entry() != nullptr) return transactor_.abort_session(*connection.entry());
  ++loop_.stats.connections_refused;
  close(connection);  // Without a session it allocates nothing.
}

void Connections::reserve() {
  const std::size_t count = table_.size() + 1;
  loop_.timers.reserve_connections(count);
  if (closed_.capacity() >= closed_.size() + count && unsent_.capacity() >= count &&
      sending_.capacity() >= count) {
    return;
  }
  closed_.reserve(closed_.size() + 2 * count);
  unsent_.reserve(2 * count);
  sending_.reserve(2 * count);
}

void Connections::close_soon(Connection& connection) {
  connection.begin_draining();
  connection.set_deadline(loop_.now().mono + kLastBytesTimeout);
  loop_.arm(connection, connection.deadline());
  mark_unsent(connection);
}

void Connections::retire(Connection& connection) noexcept {
  loop_.timers.disarm(connection);
  loop_.disturb();
  closed_.push_back(table_.take(connection.socket_id()));
  connection.end();
}

void Connections::abandon_all() noexcept {
  for (const auto& [socket, connection] : table_) {
    loop_.network->close(socket);
    connection->end();
  }
  loop_.disturb();
  for (auto& [socket, connection] : table_.take_all()) closed_.push_back(std::move(connection));
}

}  // namespace nexusfix::engine
