// Messages that came too early: kept until what is missing before them has come, given to the state
// machine in their turn, discarded if the counterparty passes over them.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/session/version.hpp>

#include "engine/loop/runtime.hpp"

namespace nexusfix::engine {
namespace {

// Messages kept of a counterparty whose Logon is not decided on.
constexpr std::size_t kHeldUndecidedBytesMax = 64U << 10U;
// What a kept message costs beside its bytes.
constexpr std::size_t kHeldOverheadBytes = 128;

// Of a message that has been parsed: its third field is the MsgType.
bool is_application(std::string_view bytes) noexcept {
  constexpr std::string_view kTag = "35=";
  std::size_t begin = 0;
  for (int field = 0; field < 2; ++field) begin = bytes.find(wire::kSoh, begin) + 1;
  const std::string_view rest = bytes.substr(begin + kTag.size());
  return !session::is_administrative(rest.substr(0, rest.find(wire::kSoh)));
}

// Whether a ResendRequest ends before the first held message.
bool asks_for_one_gap(const session::SessionConfig& config) noexcept {
  return config.gap.closed_resend_requests.value_or(true) || config.gap.resend_request_chunk != 0;
}

// Numbers in ascending order, as ranges: "23 to 29, 31". Of many ranges the first ones.
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
  std::uint64_t first_ = 0;  // of the range that is not written yet; 0: none
  std::uint64_t last_ = 0;
  std::uint64_t count_ = 0;
  unsigned shown_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace

// As long as a Logon waits for its decision, the machine would have each of them held again,
// without an end.
void Runtime::feed_held(SessionSlot& slot) {
  if (slot.held.empty() && slot.held_lost_high == 0) [[likely]]
    return;
  if (slot.machine.state() == session::State::LogonReceived) return;
  slot.holds_undecided = false;
  do {
    feed_due(slot);
  } while (ask_for_held_lost(slot));
}

void Runtime::feed_due(SessionSlot& slot) {
  while (!slot.held.empty()) {
    const auto first = slot.held.begin();
    const std::uint64_t expected = slot.machine.sequence_numbers().next_inbound;
    if (first->first > expected) break;
    const std::string bytes = std::move(first->second);
    const bool due = first->first == expected;
    slot.held_bytes -= bytes.size() + kHeldOverheadBytes;
    slot.held.erase(first);
    if (!due) continue;  // It came again in the meantime.
    const auto message = parser_.parse(bytes);
    NEXUSFIX_ASSERT(message.has_value());  // It parsed when it came.
    transact(slot, [&](session::StateMachine& machine) { machine.on_message(*message, now_); });
  }
}

// What there was no room for shows again only with the next message, which may be long in coming.
// So does a second gap, between messages that are held, if the request for the first one did not
// cover it. A gap that is open has been asked for. True: the expected number has moved.
bool Runtime::ask_for_held_lost(SessionSlot& slot) {
  const std::uint64_t expected = slot.machine.sequence_numbers().next_inbound;
  if (expected > slot.held_lost_high) slot.held_lost_high = 0;
  const bool may_have_gap = !slot.held.empty() && asks_for_one_gap(slot.settings.session);
  if (slot.held_lost_high == 0 && !may_have_gap) return false;
  const std::uint64_t first = slot.held.empty() ? 0 : slot.held.begin()->first;
  transact(slot,
           [&](session::StateMachine& machine) { machine.on_out_of_order_lost(first, now_); });
  return slot.machine.sequence_numbers().next_inbound > expected;
}

void Runtime::forget_held(SessionSlot& slot) noexcept {
  slot.held.clear();
  slot.held_bytes = 0;
  slot.held_lost_high = 0;
  slot.holds_undecided = false;
}

void Runtime::perform(SessionSlot& slot, const session::BufferOutOfOrder& action) {
  if (slot.held.contains(action.msg_seq_num)) return;
  const std::size_t bytes = action.bytes.size() + kHeldOverheadBytes;
  const bool is_undecided = slot.machine.state() == session::State::LogonReceived;
  if (slot.held_bytes + bytes >
      (is_undecided ? kHeldUndecidedBytesMax : slot.settings.limits.out_of_order_bytes_max)) {
    slot.held_lost_high = std::max(slot.held_lost_high, action.msg_seq_num);
    report_.peer(EventId::EarlyMessageDropped, slot,
                 "too much arrived early (MaxHeldBytes): MsgSeqNum " +
                     std::to_string(action.msg_seq_num) +
                     " is dropped and will be requested again");
    return;
  }
  if (slot.connection != nullptr && !may_grow(*slot.connection, bytes, bytes)) return;
  slot.held.try_emplace(action.msg_seq_num, action.bytes);
  slot.held_bytes += bytes;
  if (is_undecided) slot.holds_undecided = true;
}

void Runtime::perform(SessionSlot& slot, const session::DiscardOutOfOrder& action) {
  discard_held(slot, action.begin, action.end, "the counterparty's SequenceReset passes over them");
}

// Of the held messages of these numbers, both inclusive, none will be processed. Administrative
// ones mean nothing any more; a lost application message is for people to know.
void Runtime::discard_held(SessionSlot& slot, std::uint64_t begin, std::uint64_t end,
                           std::string_view why) {
  Ranges lost;
  Ranges administrative;
  auto next = slot.held.lower_bound(begin);
  while (next != slot.held.end() && next->first <= end) {
    (is_application(next->second) ? lost : administrative).add(next->first);
    slot.held_bytes -= next->second.size() + kHeldOverheadBytes;
    next = slot.held.erase(next);
  }
  if (administrative.count() != 0) {
    report_.peer(EventId::HeldAdministrativeDropped, slot,
                 "held administrative messages are dropped: MsgSeqNum " + administrative.text() +
                     ": " + std::string{why});
  }
  if (lost.count() == 0) return;
  stats_.held_discarded += lost.count();
  slot.held_discarded += lost.count();
  report_.peer(EventId::HeldMessagesDiscarded, slot,
               std::to_string(lost.count()) +
                   (lost.count() == 1 ? " held message is" : " held messages are") +
                   " discarded and never delivered: MsgSeqNum " + lost.text() + ": " +
                   std::string{why} + " (" + std::to_string(slot.held_discarded) +
                   " of this session since the start)");
}

}  // namespace nexusfix::engine
