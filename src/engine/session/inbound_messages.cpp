#include "engine/session/inbound_messages.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/base/language.hpp>
#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/field.hpp>

#include "engine/ground/statistics/session_state.hpp"
#include "engine/link/io.hpp"
#include "engine/session/pass_message.hpp"
#include "engine/session/transactor.hpp"

namespace nexusfix::engine {
namespace {

// The most bytes that are kept of a counterparty whose Logon is not decided.
constexpr std::size_t kHeldUndecidedBytesMax = 64U << 10U;
// For a message that was parsed: its third field is MsgType.
bool is_application(std::string_view bytes) noexcept {
  constexpr std::string_view kTag = "35=";
  std::size_t begin = 0;
  for (int field = 0; field < 2; ++field) begin = bytes.find(wire::kSoh, begin) + 1;
  const std::string_view rest = bytes.substr(begin + kTag.size());
  return !session::is_administrative(rest.substr(0, rest.find(wire::kSoh)));
}

// Numbers in ascending order, as ranges: "23 to 29, 31". Shows at most kShownMax ranges.
class Ranges {
 public:
  void add(std::uint64_t number) {
    if (count_++ != 0 && number == last_ + 1) {
      last_ = number;
      return;
    }
    flush();
    first_ = last_ = number;
  }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::string text() {
    flush();
    if (left_out_ != 0) text_ += " and " + std::to_string(left_out_) + " ranges more";
    return std::exchange(text_, {});
  }

 private:
  static constexpr unsigned kShownMax = 16;

  void flush() {
    if (first_ == 0) return;
    if (shown_ == kShownMax) {
      ++left_out_;
    } else {
      ++shown_;
      text_ += text_.empty() ? "" : ", ";
      text_ += std::to_string(first_);
      if (last_ != first_) text_ += " to " + std::to_string(last_);
    }
    first_ = 0;
  }

