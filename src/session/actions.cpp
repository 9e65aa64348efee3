#include "session/api/actions.hpp"

#include <array>

namespace nexusfix::session {

std::string_view to_string(DisconnectReason reason) noexcept {
  switch (reason) {
    case DisconnectReason::LogonTimeout:
      return "no Logon in time";
    case DisconnectReason::LogoutComplete:
      return "logged out";
    case DisconnectReason::LogoutTimeout:
      return "Logout not answered";
    case DisconnectReason::HeartbeatTimeout:
      return "no answer to TestRequest";
    case DisconnectReason::FirstMessageNotLogon:
      return "first message is not a Logon";
    case DisconnectReason::LogonRefused:
      return "Logon refused";
    case DisconnectReason::LogonNotSent:
      return "our Logon cannot be sent";
    case DisconnectReason::NotAuthenticated:
      return "Logon refused by the application";
    case DisconnectReason::LogonNotDecided:
      return "no decision on the Logon in time";
    case DisconnectReason::SessionTimeOver:
      return "the session's time is over";
    case DisconnectReason::MsgSeqNumTooLow:
      return "MsgSeqNum too low";
    case DisconnectReason::ProtocolViolation:
      return "protocol violation";
    case DisconnectReason::StreamUnusable:
      return "position in the stream is lost";
    case DisconnectReason::Operator:
      return "operator";
  }
  return "unknown";
}

std::string_view to_string(NoticeCode code) noexcept {
  switch (code) {
    case NoticeCode::MessageGarbled:
      return "garbled message ignored";
    case NoticeCode::MessageRejected:
      return "message rejected";
    case NoticeCode::RejectReceived:
      return "Reject received";
    case NoticeCode::GapDetected:
      return "gap detected";
    case NoticeCode::GapClosed:
      return "gap closed";
    case NoticeCode::ResendServed:
      return "resend served";
    case NoticeCode::ResendLimited:
      return "resend limited: older messages are gap-filled";
    case NoticeCode::SequenceResetReceived:
      return "SequenceReset-Reset received";
    case NoticeCode::MsgSeqNumTooLow:
      return "MsgSeqNum too low";
    case NoticeCode::CompIdWrong:
      return "CompID problem";
    case NoticeCode::SendingTimeWrong:
      return "SendingTime accuracy problem";
    case NoticeCode::BeginStringWrong:
      return "incorrect BeginString";
    case NoticeCode::LogonInvalid:
      return "invalid Logon";
    case NoticeCode::TestRequestSent:
      return "TestRequest sent";
    case NoticeCode::TestRequestNotAnswered:
      return "TestRequest not answered";
    case NoticeCode::LogoutReceived:
      return "Logout received";
    case NoticeCode::SequenceNumbersLost:
      return "sequence numbers are lost";
    case NoticeCode::LogoutTextUntrue:
      return "the Logout contradicts what was sent";
    case NoticeCode::ConnectionNotClosed:
      return "the counterparty did not close the connection after the answer to its Logout";
    case NoticeCode::EndedWithinGap:
      return "the session ends while messages are missing";
    case NoticeCode::ResetNotAgreed:
      return "no reset: the counterparty did not answer our TestRequests";
    case NoticeCode::HeartBtIntDiffers:
      return "the answer to our Logon has another HeartBtInt";
    case NoticeCode::MessageNotResendable:
      return "stored message cannot be resent";
    case NoticeCode::ResendNotAnswered:
      return "ResendRequest not answered";
    case NoticeCode::ResendIncomplete:
      return "answer to ResendRequest is incomplete: the missing messages are requested again";
    case NoticeCode::GapFillBeyondRequest:
      return "gap fill beyond the requested range: messages received out of order are processed";
    case NoticeCode::MessageInvalid:
      return "invalid message processed";
    case NoticeCode::ClockDiffers:
      return "our clock differs from the counterparty's SendingTime";
    case NoticeCode::SessionStatusReceived:
      return "SessionStatus received";
  }
  return "unknown";
}

// FIXT 1.1 and FIX 5.0 SP2, field 1409.
std::string_view session_status_text(std::uint64_t status) noexcept {
  constexpr std::array<std::string_view, 11> kTexts{
      "session active",
      "session password changed",
      "session password due to expire",
      "new session password does not comply with policy",
      "session logout complete",
      "invalid username or password",
      "account locked",
      "logons are not allowed at this time",
      "password expired",
      "received MsgSeqNum too low",
      "received NextExpectedMsgSeqNum too high",
  };
  return status < kTexts.size() ? kTexts[status] : "other";
}

}  // namespace nexusfix::session
