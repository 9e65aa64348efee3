#include "control/api/session_events.hpp"

#include <algorithm>

#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/header_template.hpp>

namespace nexusfix::engine {
namespace {

using session::Notice;
using session::NoticeCode;

constexpr wire::Tag kClOrdId = 11;
constexpr wire::Tag kOrigClOrdId = 41;

// "MsgSeqNum 5 to 92 (88)".
std::string range_text(std::uint64_t first, std::uint64_t last) {
  if (first >= last) return "MsgSeqNum " + std::to_string(last);
  return "MsgSeqNum " + std::to_string(first) + " to " + std::to_string(last) + " (" +
         std::to_string(last - first + 1) + ")";
}

// The key of the configuration that decides on such messages; empty: none does.
std::string_view key_of(session::SessionRejectReason reason) noexcept {
  using enum session::SessionRejectReason;
  switch (reason) {
    case RequiredTagMissing:
    case InvalidMsgType:
    case IncorrectDataFormat:
    case IncorrectNumInGroupCount:
    case TagAppearsMoreThanOnce:
      return "DataDictionary";
    case TagNotDefinedForMsgType:
    case UndefinedTag:
      return "AllowUnknownMsgFields, ValidateUserDefinedFields, DataDictionary";
    case TagWithoutValue:
      return "ValidateFieldsHaveValues";
    case ValueIncorrect:
      return "AllowUnknownEnumValues, DataDictionary";
    case CompIdProblem:
      return "CheckCompID";
    case SendingTimeAccuracyProblem:
      return "CheckLatency, MaxLatency";
    case TagOutOfRequiredOrder:
      return "ValidateFieldsOutOfOrder";
    case GroupFieldsOutOfOrder:
      return "ValidateUnorderedGroupFields, DataDictionary";
    case UnsupportedApplicationVersion:
      return "AppDataDictionary";
    default:
      return {};
  }
}

void append_field(std::string& text, const wire::MessageView& message, wire::Tag of,
                  std::span<const observe::MaskedField> masked) {
  constexpr std::size_t kValueBytesMax = 64;
  const auto value = message[of];
  if (!value) return;
  const bool is_secret = wire::is_password(of) || of == tag::RawData ||
                         std::ranges::find(masked, of, &observe::MaskedField::tag) != masked.end();
  (text += ' ') += std::to_string(of) + "=";
  text += is_secret ? std::string_view{"***"} : value->substr(0, kValueBytesMax);
}

std::string rejected_text(const Notice& notice, std::span<const observe::MaskedField> masked) {
  std::string text;
  if (notice.received != 0) text += ", MsgSeqNum " + std::to_string(notice.received);
  (text += ": ") += notice.text;
  if (notice.message == nullptr) return text;
  text += describe_rejected(*notice.message, static_cast<wire::Tag>(notice.expected), masked);
  if (notice.is_business || !notice.text.starts_with(session::session_reject_text(notice.reason))) {
    return text;  // The application decides.
  }
  const auto key = key_of(static_cast<session::SessionRejectReason>(notice.reason));
  return key.empty() ? text : (text += "; see the keys ").append(key);
}

// What the two numbers of a notice mean, and its text.
std::string details_of(const Notice& notice, std::span<const observe::MaskedField> masked) {
  const std::uint64_t expected = notice.expected;
  const std::uint64_t received = notice.received;
  std::string text;
  switch (notice.code) {
    case NoticeCode::MessageRejected:
      return rejected_text(notice, masked);
    case NoticeCode::GapDetected:
      text = ": " + range_text(expected, received - 1) + " missing, received " +
             std::to_string(received);
      break;
    case NoticeCode::GapClosed:
    case NoticeCode::ResendServed:
      text = ": " + range_text(expected, received);
      break;
    case NoticeCode::ResendLimited:
      text = ": " + range_text(received, expected - 1);
      break;
    case NoticeCode::ResendNotAnswered:
    case NoticeCode::ResendIncomplete:
      text = ": " + range_text(expected, received - 1) + " missing";
      break;
    case NoticeCode::GapFillBeyondRequest:
      text = ": up to MsgSeqNum " + std::to_string(received - 1) + " instead of " +
             std::to_string(expected - 1);
      break;
    case NoticeCode::SequenceResetReceived:
      text = ": the next MsgSeqNum in is " + std::to_string(received) + " instead of " +
             std::to_string(expected);
      break;
    case NoticeCode::CompIdWrong:
    case NoticeCode::SendingTimeWrong:
    case NoticeCode::MessageNotResendable:
    case NoticeCode::MessageInvalid:
      text = ", MsgSeqNum " + std::to_string(received);
      break;
    case NoticeCode::EndedWithinGap:
      text = ", MsgSeqNum " + std::to_string(expected) + " to " + std::to_string(received);
      break;
    case NoticeCode::RejectReceived:  // the text has both numbers
      break;
    case NoticeCode::ClockDiffers: {
      const bool is_ahead = expected > received;
      text = ": it is " + std::to_string(is_ahead ? expected - received : received - expected) +
             (is_ahead ? " ms after it" : " ms before it");
      break;
    }
    case NoticeCode::SessionStatusReceived:
      text = " (1409=" + std::to_string(received) + ")";
      break;
    default:
      if (expected != 0 || received != 0) {
        text = " (expected " + std::to_string(expected) + ", received " + std::to_string(received) +
               ")";
      }
      break;
  }
  if (!notice.text.empty()) (text += ": ") += notice.text;
  return text;
}

}  // namespace

std::string describe(const session::Notice& notice, std::span<const observe::MaskedField> masked) {
  return std::string{to_string(notice.code)} + details_of(notice, masked);
}

std::string describe_rejected(const wire::MessageView& ours, wire::Tag ref_tag,
                              std::span<const observe::MaskedField> masked) {
  std::string text = " [35=";
  text += ours.msg_type();
  append_field(text, ours, kClOrdId, masked);
  append_field(text, ours, kOrigClOrdId, masked);
  if (ref_tag != 0 && ref_tag != kClOrdId && ref_tag != kOrigClOrdId && ref_tag != tag::MsgType) {
    append_field(text, ours, ref_tag, masked);
  }
  return text += ']';
}

EventId event_of(session::NoticeCode code) noexcept {
  using enum session::NoticeCode;
  switch (code) {
    case MessageGarbled:
      return EventId::MessageGarbled;
    case MessageRejected:
      return EventId::MessageRejected;
    case RejectReceived:
      return EventId::RejectReceived;
    case GapDetected:
      return EventId::SequenceGapDetected;
    case GapClosed:
      return EventId::SequenceGapClosed;
    case ResendServed:
      return EventId::ResendServed;
    case ResendLimited:
      return EventId::ResendLimited;
    case SequenceResetReceived:
      return EventId::SequenceResetReceived;
    case MsgSeqNumTooLow:
      return EventId::MsgSeqNumTooLow;
    case CompIdWrong:
      return EventId::CompIdWrong;
    case SendingTimeWrong:
      return EventId::SendingTimeWrong;
    case BeginStringWrong:
      return EventId::BeginStringWrong;
    case LogonInvalid:
      return EventId::LogonInvalid;
    case TestRequestSent:
      return EventId::TestRequestSent;
    case TestRequestNotAnswered:
      return EventId::TestRequestNotAnswered;
    case LogoutReceived:
      return EventId::LogoutReceived;
    case SequenceNumbersLost:  // reported as the halt that follows from it
      return EventId::AcceptorHalted;
    case LogoutTextUntrue:
      return EventId::LogoutTextUntrue;
    case ConnectionNotClosed:
      return EventId::ConnectionNotClosed;
    case EndedWithinGap:
      return EventId::EndedWithinGap;
    case ResetNotAgreed:
      return EventId::ResetNotAgreed;
    case HeartBtIntDiffers:
      return EventId::HeartBtIntDiffers;
    case MessageNotResendable:
      return EventId::MessageNotResendable;
    case ResendNotAnswered:
      return EventId::ResendNotAnswered;
    case ResendIncomplete:
      return EventId::ResendIncomplete;
    case GapFillBeyondRequest:
      return EventId::GapFillBeyondRequest;
    case MessageInvalid:
      return EventId::MessageInvalid;
    case SessionStatusReceived:
      return EventId::SessionStatusReceived;
    case ClockDiffers:
      return EventId::ClockDiffers;
  }
  return EventId::ProtocolViolation;
}

EventId event_of(session::DisconnectReason reason) noexcept {
  using enum session::DisconnectReason;
  switch (reason) {
    case LogonTimeout:
      return EventId::LogonTimedOut;
    case LogoutComplete:
      return EventId::LoggedOut;
    case LogoutTimeout:
      return EventId::LogoutNotAnswered;
    case HeartbeatTimeout:
      return EventId::HeartbeatTimeout;
    case FirstMessageNotLogon:
      return EventId::FirstMessageNotLogon;
    case LogonRefused:
      return EventId::LogonRefused;
    case LogonNotSent:
      return EventId::LogonNotSent;
    case NotAuthenticated:
      return EventId::LogonNotAuthenticated;
    case LogonNotDecided:
      return EventId::LogonNotDecided;
    case SessionTimeOver:
      return EventId::SessionTimeOver;
    case MsgSeqNumTooLow:
      return EventId::DisconnectedForMsgSeqNum;
    case ProtocolViolation:
      return EventId::ProtocolViolation;
    case StreamUnusable:
      return EventId::StreamUnusable;
    case Operator:
      return EventId::DisconnectedByOperator;
  }
  return EventId::ProtocolViolation;
}

}  // namespace nexusfix::engine
