// The exchange of Logons on one connection. Applications use only Outlet.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <nexusfix/base/language.hpp>
#include <nexusfix/session/decisions.hpp>

namespace nexusfix::session {

// How an application message that gets its MsgSeqNum now reaches the counterparty. The owner stores
// the message in each case.
enum class Outlet : std::uint8_t {
  Wire,        // transmit it at once
  AfterLogon,  // queue it until the action Release, which says what happens to a partial queue
  Resend,      // do not transmit it: our next Logon's MsgSeqNum shows it, and it is requested
};

namespace detail {

// What a Logon says.
struct LogonFacts {
  std::uint64_t msg_seq_num = 0;
  std::optional<std::uint64_t> next_expected;  // 789, if both sides say it
  std::chrono::seconds heart_bt_int{};
  bool wants_reset = false;
  char appl_ver_id = 0;
  std::optional<std::uint32_t> session_status{};  // that the answer is to carry
};

// A reset within the session from our side. It outlives a connection.
struct ResetWithin {
  std::uint64_t next_inbound = 0;  // of the counterparty's messages before its answer
  unsigned tests = 0;              // TestRequests that asked for it
  ResetFallback fallback = ResetFallback::KeepNumbers;
  bool is_unanswered = false;  // our Logon is recorded
};

class LogonExchange {
 public:
  // A valid Logon waits for the owner's decision; the id to decide on.
  [[nodiscard]] std::uint64_t await_decision(const LogonFacts& logon) noexcept {
    undecided_ = logon;
    return ++logon_id_;
  }
  [[nodiscard]] bool awaits(std::uint64_t logon_id) const noexcept { return logon_id == logon_id_; }
  [[nodiscard]] const LogonFacts& undecided() const noexcept { return undecided_; }

  // Our Logon with ResetSeqNumFlag is not answered yet.
  [[nodiscard]] bool is_reset_sent() const noexcept { return reset_sent_; }
  void set_reset_sent(bool is_sent) noexcept { reset_sent_ = is_sent; }

  [[nodiscard]] ResetWithin& reset_within() noexcept { return reset_within_; }

  // Our Logon leaves. An initiator's opens the connection, an acceptor's answers.
  void note_sent(std::uint64_t msg_seq_num, bool opens_connection) noexcept {
    if (opens_connection) sent_seq_num_ = msg_seq_num;
    if (first_sent_ == 0 || msg_seq_num < first_sent_) first_sent_ = msg_seq_num;
    outlet_ = opens_connection ? Outlet::AfterLogon : Outlet::Wire;
  }
  // Initiator: the number of our Logon on this connection.
  [[nodiscard]] std::uint64_t sent_seq_num() const noexcept { return sent_seq_num_; }
  // The number of our first message on this connection, a Logon; 0: none was sent. A reset within
  // the session begins again.
  [[nodiscard]] std::uint64_t first_sent() const noexcept { return first_sent_; }
  // What waited for the answer to our Logon may go out.
  void release() noexcept { outlet_ = Outlet::Wire; }
  // While our Logon is sent and the session is not being left.
  [[nodiscard]] Outlet outlet() const noexcept { return outlet_; }

  // FIXT: DefaultApplVerID (1137) of the counterparty's last Logon; before it, our own. 0: the
  // session is no FIXT session.
  [[nodiscard]] const char& counterparty_appl_ver_id() const noexcept {
    return counterparty_appl_ver_id_;
  }
  void set_counterparty_appl_ver_id(char appl_ver_id) noexcept {
    counterparty_appl_ver_id_ = appl_ver_id;
  }

  void forget_connection() noexcept {
    reset_sent_ = false;
    sent_seq_num_ = 0;
    first_sent_ = 0;
    outlet_ = Outlet::Resend;
  }

 private:
  bool reset_sent_ = false;
  char counterparty_appl_ver_id_ = 0;
  Outlet outlet_ = Outlet::Resend;
  std::uint64_t sent_seq_num_ = 0;
  std::uint64_t first_sent_ = 0;
  std::uint64_t logon_id_ = 0;  // of the last Authenticate
  LogonFacts undecided_;
  ResetWithin reset_within_;
};

}  // namespace detail
}  // namespace nexusfix::session
