#include <string>

#include <nexusfix/wire/field.hpp>

#include "engine/session/pass_message.hpp"

namespace nexusfix::engine {

[[gnu::noinline]] std::size_t InboundMessages::on_message(Connection& connection,
                                                          SessionEntry& entry,
                                                          const wire::MessageView& message,
                                                          std::string_view frame) {
  return pass(connection, entry, message, frame);
}

[[gnu::noinline]] void InboundMessages::on_first_message(Connection& connection,
                                                         SessionEntry& entry,
                                                         const wire::MessageView& message,
                                                         std::string_view frame) {
  deliver(connection, entry, message, frame);
}

// ValidateLengthAndChecksum=N: accepts what QuickFIX accepts.
[[gnu::noinline]] std::size_t InboundMessages::on_unsound_frame(Connection& connection,
                                                                SessionEntry& entry,
                                                                wire::GarbledReason reason,
                                                                std::string_view frame) {
  const std::size_t whole = frame.size();
  const bool is_accepted = can_be_repaired(reason) && !entry.settings().validates_check_sum;
  const auto repaired =
      is_accepted ? repaired_.parse(loop_.parsers.inbound, frame, entry.settings().validates_length)
                  : std::unexpected{wire::ParseError{reason, 0}};
  if (!repaired) {
    on_garbled(connection, entry, reason, frame);
    return whole;
  }
  const std::size_t processed = on_message(connection, entry, *repaired, frame);
  if (processed != kMustWait) connection.framing().set_unsound(whole - processed);
  return processed;
}

// A message that has waited, with its Logon, is as late as it was when it came.
[[gnu::noinline]] void InboundMessages::excuse_wait(const Connection& connection,
                                                    SessionEntry& entry,
                                                    const wire::MessageView& message) {
  const WallTime came = loop_.now().wall - connection.waited(loop_.now().mono);
  const auto sending_time = message.get<WallTime>(tag::SendingTime);
  const auto latency_max = entry.settings().session.header.max_latency;
  entry.machine.set_delayed(sending_time && *sending_time >= came - latency_max);
}

// ThrottleAction=Delay: the loop stops reading, the counterparty's send buffer fills up, and it
// slows down. Received bytes stay in `carried` like an incomplete message.
bool InboundMessages::must_wait(Connection& connection, SessionEntry& entry,
                                const wire::MessageView& message) {
  if (connection.has_throttle_ended()) return false;
  if (entry.settings().throttle.action != ThrottleAction::Delay ||
      entry.machine.state() != session::State::LoggedOn ||
      session::is_administrative(message.msg_type()) ||
      entry.limits.throttle.allow(loop_.now().mono)) {
    return false;
  }
  entry.machine.set_delayed(true);
  connection.pause(entry.limits.throttle.next_at(), loop_.work);
  loop_.arm(connection, connection.paused_until());
  loop_.network->pause(connection.socket_id(), true);
  return true;
}

void InboundMessages::on_garbled(Connection& connection, SessionEntry& entry,
                                 wire::GarbledReason reason, std::string_view bytes) {
  ++loop_.stats.garbled;
  ++entry.counters->garbled;
  loop_.report.logs().garbled(entry.stored.log(), bytes, loop_.now().wall);
  sessions_.transactor.transact(
      entry, [&](session::StateMachine& machine) { machine.on_garbled(reason, loop_.now()); });
  const std::uint32_t count_max = entry.settings().limits.garbled_per_second_max;
  if (connection.rates().garbled.allow(loop_.now().mono, count_max) || connection.is_dead()) return;
  sessions_.disconnector.close(connection, EventId::GarbledFlood,
                               "disconnecting: more than " + std::to_string(count_max) +
                                   " garbled messages within a second");
}

}  // namespace nexusfix::engine
