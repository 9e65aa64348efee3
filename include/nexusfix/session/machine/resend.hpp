// What the counterparty asks for again: how much of it is allowed, and the resend in progress. Not
// for applications.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

#include <nexusfix/session/config.hpp>
#include <nexusfix/session/machine/action_queue.hpp>
#include <nexusfix/session/machine/objection.hpp>
#include <nexusfix/session/version.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::session::detail {

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
  [[nodiscard]] ResendRange take_asked() noexcept;
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
