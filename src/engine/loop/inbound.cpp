#include "engine/loop/inbound.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string>
#include <utility>

#include <nexusfix/wire/field.hpp>

#include "base/api/secret.hpp"
#include "engine/ground/charge.hpp"
#include "engine/ground/connection/repaired_frame.hpp"
#include "engine/ground/statistics/administrative.hpp"
#include "engine/loop/direct_receive.hpp"
#include "engine/loop/floors.hpp"
#include "engine/session/control/floods.hpp"

namespace nexusfix::engine {
namespace {

// While the length of a carried message is unknown, at least this number of bytes is appended to
// it: its BodyLength is within them, and surplus bytes cost only the copy.
constexpr std::size_t kCompletedBytesMin = 64;

}  // namespace

// All connections of the loop receive into one buffer. Views into it are valid until the callbacks
// that get them have returned.
void Inbound::on_readable(Connection& connection) {
  // The network reports only the end of a paused connection.
  if (connection.is_paused()) return on_paused_readable(connection);
  on_receive_result(connection,
                    loop_.network->receive(connection.socket_id(), receive_buffer_.span()));
}

Inbound::Direct Inbound::receive_from_one_of(std::size_t count) {
  const ConnectionTable& table = floors_.io.connections.table();
  // Each turn begins with another connection, so that a busy one does not keep the others waiting.
  first_asked_ = first_asked_ + 1 < count ? first_asked_ + 1 : 0;
  auto next = std::next(table.begin(), static_cast<std::ptrdiff_t>(first_asked_));
  const std::size_t before = receives_unasked_;
  for (std::size_t i = 0; i < count; ++i) {
    Connection& connection = *next->second;
    if (++next == table.end()) next = table.begin();
    if (connection.is_connecting() || connection.is_paused()) continue;
    ++receives_unasked_;
    const transport::IoResult result =
        loop_.network->receive(connection.socket_id(), receive_buffer_.span());
    if (result.status == transport::IoStatus::WouldBlock) [[likely]]
      continue;
    loop_.update_time();
    received_from_ = connection.socket_id();
    if (loop_.boundary.costs().is_measuring()) {
      measure(loop_, connection, [&] { on_direct_result(connection, result); });
    } else {
      on_direct_result(connection, result);
    }
    return Direct::Received;
  }
  if (receives_unasked_ == before) return Direct::NeedsWait;
  loop_.update_time();
  return Direct::Nothing;
}

// The network need not watch connections that each turn asks.
void Inbound::unwatch_connections(bool spins) noexcept {
  const ConnectionTable& table = floors_.io.connections.table();
  const bool asks_each = spins && table.size() <= kAskedMax;
  if (!asks_each && !has_unwatched_) return;
  for (const auto& [socket, connection] : table) {
    if (!connection->is_connecting()) loop_.network->unwatch(socket, asks_each);
  }
  has_unwatched_ = asks_each;
}

void Inbound::on_receive_result(Connection& connection, const transport::IoResult& result) {
  if (result.status == transport::IoStatus::Ok) {
    if (connection.entry() == nullptr) [[unlikely]] {
      on_bytes_unbound(connection, result.bytes);
    } else if (const std::string_view bytes{receive_buffer_.data(), result.bytes};
               !take_repeated(connection, bytes)) {
      on_bytes(connection, bytes);
    }
    // No bytes wait here or in the operating system: the next message is not delayed, and its
    // SendingTime shows its true age.
    const bool is_drained = result.bytes < receive_buffer_.size() && !connection.is_paused();
    if (is_drained && connection.entry() != nullptr) [[likely]]
      return connection.entry()->machine.set_delayed(false);
  }
  on_received(connection, result);
}

// Before a session is bound, the bytes are a Logon, which may contain a password.
[[gnu::noinline]] void Inbound::on_bytes_unbound(Connection& connection, std::size_t count) {
  const WipedAtEnd logon{receive_buffer_.span().first(count)};
  on_bytes(connection, {receive_buffer_.data(), count});
}

void Inbound::on_received(Connection& connection, const transport::IoResult& result) {
  if (connection.is_dead()) return;  // Closed by what it sent.
  switch (result.status) {
    case transport::IoStatus::Ok:
      if (connection.entry() == nullptr && !connection.framing().carried().empty() &&
          connection.framing().needed() > connection.accepted().logon_bytes_max) {
        floors_.io.connections.refuse(connection, EventId::LogonTooLong, kLogonTooLong);
      }
      break;
    case transport::IoStatus::WouldBlock:
      break;
    case transport::IoStatus::Closed:
      floors_.sessions.disconnector.close(
          connection, EventId::ConnectionClosedByCounterparty,
          connection.framing().carried().empty()
              ? "closed by the counterparty"
              : "closed by the counterparty in the middle of a message");
      break;
    case transport::IoStatus::Failed: {
      const std::string why = loop_.network->last_error(connection.socket_id());
      // A peer that connects and closes again is not reported; one that does not speak TLS is.
      if (connection.entry() == nullptr &&
          (result.error_number == EPROTO || result.error_number == ENOMEM)) {
        return floors_.io.connections.refuse(connection, EventId::HandshakeFailed, why);
      }
      floors_.sessions.disconnector.close(connection, EventId::ConnectionLost, why);
      break;
    }
  }
}

// Bytes are ignored after our last message, after a failure of the store, and during a migration.
bool Inbound::listens(const Connection& connection) const noexcept {
  return connection.listens() && !floors_.io.commit.has_failed();
}

// Most received bytes are one message, and like an earlier one. False: nothing was taken.
[[gnu::always_inline]] inline bool Inbound::take_repeated(Connection& connection,
                                                          std::string_view bytes) {
  if (!connection.framing().may_begin(bytes.size()) || !listens(connection)) return false;
  wire::FrameShape* const shape = loop_.parsers.inbound.find_shape(bytes);
  if (shape == nullptr) return take_whole(connection, bytes);
  const Receiving receiving{connection};
  take_one(connection, wire::MessageView{bytes, *shape}, bytes);
  return true;
}

// Most of the others are one message, too. False: nothing was taken.
[[gnu::noinline]] bool Inbound::take_whole(Connection& connection, std::string_view bytes) {
  const std::size_t size =
      wire::detail::ordinary_frame_size(bytes.data(), bytes.size(), bytes.size());
  if (size != bytes.size() || !connection.framing().is_sound()) return false;
  const auto message = loop_.parsers.inbound.parse(bytes);
  if (!message) [[unlikely]]
    return false;
  const Receiving receiving{connection};
  take_one(connection, *message, bytes);
  return true;
}

// The only message of the received bytes.
[[gnu::always_inline]] inline void Inbound::take_one(Connection& connection,
                                                     const wire::MessageView& message,
                                                     std::string_view bytes) {
  if (take_message(connection, *connection.entry(), message, bytes) == kMustWait) [[unlikely]] {
    connection.framing().set_needed(bytes.size());
    static_cast<void>(floors_.io.buffers.carry(connection, bytes));
  } else if (connection.is_migrating()) [[unlikely]] {
    floors_.directory.migration.migrate(connection, {});
  }
}

void Inbound::on_bytes(Connection& connection, std::string_view bytes) {
  const Receiving receiving{connection};
  if (!connection.framing().carried().empty()) [[unlikely]]
    bytes.remove_prefix(complete_carried(connection, bytes));
  while (!bytes.empty() && listens(connection)) {
    const wire::FrameResult frame = connection.framing().next(bytes);
    if (frame.status == wire::FrameStatus::NeedMore) {
      connection.framing().set_needed(frame.size);
      static_cast<void>(floors_.io.buffers.carry(connection, bytes));
      return;
    }
    const std::size_t taken = on_scanned(connection, frame, bytes);
    if (taken == kMustWait) [[unlikely]] {
      connection.framing().put_back(frame);
      connection.framing().set_needed(frame.size);
      static_cast<void>(floors_.io.buffers.carry(connection, bytes));
      return;
    }
    bytes.remove_prefix(taken);
  }
  if (connection.is_migrating()) [[unlikely]]
    floors_.directory.migration.migrate(connection, bytes);
}

// Completes the carried message with the beginning of `bytes`. Returns how many of them belong to
// it; the caller frames the rest in place.
std::size_t Inbound::complete_carried(Connection& connection, std::string_view bytes) {
  Framing& framing = connection.framing();
  CarriedBytes& carried = framing.carried();
  std::size_t taken = 0;
  while (!carried.empty()) {
    if (!listens(connection)) {
      carried.clear();
      return bytes.size();
    }
    if (carried.size() < framing.needed()) {
      const std::size_t wanted = std::max(framing.needed() - carried.size(), kCompletedBytesMin);
      const std::string_view next = bytes.substr(taken, wanted);
      if (!floors_.io.buffers.carry(connection, next)) return bytes.size();
      taken += next.size();
      if (carried.size() < framing.needed()) return taken;
    }
    const wire::FrameResult frame = framing.next(carried.view());
    framing.set_needed(frame.size);
    if (frame.status == wire::FrameStatus::NeedMore) continue;
    const std::size_t processed = on_scanned(connection, frame, carried.view());
    if (processed == kMustWait) {
      framing.put_back(frame);
      static_cast<void>(floors_.io.buffers.carry(connection, bytes.substr(taken)));
      return bytes.size();
    }
    framing.set_needed(0);
    const std::size_t left = carried.size() - processed;
    if (left <= taken) {
      carried.clear();
      return taken - left;
    }
    carried.drop_front(processed);  // After garbled bytes, the next message may begin in the rest.
  }
  return taken;
}

// frame: at the beginning of bytes.
inline std::size_t Inbound::on_scanned(Connection& connection, const wire::FrameResult& frame,
                                       std::string_view bytes) {
  const std::string_view framed{bytes.data(), frame.size};
  if (frame.status == wire::FrameStatus::Complete) [[likely]]
    return on_frame(connection, framed);
  if (frame.status == wire::FrameStatus::Garbled)
    on_garbled_frame(connection, frame.reason, framed);
  return frame.size;
}

// If the frame consists of several messages because its BodyLength is wrong, only the first one is
// processed.
std::size_t Inbound::on_frame(Connection& connection, std::string_view frame) {
  SessionEntry* const bound = connection.entry();
  if (bound == nullptr) [[unlikely]]
    return on_first_frame(connection, frame);
  const auto message = loop_.parsers.inbound.parse(frame);
  if (message) [[likely]]
    return on_message(connection, *bound, *message, frame);
  return on_unsound_frame(connection, message.error().reason, frame);
}

[[gnu::noinline]] std::size_t Inbound::on_unsound_frame(Connection& connection,
                                                        wire::GarbledReason reason,
                                                        std::string_view frame) {
  const std::size_t whole = frame.size();
  const auto repaired = parse_repaired(connection, reason, frame);
  if (!repaired) {
    on_garbled_frame(connection, reason, frame);
    return whole;
  }
  const std::size_t taken = on_message(connection, *connection.entry(), *repaired, frame);
  if (taken != kMustWait) connection.framing().set_unsound(whole - taken);
  return taken;
}

[[gnu::noinline]] std::size_t Inbound::on_message(Connection& connection, SessionEntry& entry,
                                                  const wire::MessageView& message,
                                                  std::string_view frame) {
  return take_message(connection, entry, message, frame);
}

[[gnu::always_inline]] inline std::size_t Inbound::take_message(Connection& connection,
                                                                SessionEntry& entry,
                                                                const wire::MessageView& message,
                                                                std::string_view frame) {
  // A session without a throttle, as most are, does not pay for the call.
  if (entry.limits.throttle.is_set() && must_wait(connection, message)) [[unlikely]]
    return kMustWait;
  count(frame);
  pass_on(connection, entry, message, frame);
  return frame.size();
}

// No Logon was received yet.
[[gnu::noinline]] std::size_t Inbound::on_first_frame(Connection& connection,
                                                      std::string_view frame) {
  if (floors_.directory.changes.has_waiting()) [[unlikely]]
    floors_.directory.changes
        .apply_next_settings();  // Also if their connection has ended in this turn.
  if (frame.size() > connection.accepted().logon_bytes_max) [[unlikely]] {
    loop_.report.logs().unknown(frame, /*is_message=*/false, loop_.now().wall);
    floors_.io.connections.refuse(connection, EventId::LogonTooLong, kLogonTooLong);
    return frame.size();
  }
  const std::size_t whole = frame.size();
  auto message = loop_.parsers.inbound.parse(frame);
  if (!message) [[unlikely]] {
    const wire::GarbledReason reason = message.error().reason;
    message = parse_repaired(connection, reason, frame);
    if (!message) {
      on_garbled_frame(connection, reason, frame);
      return frame.size();
    }
  }
  if (must_wait(connection, *message)) return kMustWait;
  connection.framing().set_unsound(whole - frame.size());
  count(frame);
  if (!floors_.policy.admission.bind(connection, *message)) {
    if (!connection.is_migrating()) {  // the other loop logs it
      loop_.report.logs().unknown(frame, /*is_message=*/true, loop_.now().wall);
    }
    return frame.size();
  }
  pass_on(connection, *connection.entry(), *message, frame);
  return frame.size();
}

[[gnu::always_inline]] inline void Inbound::count(std::string_view frame) noexcept {
  LoopContext& loop = loop_;  // read once: a counter could be it, as far as a compiler knows
  ++loop.stats.messages_in;
  loop.stats.bytes_in += frame.size();
}

// A message that has waited, with its Logon, is as late as it was when it came.
[[gnu::noinline]] void Inbound::excuse_wait(const Connection& connection, SessionEntry& entry,
                                            const wire::MessageView& message) {
  const WallTime came = loop_.now().wall - connection.waited(loop_.now().mono);
  const auto sending_time = message.get<WallTime>(tag::SendingTime);
  const auto latency_max = entry.settings().session.header.max_latency;
  entry.machine.set_delayed(sending_time && *sending_time >= came - latency_max);
}

// To the session.
[[gnu::always_inline]] inline void Inbound::pass_on(Connection& connection, SessionEntry& entry,
                                                    const wire::MessageView& message,
                                                    std::string_view frame) {
  LoopContext& loop = loop_;
  const PackedMsgType msg_type = pack(message.msg_type());
  entry.counters->on_received(msg_type, frame.size(), loop.now().wall);
  if (is_noted(msg_type)) [[unlikely]] {
    count_received(message, msg_type, loop.now().mono, *entry.counters, loop.stats);
    if (msg_type != kPackedBusinessReject) count_administrative(loop, entry, message, msg_type);
  }
  if (connection.has_waited()) [[unlikely]]
    excuse_wait(connection, entry, message);
  if (loop.report.logs().is_open_for_messages() || entry.stored.is_on_trial()) [[unlikely]]
    floors_.sessions.dynamic.log_received(entry, frame);
  floors_.sessions.transactor.transact(entry, message, msg_type);
  floors_.sessions.out_of_order.deliver_in_sequence(entry);
}

// ValidateLengthAndChecksum=N: accepts what QuickFIX accepts. The code after it sees a message with
// the right BodyLength and CheckSum; the message log has the received bytes.
std::expected<wire::MessageView, wire::ParseError> Inbound::parse_repaired(
    const Connection& connection, wire::GarbledReason reason, std::string_view& frame) {
  using enum wire::GarbledReason;
  const std::unexpected failure{wire::ParseError{reason, 0}};
  const bool is_unsound =
      reason == BodyLengthWrong || reason == CheckSumWrong || reason == CheckSumMalformed;
  const bool is_of_another = loop_.shared.directory && connection.entry() == nullptr;
  const bool is_taken =
      loop_.parsers.takes_unsound || (is_of_another && loop_.shared.directory->takes_unsound());
  if (!is_unsound || !is_taken) return failure;
  const auto repair = [&](const SessionSettings* settings) {
    const bool takes_any_length = settings == nullptr || !settings->validates_length;
    const std::string_view first =
        takes_any_length ? frame.substr(0, first_message_size(frame)) : frame;
    wipe_bytes(repaired_);  // It may have been a Logon with a password.
    repaired_ =
        repaired_frame(first, takes_any_length ? BodyLengthRule::Any : BodyLengthRule::Right);
    auto message = loop_.parsers.inbound.parse(repaired_);
    if (message) frame = first;
    return message;
  };
  if (connection.entry() != nullptr) {
    const SessionSettings& settings = connection.entry()->settings();
    if (settings.validates_check_sum) return failure;
    return repair(&settings);
  }
  // A Logon is repaired by the rules of the session that it names. If that is on another loop, that
  // loop checks them.
  const std::string_view whole = frame;
  auto logon = repair(nullptr);
  if (!logon) return failure;
  const SessionSettings* const settings =
      floors_.policy.admission.acceptor_settings(connection, *logon);
  if (settings == nullptr && loop_.shared.directory) return logon;
  if (settings != nullptr && !settings->validates_check_sum) {
    if (!settings->validates_length) return logon;
    frame = whole;
    return repair(settings);
  }
  frame = whole;
  return failure;
}

// ThrottleAction=Delay: the loop stops reading, the counterparty's send buffer fills up, and it
// slows down. Received bytes stay in `carried` like an incomplete message.
bool Inbound::must_wait(Connection& connection, const wire::MessageView& message) {
  if (connection.entry() == nullptr) {
    return floors_.policy.admission.delays_logon(connection, message) ||
           floors_.policy.admission.waits_for_credentials(connection, message);
  }
  if (connection.has_throttle_ended()) return false;
  SessionEntry& entry = *connection.entry();
  if (!entry.limits.throttle.is_set() ||
      entry.settings().throttle.action != ThrottleAction::Delay ||
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

void Inbound::resume(Connection& connection) {
  const bool is_logon = connection.entry() == nullptr;
  connection.end_pause();
  loop_.network->pause(connection.socket_id(), false);
  on_bytes(connection, {});
  if (!is_logon) return;
  wipe_traces();
  if (connection.entry() == nullptr) return;  // It has ended, or its Logon waits again.
  connection.end_wait();
  if (!connection.is_paused()) connection.entry()->machine.set_delayed(false);
}

void Inbound::on_paused_readable(Connection& connection) {
  const transport::IoResult result =
      loop_.network->receive(connection.socket_id(), receive_buffer_.span());
  if (result.status == transport::IoStatus::Ok) {
    if (connection.entry() == nullptr)
      return floors_.io.connections.drop(connection);  // It has ended: no peer waits for an answer.
    static_cast<void>(floors_.io.buffers.carry(connection, {receive_buffer_.data(), result.bytes}));
  } else if (result.status != transport::IoStatus::WouldBlock) {
    drain_delayed(connection);
  }
  on_received(connection, result);
}

// At the end of a connection: processes the bytes that were received before, in spite of the
// throttle.
void Inbound::drain_delayed(Connection& connection) {
  if (!connection.is_paused()) return;
  connection.end_pause();
  if (connection.entry() == nullptr) return;  // Its delayed Logon is dropped.
  connection.end_throttle();
  on_bytes(connection, {});
}

void Inbound::on_garbled_frame(Connection& connection, wire::GarbledReason reason,
                               std::string_view bytes) {
  ++loop_.stats.garbled;
  if (connection.entry() == nullptr) {
    loop_.report.logs().unknown(bytes, /*is_message=*/false, loop_.now().wall);
    floors_.io.connections.refuse(
        connection, EventId::NotFix,
        "what came first is no FIX message: " + std::string{to_string(reason)});
    return;
  }
  SessionEntry& entry = *connection.entry();
  ++entry.counters->garbled;
  loop_.report.logs().garbled(entry.stored.log(), bytes, loop_.now().wall);
  floors_.sessions.transactor.transact(
      entry, [&](session::StateMachine& machine) { machine.on_garbled(reason, loop_.now()); });
  const std::uint32_t count_max = entry.settings().limits.garbled_per_second_max;
  if (connection.rates().garbled.allow(loop_.now().mono, count_max) || connection.is_dead()) return;
  floors_.sessions.disconnector.close(connection, EventId::GarbledFlood,
                                      "disconnecting: more than " + std::to_string(count_max) +
                                          " garbled messages within a second");
}

}  // namespace nexusfix::engine
