#include "control/api/counters.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace nexusfix::engine {

std::string unpack(PackedMsgType msg_type) {
  std::string text;
  for (; msg_type != 0; msg_type >>= 8U) text += static_cast<char>(msg_type & 0xFFU);
  return text;
}

MessageTypeCounters::Slot& MessageTypeCounters::slot_of(PackedMsgType msg_type) noexcept {
  if (msg_type == 0) return slots_[kOther];
  for (std::size_t i = kOther + 1; i < kSlots; ++i) {
    Slot& slot = slots_[i];
    if (slot.msg_type.read() == 0) slot.msg_type.set(msg_type);
    if (slot.msg_type.read() == msg_type) return slot;
  }
  return slots_[kOther];
}

std::uint64_t MessageTypeCounters::all() const noexcept {
  std::uint64_t all = 0;
  for (const Slot& slot : slots_) all += slot.count.read();
  return all;
}

std::uint64_t MessageTypeCounters::of(PackedMsgType msg_type) const noexcept {
  for (const Slot& slot : slots_) {
    if (slot.msg_type.read() == msg_type) return slot.count.read();
  }
  return 0;
}

std::vector<SessionStatistics::MessageCount> MessageTypeCounters::read() const {
  std::vector<SessionStatistics::MessageCount> counts;
  for (const Slot& slot : slots_) {
    const PackedMsgType msg_type = slot.msg_type.read();
    const std::uint64_t count = slot.count.read();
    if (msg_type != 0 && count != 0) counts.push_back({unpack(msg_type), count});
  }
  std::ranges::sort(counts, {}, &SessionStatistics::MessageCount::msg_type);
  if (const std::uint64_t count = slots_[kOther].count.read(); count != 0) {
    counts.push_back({"other", count});
  }
  return counts;
}

void RejectCounters::count(RejectKind kind, std::optional<std::uint32_t> reason) noexcept {
  std::size_t index = kUndefined;
  if (reason && *reason < kReasons) index = *reason;
  if (reason == kOtherReason) index = kOther;
  ++kinds_[std::to_underlying(kind)][index];
}

std::vector<SessionStatistics::RejectCount> RejectCounters::read() const {
  std::vector<SessionStatistics::RejectCount> counts;
  for (const RejectKind kind : {RejectKind::Session, RejectKind::Business}) {
    for (std::size_t i = 0; i <= kUndefined; ++i) {
      const std::uint64_t count = kinds_[std::to_underlying(kind)][i].read();
      if (count == 0) continue;
      std::optional<std::uint32_t> reason;
      if (i < kReasons) reason = static_cast<std::uint32_t>(i);
      if (i == kOther) reason = kOtherReason;
      counts.push_back(
          {.is_business = kind == RejectKind::Business, .reason = reason, .count = count});
    }
  }
  return counts;
}

namespace {

constexpr std::string_view kResendRequest = "2";

SessionStatistics::Direction read_direction(const SessionCounters::Direction& direction,
                                            std::uint64_t messages) {
  return {
      .messages = messages, .bytes = direction.bytes.read(), .last_at = direction.last_at.if_set()};
}

template <class Figures>
auto read_if_made(const MadeOnce<Figures>& figures) {
  const Figures* const made = figures.read();
  return made != nullptr ? made->read() : decltype(made->read()){};
}

}  // namespace

std::uint64_t SessionCounters::messages_in() const noexcept {
  const SessionDetails* const made = details.read();
  return made == nullptr ? 0 : made->types_in.all();
}

std::uint64_t SessionCounters::messages_out() const noexcept {
  const SessionDetails* const made = details.read();
  return made == nullptr ? 0 : made->types_out.all() + resent.read();
}

SessionStatistics SessionCounters::read_totals() const {
  const PublishedState now = state.read();
  return {.name = name,
          .loop = loop,
          .is_initiator = is_initiator,
          .state = now.state,
          .since = since.read(),
          .logon_changed_at = logon_changed_at.if_set(),
          .is_expected = now.is_expected,
          .why = why.read(),
          .failures_in_a_row = failures_in_a_row.read(),
          .next = {.next_inbound = in.next.read(), .next_outbound = out.next.read()},
          .in = read_direction(in, messages_in()),
          .out = read_direction(out, messages_out()),
          .logons = logons.read(),
          .logon_failures = logon_failures.read(),
          .connect_failures = connect_failures.read(),
          .disconnects = disconnects.read(),
          .gaps = gaps.read(),
          .resent = resent.read(),
          .garbled = garbled.read(),
          .out_of_order_discarded = out_of_order_discarded.read(),
          .unsent_bytes = unsent_bytes.read(),
          .unsent_since = unsent_since.if_set(),
          .queued_messages = queued_messages.read(),
          .queued_since = queued_since.if_set()};
}

SessionStatistics SessionCounters::read() const {
  SessionStatistics figures = read_totals();
  if (const SessionDetails* const made = details.read()) {
    figures.in.by_type = made->types_in.read();
    figures.out.by_type = made->types_out.read();
    figures.in.resend_requests = made->types_in.of(pack(kResendRequest));
    figures.out.resend_requests = made->types_out.of(pack(kResendRequest));
    figures.in.rejects = read_if_made(made->rejects_in);
    figures.out.rejects = read_if_made(made->rejects_out);
    figures.receive_to_sent = read_if_made(made->receive_to_sent);
  }
  figures.test_request_round_trip = read_if_made(test_request_round_trip);
  return figures;
}

namespace {

// Two positions may be of different moments.
std::uint64_t lag(std::uint64_t ahead, std::uint64_t after) noexcept {
  return ahead > after ? ahead - after : 0;
}

}  // namespace

LoopStatistics LoopCounters::read(std::uint32_t index, const Now& now) const {
  LoopStatistics figures{.index = index,
                         .messages_in = messages_in.read(),
                         .messages_out = messages_out.read(),
                         .bytes_in = bytes_in.read(),
                         .bytes_out = bytes_out.read(),
                         .garbled = garbled.read(),
                         .connections_refused = connections_refused.read(),
                         .out_of_order_discarded = out_of_order_discarded.read(),
                         .connections = connections.read(),
                         .turns = turns.read(),
                         .is_running = is_running.read(),
                         .late_turns = late_turns.read(),
                         .posted_tasks = posted_tasks.read(),
                         .waiting_tasks = waiting_tasks.count.read(),
                         .tasks_wait_since = waiting_tasks.since.if_set(),
                         .wire_to_callback = wire_to_callback.read(),
                         .receive_to_callback = receive_to_callback.read(),
                         .callback_to_sent = callback_to_sent.read(),
                         .receive_to_sent = receive_to_sent.read(),
                         .test_request_round_trip = test_request_round_trip.read()};
  if (const std::int64_t turned = turned_at_ns.read(); turned != 0) {
    const MonoTime turned_at{std::chrono::nanoseconds{turned}};
    figures.turned_at = now.wall - (now.mono - std::min(turned_at, now.mono));
  }
  const std::uint64_t synced = store.synced.read();
  const std::uint64_t durable = store.durable.read();
  const std::uint64_t appended = store.appended.read();
  figures.store = {.health = store.health.read(),
                   .appended_bytes = appended,
                   .undurable_bytes = lag(appended, durable),
                   .unsynced_bytes = lag(appended, synced),
                   .unsynced_since = store.unsynced_since.if_set()};
  return figures;
}

}  // namespace nexusfix::engine
