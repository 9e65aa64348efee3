#include "engine/control/session_control.hpp"

#include <string>
#include <utility>

#include "engine/commit/commit_gate.hpp"
#include "engine/connection/connections.hpp"
#include "engine/sending/outbox.hpp"
#include "engine/sessions/transactor.hpp"
#include "engine/statistics/session_state.hpp"

namespace nexusfix::engine {

void SessionControl::disconnect(SessionEntry& entry, std::string_view why) {
  entry.commands.add(SessionCommands::Kind::Disconnect, std::string{why});
  static_cast<void>(transactor_.now());
  transactor_.apply_or_defer(entry);
}

void SessionControl::reset(SessionEntry& entry, std::string_view text) {
  entry.commands.add(SessionCommands::Kind::Reset, std::string{text});
  static_cast<void>(transactor_.now());
  transactor_.apply_or_defer(entry);
}

void SessionControl::disconnect_now(SessionEntry& entry, std::string_view why) {
  if (entry.connection == nullptr) return;
  Connection& connection = *entry.connection;
  if (connection.is_connecting())
    return connections_.close(connection, EventId::ConnectionClosed, why);
  connection.set_close_reason(why);
  connections_.close_soon(connection);
}

void SessionControl::halt(SessionEntry& entry) noexcept {
  entry.acceptor.halt.accepts_only_reset_ = true;
  entry.connect_policy.halt();
}

void SessionControl::on_reset(SessionEntry& entry) {
  entry.acceptor.halt.accepts_only_reset_ = false;
  if (entry.connect_policy.on_reset(may_connect(entry), entry.connection != nullptr,
                                    loop_.now().mono)) {
    loop_.arm(entry, entry.connect_policy.connect_at());
  }
}

// The sequence numbers are known again: the session connects, and accepts every valid Logon.
void SessionControl::end_halt(SessionEntry& entry) {
  entry.acceptor.halt.accepts_only_reset_ = false;
  if (!may_connect(entry)) return;
  if (entry.connect_policy.on_numbers_set(entry.connection != nullptr, transactor_.now().mono)) {
    loop_.arm(entry, entry.connect_policy.connect_at());
  }
}

void SessionControl::log_out(SessionEntry& entry, std::string_view text) {
  entry.connect_policy.log_out();
  std::string of_logout{text};
  static_cast<void>(transactor_.now());
  if (entry.connection != nullptr && entry.connection->is_connecting()) {
    connections_.close(*entry.connection, EventId::ConnectAborted,
                       "the connection attempt is aborted");
  }
  entry.commands.add(SessionCommands::Kind::LogOut, std::move(of_logout));
  transactor_.apply_or_defer(entry);
}

void SessionControl::log_on(SessionEntry& entry) {
  if (!may_connect(entry)) return;
  entry.connect_policy.log_on(entry.connection != nullptr, transactor_.now().mono);
  loop_.arm(entry, entry.connect_policy.connect_at());
  publish(entry, loop_.now().wall);
}

bool SessionControl::may_connect(const SessionEntry& entry) const noexcept {
  return entry.settings.session.role == session::Role::Initiator && !loop_.is_stopping &&
         entry.membership.is_active();
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
  constexpr std::uint64_t kNumberMax = std::uint64_t{1} << 62U;
  const auto is_number = [](std::uint64_t number) { return number >= 1 && number <= kNumberMax; };
  if (commit_.has_failed()) return std::unexpected{"the store has failed"};
  if (!is_number(numbers.next_inbound) || !is_number(numbers.next_outbound)) {
    return std::unexpected{"a next number is 1 to 2^62"};
  }
  if (!transactor_.is_idle()) return std::unexpected{"not from within a callback"};
  if (entry.stored.is_on_trial()) return std::unexpected{"the session has never logged on"};
  if (entry.connection != nullptr && entry.connection->is_connecting()) {
    static_cast<void>(transactor_.now());
    constexpr std::string_view kWhy =
        "the connection attempt is aborted: the sequence numbers are being set";
    connections_.close(*entry.connection, EventId::ConnectAborted, kWhy);
  }
  if (entry.connection != nullptr) {
    return std::unexpected{"the session is connected: log it out first"};
  }
  outbox_.forget_begun();
  static_cast<void>(transactor_.now());
  const session::Numbers before = entry.machine.sequence_numbers();
  transactor_.record().set_numbers(
      entry.stored.key(), store::numbers_change(commit_.store().session(entry.stored.key()),
                                                {.next_inbound = numbers.next_inbound,
                                                 .next_outbound = numbers.next_outbound},
                                                loop_.now().wall, reason));
  transactor_.append_record();
  if (commit_.has_failed()) return std::unexpected{"the store has failed"};
  entry.machine.set_sequence_numbers(numbers);
  end_halt(entry);
  entry.progress.set_next_inbound(numbers.next_inbound);
  publish(entry, loop_.now().wall);
  loop_.report.session(
      EventId::SequenceNumbersSet, entry,
      {"next MsgSeqNum set by hand: in ", before.next_inbound, " to ", numbers.next_inbound,
       ", out ", before.next_outbound, " to ", numbers.next_outbound, ": ", reason});
  return {};
}

}  // namespace nexusfix::engine
