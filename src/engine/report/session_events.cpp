#include "engine/report/session_events.hpp"

namespace nexusfix::engine {

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
