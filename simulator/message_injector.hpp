// Sends, as if from the counterparties, messages that our engines never send by themselves and
// other engines do: a Logon with ResetSeqNumFlag within a session, and further ResendRequests while
// one is being answered. It is in every connection, and changes nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/simulator/fault.hpp>
#include <nexusfix/simulator/simulated_clock.hpp>
#include <nexusfix/simulator/simulated_network.hpp>

#include "simulator/check/checker.hpp"

namespace nexusfix::simulator {

class MessageInjector final : public Middleman {
 public:
  // All must outlive it. begin: the first value of every wall clock.
  MessageInjector(const WorldTime& now, WallTime begin, FaultCounts& counts, Checker& checker)
      : now_{now}, begin_{begin}, counts_{counts}, checker_{checker} {}

  // Fault::ResetWithin: both sides of a session reset their sequence numbers; mostly during the
  // next resend, sometimes in any session at once.
  void reset_one(SeededRandom& chance);
  // Fault::AskAgain: two more ResendRequests follow the next one, or an injected one at once. The
  // last of them requests less.
  void ask_again(SeededRandom& chance);
  // Cancels the faults that have not struck yet.
  void mend();

  // The initiator got a request to reset, and the acceptor has not answered.
  [[nodiscard]] bool is_half_reset(std::uint64_t connection) const {
    const auto line = lines_.find(connection);
    return line != lines_.end() && line->second.is_resetting;
  }
  // The number of resets within a session that came while a ResendRequest was not answered in full.
  [[nodiscard]] std::uint64_t resets_in_resend() const noexcept { return resets_in_resend_; }
  // An injected ResendRequest that is not answered in full, on a connection that still exists;
  // empty: there is none.
  [[nodiscard]] std::string unanswered() const;

  void sent(SimulatedInternet& internet, std::uint64_t connection, Side side,
            std::string_view bytes) override;
  void over(std::uint64_t connection) override { lines_.erase(connection); }

 private:
  // A ResendRequest, and how far the other side has answered it.
  struct OpenRequest {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t next = 0;
    bool is_injected = false;
  };
  // What one side sends.
  struct Half {
    std::string partial;  // the beginning of a message
    std::string logon;    // its last Logon; empty: it has sent none
    std::uint64_t logon_number = 0;
    std::uint64_t last_number = 0;           // of messages without PossDupFlag
    bool is_discarded = false;               // none of its messages is forwarded
    std::vector<OpenRequest> open_requests;  // requests of this side
  };
  struct Line {
    std::array<Half, 2> halves;
    std::optional<WorldTime> reset_at;
    bool is_resetting = false;
    bool is_ending = false;  // a Logout was sent
  };
  using Lines = std::map<std::uint64_t, Line>;  // by connection
  // The random choices for the next requests.
  struct Drawn {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  // False: the message is not forwarded.
  bool note(Line& line, Side side, std::string_view message);
  void record_resend_request(Line& line, Side side, std::string_view message);
  void reset_soon(Line& line);
  static void record_answer(Half& half, std::string_view message, std::uint64_t number);
  [[nodiscard]] std::string further_requests(Line& line, Side side);
  [[nodiscard]] std::string requests_of(Line& line, Side side, const Drawn& wanted, bool is_first);
  void ask(std::uint64_t connection, Line& line, Side side, const Drawn& wanted);
  [[nodiscard]] static Drawn drawn(SeededRandom& chance);
  template <class Fits>
  [[nodiscard]] Lines::iterator any_line(SeededRandom& chance, Fits fits);
  [[nodiscard]] static bool is_trading(const Line& line);
  [[nodiscard]] static bool may_reset(const Line& line);
  // The Logon that requests a reset from the initiator, as if from the acceptor.
  [[nodiscard]] std::string begin_reset(Line& line, std::uint64_t connection);
  void reset_if_due(SimulatedInternet& internet, Line& line, std::uint64_t connection);
  [[nodiscard]] std::string sending_time() const;

  const WorldTime& now_;
  WallTime begin_;
  FaultCounts& counts_;
  Checker& checker_;
  SimulatedInternet* internet_ = nullptr;  // null: nothing was sent yet
  Lines lines_;
  std::optional<WorldTime> next_reset_;  // this long after the next ResendRequest
  std::optional<Drawn> next_requests_;
  std::uint64_t resets_in_resend_ = 0;
};

}  // namespace nexusfix::simulator
