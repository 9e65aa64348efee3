// The two kinds of messages that an engine answers one by one: TestRequests and orders.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tester/load/counterparty.hpp"

namespace nexusfix::tester {

enum class RequestKind : std::uint8_t { TestRequest, Order };

class Requests {
 public:
  Requests(RequestKind kind, MessageTemplate message) : kind_{kind}, message_{std::move(message)} {}
  // Nothing: the case is over.
  [[nodiscard]] static std::optional<Requests> make(Counterparty& peer, RequestKind kind);

  [[nodiscard]] MessageTemplate& message() noexcept { return message_; }
  [[nodiscard]] RequestKind kind() const noexcept { return kind_; }
  // The count of the request that this message answers. Nothing: it answers none.
  [[nodiscard]] std::optional<std::uint64_t> answered_by(const Received& received) const;
  // Sends request 0 and waits for its answer, so that a case knows that there is one. Skips the
  // case if the engine rejects orders.
  [[nodiscard]] bool are_answered(Counterparty& peer);

 private:
  RequestKind kind_;
  MessageTemplate message_;
};

// Sends TestRequests, with counts from count + 1 on, until one is answered: the engine has handled
// all that came before. A second one follows because an engine that requests messages again may
// never answer the first one, which is gap-filled then.
[[nodiscard]] bool probe(Counterparty& peer, Requests& probes, std::uint64_t& count,
                         const OnMessage& on_message);

// Skips some MsgSeqNums, as if these messages were lost, and waits until the engine has requested
// them and has gone on: it answers a TestRequest after that. Returns when the gap could be seen.
struct Gap {
  Requests& lost;
  std::uint64_t first_count = 1;
  std::uint64_t messages = 1;
};
[[nodiscard]] std::optional<MonoTime> fill_gap(Counterparty& peer, const Gap& gap, Requests& probes,
                                               std::uint64_t& probe_count,
                                               const OnMessage& on_message);

}  // namespace nexusfix::tester
