#include "engine/ground/statistics/session_counters.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::string_view kResendRequest = "2";

DirectionStatistics read_direction(const SessionCounters::Direction& direction,
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

SessionStatistics SessionCounters::read() const {
  const PublishedState now = state.read();
  SessionStatistics figures{
      .name = name,
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
      .unsent_since = unsent_since.if_set()};
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

}  // namespace nexusfix::engine
