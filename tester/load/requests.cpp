#include "tester/load/requests.hpp"

#include <algorithm>
#include <utility>

namespace nexusfix::tester {
namespace {

// A TestRequest that an engine has gap-filled over is sent again after this time.
constexpr std::chrono::seconds kProbeAgain{1};
constexpr std::chrono::milliseconds kLook{1};

}  // namespace

std::optional<Requests> Requests::make(Counterparty& peer, RequestKind kind) {
  const bool is_order = kind == RequestKind::Order;
  auto message = is_order ? peer.message("<order>", "11") : peer.message("35=1|112=X", "112");
  if (!message) return std::nullopt;
  return Requests{kind, std::move(*message)};
}

std::optional<std::uint64_t> Requests::answered_by(const Received& received) const {
  const std::string_view type = kind_ == RequestKind::Order ? "8" : "0";
  if (received.type != type) return std::nullopt;
  const auto value = received.value(message_.tag());
  return value ? message_.count_in(*value) : std::nullopt;
}

bool Requests::are_answered(Counterparty& peer) {
  if (!peer.send(message_, 0, Delivery::Sent)) return false;
  const MonoTime end = peer.deadline();
  while (const Received* const received = peer.next(end)) {
    const bool is_rejected = received->type == "3" || received->type == "j";
    if (is_rejected && kind_ == RequestKind::Order) {
      return peer.skip("the engine rejects the order of the part definitions: " +
                       std::string{received->value("58").value_or("no Text")} +
                       "; --set order=... is another one");
    }
    if (answered_by(*received)) return true;
  }
  if (peer.is_over() || kind_ == RequestKind::TestRequest) {
    return peer.fail("the TestRequest is not answered", "35=0");
  }
  return peer.skip("the engine answers no order of the part definitions");
}

bool probe(Counterparty& peer, Requests& probes, std::uint64_t& count,
           const OnMessage& on_message) {
  const std::uint64_t first = count + 1;
  const MonoTime end = peer.deadline();
  while (peer.now() < end) {
    if (!peer.send(probes.message(), ++count, Delivery::Sent)) return false;
    const MonoTime again = std::min(end, peer.now() + kProbeAgain);
    while (const Received* const received = peer.next(again)) {
      const auto answered = probes.answered_by(*received);
      if (answered && *answered >= first) return true;
      if (!answered && on_message && !on_message(*received)) return false;
    }
    if (peer.is_over()) return false;
  }
  return peer.fail("no TestRequest is answered", "35=0");
}

std::optional<MonoTime> fill_gap(Counterparty& peer, const Gap& gap, Requests& probes,
                                 std::uint64_t& probe_count, const OnMessage& on_message) {
  for (std::uint64_t i = 0; i < gap.messages; ++i) {
    if (!peer.send(gap.lost.message(), gap.first_count + i, Delivery::Lost)) return std::nullopt;
  }
  const std::uint64_t last = peer.next_out() - 1;
  const MonoTime begin = peer.now();
  if (!peer.send(probes.message(), ++probe_count, Delivery::Sent)) return std::nullopt;
  const MonoTime end = peer.deadline();
  while (peer.resent_to() < last) {
    // A ResendRequest is answered within next(), which then waits: look often.
    const Received* const received = peer.next(std::min(end, peer.now() + kLook));
    if (peer.is_over()) return std::nullopt;
    if (received == nullptr && peer.now() >= end) {
      peer.fail("the gap is not requested again", "35=2");
      return std::nullopt;
    }
    if (received == nullptr || probes.answered_by(*received)) continue;
    if (on_message && !on_message(*received)) return std::nullopt;
  }
  if (!probe(peer, probes, probe_count, on_message)) return std::nullopt;
  return begin;
}

}  // namespace nexusfix::tester
