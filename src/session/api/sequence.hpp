// Parts of a StateMachine: sequence numbers, gaps and resends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/message_view.hpp>

#include "session/api/actions.hpp"
#include "session/api/config.hpp"

// The two sequence numbers of a session. Not for applications.

namespace nexusfix::session {

namespace detail {

class SequenceNumbers {
 public:
  explicit SequenceNumbers(Numbers numbers) noexcept { set(numbers); }

  [[nodiscard]] Numbers value() const noexcept { return numbers_; }
  [[nodiscard]] std::uint64_t next_inbound() const noexcept { return numbers_.next_inbound; }
  [[nodiscard]] std::uint64_t next_outbound() const noexcept { return numbers_.next_outbound; }

  void set(Numbers numbers) noexcept {
    NEXUSFIX_ASSERT(numbers.next_inbound >= 1);
    NEXUSFIX_ASSERT(numbers.next_outbound >= 1);
    numbers_ = numbers;
  }
  // The owner restores what it has recorded.
  void roll_back(Numbers numbers) noexcept { numbers_ = numbers; }
  // Everything below next_inbound is used up.
  void advance_inbound(std::uint64_t next_inbound) noexcept {
    NEXUSFIX_ASSERT(next_inbound > numbers_.next_inbound);
    numbers_.next_inbound = next_inbound;
  }
  // Assigns the next MsgSeqNum to a message.
  [[nodiscard]] std::uint64_t consume_outbound() noexcept { return numbers_.next_outbound++; }
  // The MsgSeqNums before next_outbound are not used.
  void skip_outbound(std::uint64_t next_outbound) noexcept {
    NEXUSFIX_ASSERT(next_outbound >= numbers_.next_outbound);
    numbers_.next_outbound = next_outbound;
  }
  void rewind_outbound(std::uint64_t next_outbound) noexcept {
    NEXUSFIX_ASSERT(next_outbound >= 1);
    NEXUSFIX_ASSERT(next_outbound <= numbers_.next_outbound);
    numbers_.next_outbound = next_outbound;
  }

  // next_inbound is 1 at once, because the message that asked for the reset is judged by it;
  // next_outbound when the owner takes the Reset, because what is transmitted before it belongs to
  // the old epoch.
  void begin_reset() noexcept {
    numbers_.next_inbound = 1;
    is_resetting_ = true;
  }
  void finish_reset() noexcept {
    numbers_.next_outbound = 1;
    is_resetting_ = false;
  }
  // The owner does not take the Reset.
  void cancel_reset(std::uint64_t next_inbound) noexcept {
    numbers_.next_inbound = next_inbound;
    is_resetting_ = false;
  }
  [[nodiscard]] bool is_resetting() const noexcept { return is_resetting_; }

 private:
  Numbers numbers_;
  bool is_resetting_ = false;  // next_outbound is not 1 yet
};

}  // namespace detail
}  // namespace nexusfix::session

// Messages of the counterparty that we miss, and our ResendRequests for them. Not for applications.

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
  void record_answer(MonoTime now, const GapConfig& config) noexcept;
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

// What is known of the MsgSeqNums above the expected one. Not for applications.

class OutOfOrderNumbers {
 public:
  // The highest number received on this connection above the expected one. A message up to it may
  // be one that the owner has buffered, so its SendingTime may be old.
  [[nodiscard]] std::uint64_t highest() const noexcept { return highest_; }
  void record_received(std::uint64_t msg_seq_num) noexcept {
    if (msg_seq_num > highest_) highest_ = msg_seq_num;
  }
  // One came that the owner is asked to buffer.
  void record_buffered(std::uint64_t msg_seq_num) noexcept;

  // Numbers of a Logon that was answered and of ResendRequests that were served though they came
  // out of order: counted when their turn comes. False: there is no room for more of them.
  [[nodiscard]] bool record_processed(std::uint64_t msg_seq_num,
                                      std::uint64_t next_inbound) noexcept;
  // A gap fill of all numbers from begin up to end: what is not buffered of them is counted when
  // its turn comes.
  void record_filled(std::uint64_t begin, std::uint64_t end) noexcept;
  // Where that ends; 0: there is none.
  [[nodiscard]] std::uint64_t filled_end() const noexcept { return filled_end_; }
  // The lowest number that was processed, or from which on all is filled; 0: none.
  [[nodiscard]] std::uint64_t first_counted() const noexcept { return first_counted_; }
  void drop_counted_below(std::uint64_t next_inbound) noexcept;
  // The first number from msg_seq_num on that is not counted yet.
  [[nodiscard]] std::uint64_t after_counted(std::uint64_t msg_seq_num) const noexcept;

  // The highest ResendRequest that was served out of order.
  [[nodiscard]] std::uint64_t served_request() const noexcept { return served_request_; }
  void record_served_request(std::uint64_t msg_seq_num) noexcept {
    if (msg_seq_num > served_request_) served_request_ = msg_seq_num;
  }

  // The highest Reject that was reported out of order.
  [[nodiscard]] std::uint64_t reported_reject() const noexcept { return reported_reject_; }
  void record_reported_reject(std::uint64_t msg_seq_num) noexcept {
    reported_reject_ = msg_seq_num;
  }

