// Messages of the counterparty that we miss, and our ResendRequests for them. Not for applications.
#pragma once

#include <cstdint>

#include <nexusfix/base/time.hpp>
#include <nexusfix/session/config.hpp>
#include <nexusfix/session/machine/action_queue.hpp>

namespace nexusfix::session::detail {

class InboundGap {
 public:
  // Where a session is when it looks at its gap.
  struct Position {
    std::uint64_t next_inbound = 0;  // the first number that is missing
    MonoTime now{};
  };
  // What showed that messages are missing.
  struct Evidence {
    std::uint64_t received = 0;
    std::uint64_t gap_end = 0;  // the first number that is not missing
  };

  [[nodiscard]] bool is_open() const noexcept { return end_ != 0; }
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  // Where the open ResendRequest ends; 0: it asks for everything, or none is open.
  [[nodiscard]] std::uint64_t requested_end() const noexcept { return requested_end_; }
  [[nodiscard]] MonoTime deadline() const noexcept { return deadline_; }

  // One open ResendRequest at a time: what arrives out of order while it is open is buffered, or
  // covered by it. Of one that asks for less, the next one follows when it has been answered.
  void request(const Evidence& evidence, const Position& at, const GapConfig& config,
               ActionQueue& actions) noexcept;
  // What is missing comes unasked, because our Logon said what we expect; if it does not, it is
  // asked for after all.
  void await(const Evidence& evidence, const Position& at, const GapConfig& config,
             ActionQueue& actions) noexcept;
  // The request for what is still missing, after an answer has brought us here.
  void request_rest(const Position& at, const GapConfig& config, ActionQueue& actions) noexcept;
  // The expected number has moved while the gap is open. True: the part that was asked for has
  // come, and request_rest() is due.
  [[nodiscard]] bool advance(const Position& at, const GapConfig& config,
                             ActionQueue& actions) noexcept;
  // A part of an answer has come.
  void note_answer(MonoTime now, const GapConfig& config) noexcept;
  // At or after deadline(). False: the counterparty has not answered, and the session must end.
  [[nodiscard]] bool on_time(const Position& at, const GapConfig& config,
                             ActionQueue& actions) noexcept;
  void forget() noexcept;

 private:
  void widen(const Evidence& evidence, const GapConfig& config) noexcept;
  void push_request(const Position& at, const GapConfig& config, ActionQueue& actions) noexcept;

  std::uint64_t begin_ = 0;  // the first number that was missing when it was opened
  std::uint64_t end_ = 0;    // open until next_inbound has reached it; 0: none
  std::uint64_t requested_end_ = 0;
  MonoTime deadline_ = kNever;
  MonoTime limit_ = kNever;            // without progress for resend_timeout
  MonoTime answered_at_{};             // the last part of the answer, or the request
  MonoTime::duration answer_pause_{};  // the longest one of this gap's answers
  unsigned requests_ = 0;              // without progress
};

}  // namespace nexusfix::session::detail
