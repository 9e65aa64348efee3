#include "control/api/failed_logons.hpp"

#include <initializer_list>
#include <utility>

#include <nexusfix/wire/field.hpp>

#include "base/api/utc_text.hpp"

namespace nexusfix::engine {
namespace {

std::string duration_text(std::chrono::nanoseconds after) {
  using std::chrono::milliseconds;
  const auto count = std::chrono::duration_cast<milliseconds>(after).count();
  constexpr auto kSecond = 1'000;
  if (count < 10 * kSecond) return std::to_string(count) + " ms";
  return std::to_string(count / kSecond) + " s";
}

constexpr std::string_view kIdentity =
    "BeginString (8), a CompID (49, 56) or a SubID differs from what the counterparty has";
constexpr std::string_view kSchedule = "the session is closed by the counterparty's schedule";
constexpr std::string_view kElsewhere = "another connection of this session is logged on";
constexpr std::string_view kHalted = "the counterparty has stopped the session";
constexpr std::string_view kClock = "the clocks differ by more than the counterparty allows (52)";
constexpr std::string_view kAddress = "the counterparty does not allow our address";
constexpr std::string_view kNeedsTls = "the counterparty expects TLS (SocketUseSSL=Y here)";
constexpr std::string_view kStalled = "the counterparty's engine is stalled, or is just starting";
constexpr std::string_view kPort = "the port belongs to another program";

std::string numbered(std::initializer_list<std::string_view> causes) {
  std::string text = ". Likely causes, the first one first:";
  unsigned number = 0;
  for (const std::string_view cause : causes) {
    if (cause.empty()) continue;
    text += number++ == 0 ? " (" : "; (";
    text += std::to_string(number) + ") ";
    text += cause;
  }
  return text;
}

// A session that was logged on has correct names: its counterparty does not want it now.
std::string causes_text(const FailedAttempt& attempt) {
  const std::string_view password = attempt.has_password
                                        ? "the Username or the Password is wrong"
                                        : "the counterparty wants a Username and a Password";
  const std::string_view tls = attempt.has_tls ? std::string_view{} : kNeedsTls;
  switch (attempt.end) {
    case AttemptEnd::Closed:
      if (attempt.was_logged_on) {
        return numbered({kElsewhere, kSchedule, kHalted, kClock, password});
      }
      return numbered({kIdentity, password, kElsewhere, kSchedule, kClock, kAddress, tls});
    case AttemptEnd::Lost:
      return numbered({tls, "the counterparty's process ended", kAddress, kPort});
    case AttemptEnd::TlsAnswer:
      return numbered({kNeedsTls});
    case AttemptEnd::TimedOut:
      return numbered({tls, kStalled, kPort, "a firewall drops the bytes"});
    case AttemptEnd::None:
    case AttemptEnd::Refused:
    case AttemptEnd::Invalid:
      break;
  }
  return {};
}

std::string_view next_text(AttemptEnd end) noexcept {
  switch (end) {
    case AttemptEnd::Closed:
      return ". Look next: the counterparty's log of this second (a NexusFIX acceptor: grep -E "
             "'NXF-[34]0' in its event log); here timedatectl, nexusfix config schedule FILE";
    case AttemptEnd::Lost:
    case AttemptEnd::TlsAnswer:
    case AttemptEnd::TimedOut:
      return ". Look next: openssl s_client -connect HOST:PORT shows whether the port uses TLS";
    case AttemptEnd::Refused:
      return ". Look next: the counterparty's text says what to change";
    case AttemptEnd::Invalid:
      return ". Look next: compare both configurations";
    case AttemptEnd::None:
      break;
  }
  return {};
}

}  // namespace

std::string summary(const FailedAttempt& attempt) {
  const std::string after = " " + duration_text(attempt.after) + " after it";
  switch (attempt.end) {
    case AttemptEnd::None:
      break;
    case AttemptEnd::Closed:
      return "no answer to our Logon: the counterparty closed the connection" + after;
    case AttemptEnd::Lost:
      return "no answer to our Logon: the connection broke" + after + " (" +
             std::string{attempt.said} + ")";
    case AttemptEnd::TlsAnswer:
      return "no answer to our Logon: the counterparty sent bytes of TLS, and closed the "
             "connection" +
             after;
    case AttemptEnd::TimedOut:
      return "no answer to our Logon for " + duration_text(attempt.after) + " (LogonTimeout)";
    case AttemptEnd::Refused:
      return "our Logon was refused" + after + ": " +
             (attempt.said.empty() ? "without a text" : std::string{attempt.said});
    case AttemptEnd::Invalid:
      return "the answer to our Logon breaks a rule: " + std::string{attempt.said};
  }
  return {};
}

std::string describe(const FailedAttempt& attempt) {
  std::string text = summary(attempt);
  text += ". Sent: ";
  text += attempt.sent;
  text += causes_text(attempt);
  return text += next_text(attempt.end);
}

std::string identity_of(const wire::MessageView& logon) {
  constexpr std::size_t kValueBytesMax = 64;
  std::string text;
  for (const wire::Tag tag : {tag::BeginString, tag::SenderCompID, tag::TargetCompID,
                              tag::SenderSubID, tag::TargetSubID, tag::MsgSeqNum, tag::SendingTime,
                              tag::EncryptMethod, tag::HeartBtInt, tag::ResetSeqNumFlag}) {
    const auto value = logon[tag];
    if (!value) continue;
    text += (text.empty() ? "" : " ") + std::to_string(tag) + "=";
    text += value->substr(0, kValueBytesMax);
  }
  return text;
}

void FailedLogons::on_sent(const wire::MessageView& logon, MonoTime now) {
  begin();
  sent_ = identity_of(logon);
  sent_at_ = now;
  has_password_ = logon.has(tag::Username) || logon.has(tag::Password);
}

FailedAttempt FailedLogons::take(MonoTime now) noexcept {
  return {.end = std::exchange(end_, AttemptEnd::None),
          .said = said_,
          .sent = sent_,
          .after = now - sent_at_,
          .has_password = has_password_};
}

void FailedLogons::count(std::string_view text, WallTime now) {
  last_ = text;
  if (in_a_row_++ == 0) since_ = now;
}

void FailedLogons::forget() noexcept {
  in_a_row_ = 0;
  end_ = AttemptEnd::None;
  last_.clear();
}

std::string FailedLogons::row_text() const {
  return std::to_string(in_a_row_) + (in_a_row_ == 1 ? " failure" : " failures in a row") +
         ", since " + utc_text(std::chrono::floor<std::chrono::seconds>(since_), UtcForm::Plain) +
         " UTC";
}

}  // namespace nexusfix::engine
