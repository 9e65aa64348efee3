// Events of category sequence: 2000 to 2999.
#pragma once

#include "observe/api/logs.hpp"

namespace nexusfix::observe {

inline constexpr EventRow kSequenceEvents[] = {
    {EventId::SequenceNumbersReset, Severity::Info, "SequenceNumbersReset",
     "Both sequence numbers of the session are 1 again.",
     "A Logon with ResetSeqNumFlag=Y, the schedule, ResetOnLogon, ResetOnLogout, "
     "ResetOnDisconnect, or a request of the application.",
     "No action is needed, if the reset was agreed with the counterparty."},
    {EventId::SequenceNumbersSet, Severity::Warning, "SequenceNumbersSet",
     "An operator or the application set the next MsgSeqNum. The text has both sequence numbers "
     "before and after, and the reason.",
     "`nexusfix journal set`, or Session::set_next_numbers().", "No action is needed."},
    {EventId::SequenceGapDetected, Severity::Warning, "SequenceGapDetected",
     "A message has a higher MsgSeqNum than expected. We ask for the missing messages with a "
     "ResendRequest.",
     "Messages were lost when a connection ended, or the counterparty was ahead.",
     "No action is needed. NXF-2004 follows when all have arrived."},
    {EventId::SequenceGapClosed, Severity::Info, "SequenceGapClosed",
     "All messages of a gap have arrived or were gap-filled.",
     "The counterparty answered our ResendRequest.", "No action is needed."},
    {EventId::SequenceResetReceived, Severity::Warning, "SequenceResetReceived",
     "The counterparty sent a SequenceReset without GapFillFlag, which sets the next expected "
     "MsgSeqNum.",
     "The counterparty does not send the missing messages. They will never arrive.",
     "Ask the counterparty why, and compare what was traded."},
    {EventId::MsgSeqNumTooLow, Severity::Warning, "MsgSeqNumTooLow",
     "A message has a lower MsgSeqNum than expected, and PossDupFlag is not set.",
     "The counterparty has reset its sequence numbers, or its store is lost or an old copy.",
     "Compare the sequence numbers of both sides before the next Logon."},
    {EventId::DisconnectedForMsgSeqNum, Severity::Warning, "DisconnectedForMsgSeqNum",
     "The connection is closed, because the MsgSeqNum of a message is too low.",
     "See NXF-2006, which comes before it.",
     "Compare the sequence numbers of both sides before the next Logon."},
    {EventId::InitiatorHalted, Severity::Error, "InitiatorHalted",
     "One side has lost sequence numbers that the other one knows. The session does not connect "
     "again until an operator decides, so that no MsgSeqNum is used twice.",
     "A store is lost, was restored from an old copy, or holds wrong sequence numbers.",
     "Compare both sides. Then restore the store, set the agreed sequence numbers with "
     "`nexusfix journal set`, or set ResetOnLogon=Y as agreed, and start the engine again."},
    {EventId::AcceptorHalted, Severity::Error, "AcceptorHalted",
     "One side has lost sequence numbers that the other one knows. Only a Logon with "
     "ResetSeqNumFlag=Y is accepted until an operator decides.",
     "A store is lost, was restored from an old copy, or holds wrong sequence numbers.",
     "Compare both sides. Then restore the store, set the agreed sequence numbers with "
     "`nexusfix journal set`, or agree on a reset."},
    {EventId::LogoutTextUntrue, Severity::Warning, "LogoutTextUntrue",
     "The counterparty's Logout says that a MsgSeqNum is too low or too high. What was sent on "
     "this connection contradicts it, so the session stays open for the next Logon.",
     "The counterparty has counted wrong, or the text is of another connection.",
     "Ask the counterparty for its sequence numbers. If it refuses each Logon, agree on the "
     "sequence numbers with it."},
    {EventId::EndedWithinGap, Severity::Warning, "EndedWithinGap",
     "The session ended while messages of the counterparty were missing. The text has their "
     "MsgSeqNums.",
     "The counterparty logged out or disconnected before it answered our ResendRequest.",
     "If a reset follows, ask the counterparty for these messages by other means. Otherwise they "
     "are requested after the next Logon."},
    {EventId::ResetNotAgreed, Severity::Warning, "ResetNotAgreed",
     "The sequence numbers are not reset within the session, because ten TestRequests with "
     "TestReqID RESET got no Heartbeat. A reset by ResetSeqTime follows after a Logout.",
     "The counterparty does not answer TestRequests, or too slowly.",
     "Ask the counterparty, and try it again, or use `nexusfix ctl reset`."},
    {EventId::ResendServed, Severity::Info, "ResendServed",
     "All messages of a ResendRequest were sent again or gap-filled.",
     "The counterparty asked for messages that it had not received.", "No action is needed."},
    {EventId::ResendLimited, Severity::Warning, "ResendLimited",
     "The counterparty asked for more messages than a limit allows. The older ones are gap-filled.",
     "MaxResendMessages or MaxResendAge is set.",
     "Give the counterparty the older messages by other means if it needs them."},
    {EventId::ResendNotAnswered, Severity::Warning, "ResendNotAnswered",
     "A gap is open, and nothing came in answer to our ResendRequest. We ask again.",
     "The counterparty ignores ResendRequests, or is slow.",
     "Ask the counterparty. We ask again after 30 s without progress."},
    {EventId::ResendIncomplete, Severity::Warning, "ResendIncomplete",
     "The answer to our ResendRequest ended too early. We ask for what is missing.",
     "The counterparty answered only a part of the request.",
     "Ask the counterparty if it happens again."},
    {EventId::GapFillBeyondRequest, Severity::Warning, "GapFillBeyondRequest",
     "A gap fill of the counterparty goes beyond what we asked for. The messages that arrived "
     "early are processed.",
     "The counterparty fills more than the gap.",
     "Ask the counterparty to fill only what was requested."},
    {EventId::MessageNotResendable, Severity::Warning, "MessageNotResendable",
     "A stored message is damaged, and a gap fill takes its place.", "The store is damaged.",
     "Run `nexusfix journal verify`, and tell the counterparty what the message was."},
    {EventId::LostMessagesRequested, Severity::Error, "LostMessagesRequested",
     "The counterparty asks for messages that our store has lost. It gets a gap fill.",
     "A loss of power, damage of the disk, or a repair of the journal. An earlier event says "
     "which MsgSeqNums are lost.",
     "Compare with the records of the counterparty what was sent under these MsgSeqNums."},
    {EventId::RetiredMessagesRequested, Severity::Warning, "RetiredMessagesRequested",
     "The counterparty asks for messages whose journal segments are retired. It gets a gap fill "
     "for them.",
     "The request reaches further back than the journal is kept.",
     "Keep segments longer, if counterparties need older messages."},
    {EventId::ResendDamaged, Severity::Error, "ResendDamaged",
     "A part of the journal cannot be read for a resend. The counterparty gets a gap fill for what "
     "is missing.",
     "The disk or the journal is damaged.",
     "Run `nexusfix journal verify`, and compare with the records of the counterparty what was "
     "sent."},
    {EventId::ResendUnreadable, Severity::Error, "ResendUnreadable",
     "A resend failed, because the store cannot be read now. The connection is closed.",
     "The disk or the database does not answer, or returned an error.",
     "Check the disk or the database. The counterparty asks again after its next Logon."},
    {EventId::EarlyMessageDropped, Severity::Warning, "EarlyMessageDropped",
     "A message that arrived before a missing one is dropped, and will be asked for again.",
     "More bytes arrived early than a quarter of MaxQueuedBytes.",
     "No action is needed. Raise MaxQueuedBytes if it happens often."},
    {EventId::HeldAdministrativeDropped, Severity::Info, "HeldAdministrativeDropped",
     "Administrative messages that waited for a gap to be closed are dropped.",
     "A reset or a SequenceReset passed over their sequence numbers.", "No action is needed."},
    {EventId::HeldMessagesDiscarded, Severity::Warning, "HeldMessagesDiscarded",
     "Application messages that waited for a gap to be closed are never delivered.",
     "A reset or a SequenceReset passed over their sequence numbers.",
     "Compare with the counterparty what it sent under these MsgSeqNums."},
    {EventId::QueuedMessagesDiscarded, Severity::Warning, "QueuedMessagesDiscarded",
     "Messages that waited for the answer to our Logon are not sent.",
     "The counterparty reset the sequence numbers in its Logon.",
     "Let the application send them again, if they are still needed."},
    {EventId::InboundNotRecorded, Severity::Error, "InboundNotRecorded",
     "A message is not delivered to the application, and the connection is closed, because the "
     "store did not record it in time.",
     "InboundDelivery=AtMostOnce is set, and the disk or the database is stalled.",
     "Check the disk or the database. The message is not delivered later: ask the counterparty "
     "what it was."},
    {EventId::SequenceNumbersSkipped, Severity::Error, "SequenceNumbersSkipped",
     "The session continues at a higher MsgSeqNum. Messages may have been sent under the skipped "
     "MsgSeqNums, and the store has lost them.",
     "A loss of power, or a database that lost confirmed commits.",
     "Compare what the counterparty has received under these MsgSeqNums. It gets a gap fill."},
    {EventId::InboundInDoubt, Severity::Warning, "InboundInDoubt",
     "The message with this MsgSeqNum may not have reached the application, and is not delivered "
     "again. All before it have.",
     "InboundDelivery=AtMostOnce records a message before the application sees it, and the engine "
     "did not end in order: it was killed, or the machine stopped.",
     "Look for the message in the application, or ask the counterparty what it was. If it was no "
     "application message, nothing is missing."},
    {EventId::WaitingMessagesNotSent, Severity::Warning, "WaitingMessagesNotSent",
     "Messages that waited for OutboundMessages are not sent.",
     "The session is not logged on any more: a Logout, or the end of the connection. The messages "
     "have used no MsgSeqNum, and on_not_sent() has them.",
     "Let the application send them again, if they are still needed."},
};

}  // namespace nexusfix::observe
