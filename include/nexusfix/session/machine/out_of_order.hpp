// What is known of the MsgSeqNums above the expected one. Not for applications.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <nexusfix/base/language.hpp>

namespace nexusfix::session::detail {

class OutOfOrderNumbers {
 public:
  // The highest number received on this connection above the expected one. A message up to it may
  // be one that the owner has buffered, so its SendingTime may be old.
  [[nodiscard]] std::uint64_t highest() const noexcept { return highest_; }
  void note_received(std::uint64_t msg_seq_num) noexcept {
    if (msg_seq_num > highest_) highest_ = msg_seq_num;
  }
  // One came that the owner is asked to buffer.
  void note_buffered(std::uint64_t msg_seq_num) noexcept;

  // Numbers of a Logon that was answered and of ResendRequests that were served though they came
  // out of order: counted when their turn comes. False: there is no room for more of them.
  [[nodiscard]] bool note_processed(std::uint64_t msg_seq_num, std::uint64_t next_inbound) noexcept;
  // A gap fill of all numbers from begin up to end: what is not buffered of them is counted when
  // its turn comes.
  void note_filled(std::uint64_t begin, std::uint64_t end) noexcept;
  // Where that ends; 0: there is none.
  [[nodiscard]] std::uint64_t filled_end() const noexcept { return filled_end_; }
  // The lowest number that was processed, or from which on all is filled; 0: none.
  [[nodiscard]] std::uint64_t first_counted() const noexcept { return first_counted_; }
  void drop_counted_below(std::uint64_t next_inbound) noexcept;
  // The first number from msg_seq_num on that is not counted yet.
  [[nodiscard]] std::uint64_t after_counted(std::uint64_t msg_seq_num) const noexcept;

  // The highest ResendRequest that was served out of order.
  [[nodiscard]] std::uint64_t served_request() const noexcept { return served_request_; }
  void note_served_request(std::uint64_t msg_seq_num) noexcept {
    if (msg_seq_num > served_request_) served_request_ = msg_seq_num;
  }

  // The highest Reject that was reported out of order.
  [[nodiscard]] std::uint64_t reported_reject() const noexcept { return reported_reject_; }
  void note_reported_reject(std::uint64_t msg_seq_num) noexcept { reported_reject_ = msg_seq_num; }

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

}  // namespace nexusfix::session::detail