  std::string text_;
  std::uint64_t first_ = 0;  // of the range that is not in the text yet; 0: none
  std::uint64_t last_ = 0;
  std::uint64_t count_ = 0;
  unsigned shown_ = 0;
  std::uint64_t left_out_ = 0;
};

// Whether a ResendRequest ends before the first held message.
bool asks_for_one_gap(const session::SessionConfig& config) noexcept {
  return config.gap.closed_resend_requests || config.gap.resend_request_chunk != 0;
}

}  // namespace

void HeldMessages::perform(SessionEntry& entry, const session::BufferOutOfOrder& action) {
  if (entry.out_of_order.messages_.contains(action.msg_seq_num)) return;
  const std::size_t bytes = action.bytes.size() + OutOfOrderMessages::kOverheadBytes;
  const bool is_undecided = entry.machine.state() == session::State::LogonReceived;
  if (entry.out_of_order.bytes_ + bytes >
      (is_undecided ? kHeldUndecidedBytesMax : entry.settings().limits.out_of_order_bytes_max)) {
    entry.out_of_order.dropped_high_ =
        std::max(entry.out_of_order.dropped_high_, action.msg_seq_num);
    loop_.report.peer(EventId::EarlyMessageDropped, entry,
                      "too much arrived early (a quarter of MaxQueuedBytes): MsgSeqNum " +
                          std::to_string(action.msg_seq_num) +
                          " is dropped and will be requested again");
    return;
  }
  if (entry.connection() != nullptr && !buffers_.may_grow(*entry.connection(), bytes, bytes))
    return;
  entry.out_of_order.messages_.try_emplace(action.msg_seq_num, action.bytes);
  entry.out_of_order.bytes_ += bytes;
  if (is_undecided) entry.out_of_order.arrived_undecided_ = true;
}

void HeldMessages::perform(SessionEntry& entry, const session::DiscardOutOfOrder& action) {
  discard(entry, action.begin, action.end, "the counterparty's SequenceReset passes over them");
}

// Discards the held messages with these MsgSeqNums, both inclusive. Administrative ones mean
// nothing any more; lost application messages are reported and counted.
void HeldMessages::discard(SessionEntry& entry, std::uint64_t begin, std::uint64_t end,
                           std::string_view why) {
  Ranges lost;
  Ranges administrative;
  auto next = entry.out_of_order.messages_.lower_bound(begin);
  while (next != entry.out_of_order.messages_.end() && next->first <= end) {
    (is_application(next->second) ? lost : administrative).add(next->first);
    entry.out_of_order.bytes_ -= next->second.size() + OutOfOrderMessages::kOverheadBytes;
    next = entry.out_of_order.messages_.erase(next);
  }
  if (administrative.count() != 0) {
    loop_.report.peer(EventId::HeldAdministrativeDropped, entry,
                      "held administrative messages are dropped: MsgSeqNum " +
                          administrative.text() + ": " + std::string{why});
  }
  if (lost.count() == 0) return;
  loop_.stats.out_of_order_discarded += lost.count();
  entry.counters->out_of_order_discarded += lost.count();
  entry.out_of_order.discarded_ += lost.count();
  loop_.report.peer(EventId::HeldMessagesDiscarded, entry,
                    std::to_string(lost.count()) +
                        (lost.count() == 1 ? " held message is" : " held messages are") +
                        " discarded and never delivered: MsgSeqNum " + lost.text() + ": " +
                        std::string{why} + " (" + std::to_string(entry.out_of_order.discarded_) +
                        " of this session since the start)");
}

// While a Logon waits for its decision, the state machine would buffer each of these messages
// again, in an endless loop.
void OutOfOrderQueue::deliver_waiting(SessionEntry& entry) {
  if (entry.machine.state() == session::State::LogonReceived) return;
  entry.out_of_order.arrived_undecided_ = false;
  do {
    deliver_due(entry);
  } while (request_dropped(entry));
}

void OutOfOrderQueue::deliver_due(SessionEntry& entry) {
  while (!entry.out_of_order.messages_.empty()) {
    const auto first = entry.out_of_order.messages_.begin();
    const std::uint64_t expected = entry.machine.sequence_numbers().next_inbound;
    if (first->first > expected) break;
    const std::string bytes = std::move(first->second);
    const bool due = first->first == expected;
    entry.out_of_order.bytes_ -= bytes.size() + OutOfOrderMessages::kOverheadBytes;
    entry.out_of_order.messages_.erase(first);
    if (!due) continue;  // It came again in the meantime.
    const auto message = loop_.parsers.inbound.parse(bytes);
    NEXUSFIX_ASSERT(message.has_value());  // It was parsed when it came.
    transactor_.transact(entry, *message, pack(message->msg_type()));
  }
}

// A dropped message would be noticed only at the next message, which may come late. So would a
// second gap, between held messages, that the request for the first one did not cover. This
// requests both now; a gap that was requested is not requested again. True: the expected MsgSeqNum
// has changed.
bool OutOfOrderQueue::request_dropped(SessionEntry& entry) {
  const std::uint64_t expected = entry.machine.sequence_numbers().next_inbound;
  if (expected > entry.out_of_order.dropped_high_) entry.out_of_order.dropped_high_ = 0;
  const bool may_have_gap =
      !entry.out_of_order.messages_.empty() && asks_for_one_gap(entry.settings().session);
  if (entry.out_of_order.dropped_high_ == 0 && !may_have_gap) return false;
  const std::uint64_t first =
      entry.out_of_order.messages_.empty() ? 0 : entry.out_of_order.messages_.begin()->first;
  transactor_.transact(entry, [&](session::StateMachine& machine) {
    machine.on_out_of_order_lost(first, entry.out_of_order.dropped_high_, loop_.now());
  });
  return entry.machine.sequence_numbers().next_inbound > expected;
}

namespace {

// After the actions of this event, sends a Logout with the reason, and disconnects without waiting
// for the counterparty's Logout. The event is not rate-limited, because there is only one for each
// connection.
void disconnect_flooder(LoopContext& loop, SessionEntry& entry, const std::string& why) {
  if (entry.machine.state() != session::State::LoggedOn ||
      entry.commands.has(SessionCommands::Kind::Disconnect)) {
    return;
  }
  loop.report.session(EventId::MessageFlood, entry, "disconnecting: " + why);
  entry.commands.add(SessionCommands::Kind::LogOut, why);
  entry.commands.add(SessionCommands::Kind::Disconnect, why);
}

}  // namespace

// SequenceReset is not counted: a resend contains one for each gap that it fills.
void count_administrative(LoopContext& loop, SessionEntry& entry, const wire::MessageView& message,
                          PackedMsgType msg_type) {
  if (loop.round_trips.is_waiting() && msg_type == kPackedHeartbeat) [[unlikely]] {
    loop.round_trips.on_heartbeat(entry, message[tag::TestReqID].value_or(""), loop.now().mono);
  }
  if (msg_type == kPackedSequenceReset) return;
  const std::uint32_t count_max = entry.settings().limits.admin_messages_per_second_max;
  if (entry.connection()->rates().administrative.allow(loop.now().mono, count_max)) [[likely]]
    return;
  disconnect_flooder(
      loop, entry,
      "more than " + std::to_string(count_max) + " administrative messages within a second");
}

void count_reject(LoopContext& loop, SessionEntry& entry) {
  if (entry.connection() == nullptr) return;
  const std::uint32_t count_max = entry.settings().limits.rejects_per_second_max;
  if (entry.connection()->rates().rejects.allow(loop.now().mono, count_max)) return;
  disconnect_flooder(
      loop, entry,
      "more than " + std::to_string(count_max) + " messages had to be rejected within a second");
}

[[gnu::noinline]] std::size_t InboundMessages::on_message(Connection& connection,
                                                          SessionEntry& entry,
                                                          const wire::MessageView& message,
                                                          std::string_view frame) {
  return pass(connection, entry, message, frame) ? kMustWait : frame.size();
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
