// The attempts of a session to log on that failed since its last Logon, and what a person needs to
// find the cause.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/event_id.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::engine {

// How an initiator's attempt ended.
enum class AttemptEnd : std::uint8_t {
  None,       // it goes on, or we ended it
  Closed,     // the counterparty closed the connection without an answer
  Lost,       // the connection broke
  TlsAnswer,  // the counterparty answered a plain Logon with bytes of TLS
  TimedOut,   // nothing came within LogonTimeout
  Refused,    // the answer was a Logout or a Reject
  Invalid,    // the answer breaks a rule
};

struct FailedAttempt {
  AttemptEnd end = AttemptEnd::None;
  std::string_view said{};           // Lost: the error; Refused: the counterparty's text
  std::string_view sent{};           // fields of our Logon, without secrets
  std::chrono::nanoseconds after{};  // from our Logon to the end
  bool has_password = false;         // the Logon has a Username or a Password
  bool has_tls = false;
  bool was_logged_on = false;  // once since the engine started
};

// "no answer to our Logon: the counterparty closed the connection 3 ms after it".
[[nodiscard]] std::string summary(const FailedAttempt& attempt);
// The summary, what was sent, the likely causes with the first one first, and where to look next.
[[nodiscard]] std::string describe(const FailedAttempt& attempt);
// The fields that identify a Logon, "8=FIX.4.4 49=CLIENT ...", without secrets.
[[nodiscard]] std::string identity_of(const wire::MessageView& logon);

// The event loop's thread only.
class FailedLogons {
 public:
  // From this number of failures in a row on, an event is an error.
  static constexpr std::uint32_t kErrorFrom = 3;

  // Acceptor: a Logon has come.
  void begin() noexcept {
    said_.clear();
    end_ = AttemptEnd::None;
  }
  // Initiator: our Logon is sent.
  void on_sent(const wire::MessageView& logon, MonoTime now);
  // The text of a refusal: the counterparty's, or an acceptor's own.
  void on_refusal(std::string_view text) { said_ = text; }
  // Initiator: the answer refuses our Logon, or none came in time.
  void set_end(AttemptEnd end) noexcept {
    if (end_ == AttemptEnd::None) end_ = end;
  }
  // The attempt is over. Takes what is known of it; views are valid until the next one.
  [[nodiscard]] FailedAttempt take(MonoTime now) noexcept;

  // Counts a failure, or a refused Logon of an acceptor's counterparty.
  void count(std::string_view text, WallTime now);
  void forget() noexcept;
  [[nodiscard]] std::uint32_t in_a_row() const noexcept { return in_a_row_; }
  // "2 failures in a row, since 2026-11-27 09:12:01 UTC".
  [[nodiscard]] std::string row_text() const;
  // For the last one; empty: there is none.
  [[nodiscard]] const std::string& last() const noexcept { return last_; }

 private:
  std::string sent_;
  std::string said_;
  AttemptEnd end_ = AttemptEnd::None;
  MonoTime sent_at_{};
  bool has_password_ = false;
  std::uint32_t in_a_row_ = 0;
  WallTime since_{};
  std::string last_;
};

}  // namespace nexusfix::engine
