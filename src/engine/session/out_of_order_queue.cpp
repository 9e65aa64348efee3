// Passes held messages to the state machine in sequence, as soon as the missing ones before them
// have come.
#include "engine/session/out_of_order_queue.hpp"

#include <string>
#include <utility>

#include <nexusfix/base/assert.hpp>

#include "engine/session/held_messages.hpp"
#include "engine/session/transactor.hpp"

namespace nexusfix::engine {
namespace {

// Whether a ResendRequest ends before the first held message.
bool asks_for_one_gap(const session::SessionConfig& config) noexcept {
  return config.gap.closed_resend_requests.value_or(true) || config.gap.resend_request_chunk != 0;
}

}  // namespace

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

}  // namespace nexusfix::engine