  void forget() noexcept {
    highest_ = 0;
    highest_buffered_ = 0;
    processed_count_ = 0;
    filled_begin_ = 0;
    filled_end_ = 0;
    first_counted_ = 0;
    served_request_ = 0;
    reported_reject_ = 0;
  }

 private:
  void find_first_counted() noexcept;

  // A request that is served beyond this is buffered until its turn.
  static constexpr std::size_t kProcessedMax = 16;

  std::uint64_t highest_ = 0;
  std::uint64_t highest_buffered_ = 0;
  std::uint64_t first_counted_ = 0;
  std::uint64_t filled_begin_ = 0;  // nothing from here up to filled_end_ is buffered
  std::uint64_t filled_end_ = 0;
  std::uint64_t served_request_ = 0;
  std::uint64_t reported_reject_ = 0;
  std::size_t processed_count_ = 0;
  std::array<std::uint64_t, kProcessedMax> processed_{};  // in ascending order
};

// What the counterparty asks for again: how much of it is allowed, and the resend in progress. Not
// for applications.

// A range of outbound MsgSeqNums, both inclusive. Empty while begin is 0.
struct ResendRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t resend_from = 0;  // what is below it is gap-filled without a look at the store
};

// The Text (58) of the Logout where ResendGovernor admits no more.
inline constexpr std::string_view kTooManyResends = "the same messages are requested too often";

// What a ResendRequest asks for, or why it is rejected.
[[nodiscard]] std::expected<ResendRange, Objection> requested_range(
    const wire::MessageView& request, std::uint64_t next_outbound,
    const VersionTraits& version) noexcept;

// A counterparty that requests the same messages for ever is broken, and would keep both sides
// busy. Counts what it asks for on one connection.
class ResendGovernor {
 public:
  // False: this range has been sent too often, or too much has been asked for in all.
  [[nodiscard]] bool admits(const ResendRange& range, std::uint64_t next_outbound,
                            const ResendConfig& config) noexcept;
  // For the requests that came during a resend and are answered together.
  [[nodiscard]] bool admits_merged(const ResendRange& range, std::uint64_t next_outbound,
                                   const ResendConfig& config) noexcept {
    return !asks_too_much(range, next_outbound, config);
  }

  // The range waits for the owner's decision. request_seq_num: of the ResendRequest; 0: a Logon
  // implies it.
  void ask(const ResendRange& range, std::uint64_t request_seq_num) noexcept {
    asked_ = range;
    asked_by_ = request_seq_num;
  }
  [[nodiscard]] bool is_asking() const noexcept { return asked_.begin != 0; }
  [[nodiscard]] ResendRange consume_request() noexcept;
  [[nodiscard]] std::uint64_t asked_by() const noexcept { return asked_by_; }

  void forget() noexcept;

 private:
  [[nodiscard]] bool asks_too_much(const ResendRange& range, std::uint64_t next_outbound,
                                   const ResendConfig& config) noexcept;

  ResendRange asked_;
  std::uint64_t asked_by_ = 0;
  // What was served last, and how often in a row.
  ResendRange served_;
  std::uint32_t served_count_ = 0;
  // What was asked for on this connection: the lowest number, and how many in all.
  std::uint64_t lowest_ = 0;
  std::uint64_t count_ = 0;
};

// One resend at a time. What is asked for meanwhile comes after it, as one range: a counterparty
// that asks again and again gets one more answer, not one for each request.
class ResendProgress {
 public:
  [[nodiscard]] bool is_active() const noexcept { return current_.begin != 0; }
  // The next number to be covered.
  [[nodiscard]] std::uint64_t next() const noexcept { return current_.begin; }
  [[nodiscard]] std::uint64_t end() const noexcept { return current_.end; }
  [[nodiscard]] bool is_covered() const noexcept { return current_.begin > current_.end; }
  void cover_to(std::uint64_t next) noexcept { current_.begin = next; }

  // Starts the resend, or merges it with those that wait.
  void serve(const ResendRange& range, const ResendConfig& config, ActionQueue& actions) noexcept;
  // Everything of the range has been covered: the range of what was asked for meanwhile. Empty:
  // nothing was.
  [[nodiscard]] ResendRange finish(ActionQueue& actions) noexcept;

  // A stored message that the owner has read. Not one of the range: it is ignored.
  void on_stored(std::uint64_t msg_seq_num, std::string_view bytes, ActionQueue& actions) noexcept;
  [[nodiscard]] std::uint64_t stored_seq_num() const noexcept { return stored_seq_num_; }
  [[nodiscard]] std::string_view stored_bytes() const noexcept { return stored_bytes_; }

  void forget() noexcept { current_ = waiting_ = {}; }

 private:
  ResendRange current_;      // begin: the next number to be covered
  std::uint64_t first_ = 0;  // the begin of current_ at its start
  ResendRange waiting_;
  std::uint64_t stored_seq_num_ = 0;
  std::string_view stored_bytes_;
};

}  // namespace nexusfix::session::detail
