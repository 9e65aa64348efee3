// The tags that the session layer itself reads and writes: standard header, standard trailer and
// administrative messages of FIX 4.0 to FIXT 1.1. The generated headers define all other tags.
// First come the tags of the header, in their required order and then by number, then those of the
// trailer and of administrative messages.
#pragma once

#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::tag {

inline constexpr wire::Tag BeginString = 8;               // "FIX.4.4", "FIXT.1.1", ...
inline constexpr wire::Tag BodyLength = 9;                // bytes after it, before CheckSum
inline constexpr wire::Tag MsgType = 35;                  // A: Logon; D: NewOrderSingle; ...
inline constexpr wire::Tag MsgSeqNum = 34;                // 1 or higher
inline constexpr wire::Tag PossDupFlag = 43;              // Y: possible repeat of its MsgSeqNum
inline constexpr wire::Tag SenderCompID = 49;             // the firm that sends
inline constexpr wire::Tag SenderSubID = 50;              // a desk or trader of the sender
inline constexpr wire::Tag SendingTime = 52;              // when the message is sent, in UTC
inline constexpr wire::Tag TargetCompID = 56;             // the firm that receives
inline constexpr wire::Tag TargetSubID = 57;              // a desk or trader of the receiver
inline constexpr wire::Tag SecureDataLen = 90;            // bytes of SecureData
inline constexpr wire::Tag SecureData = 91;               // an encrypted part of the message
inline constexpr wire::Tag PossResend = 97;               // Y: perhaps sent with another MsgSeqNum
inline constexpr wire::Tag OnBehalfOfCompID = 115;        // the firm that a third party sends for
inline constexpr wire::Tag OnBehalfOfSubID = 116;         // a desk or trader of that firm
inline constexpr wire::Tag OrigSendingTime = 122;         // SendingTime of the first transmission
inline constexpr wire::Tag DeliverToCompID = 128;         // the firm that a third party sends to
inline constexpr wire::Tag DeliverToSubID = 129;          // a desk or trader of that firm
inline constexpr wire::Tag SenderLocationID = 142;        // a place of the sender
inline constexpr wire::Tag TargetLocationID = 143;        // a place of the receiver
inline constexpr wire::Tag OnBehalfOfLocationID = 144;    // a place of OnBehalfOfCompID
inline constexpr wire::Tag DeliverToLocationID = 145;     // a place of DeliverToCompID
inline constexpr wire::Tag XmlDataLen = 212;              // bytes of XmlData
inline constexpr wire::Tag XmlData = 213;                 // an XML document, such as FIXML
inline constexpr wire::Tag MessageEncoding = 347;         // character set of the Encoded fields
inline constexpr wire::Tag LastMsgSeqNumProcessed = 369;  // last MsgSeqNum that was processed
inline constexpr wire::Tag OnBehalfOfSendingTime = 370;   // when OnBehalfOfCompID sent it
inline constexpr wire::Tag NoHops = 627;                  // number of hops: third parties
inline constexpr wire::Tag HopCompID = 628;               // the third party that forwards it
inline constexpr wire::Tag HopSendingTime = 629;          // when the third party forwards it
inline constexpr wire::Tag HopRefID = 630;                // its MsgSeqNum at the third party
inline constexpr wire::Tag ApplVerID = 1128;              // on FIXT 1.1; 9: FIX 5.0 SP2
inline constexpr wire::Tag CstmApplVerID = 1129;          // a version by agreement
inline constexpr wire::Tag ApplExtID = 1156;              // an extension pack

inline constexpr wire::Tag CheckSum = 10;         // sum of all bytes before it, modulo 256
inline constexpr wire::Tag Signature = 89;        // an electronic signature
inline constexpr wire::Tag SignatureLength = 93;  // bytes of Signature

inline constexpr wire::Tag BeginSeqNo = 7;                  // first MsgSeqNum to resend
inline constexpr wire::Tag EndSeqNo = 16;                   // last one to resend; 0: no end
inline constexpr wire::Tag NewSeqNo = 36;                   // next MsgSeqNum after a SequenceReset
inline constexpr wire::Tag RefSeqNum = 45;                  // MsgSeqNum of the rejected message
inline constexpr wire::Tag Text = 58;                       // free text
inline constexpr wire::Tag RawDataLength = 95;              // bytes of RawData
inline constexpr wire::Tag RawData = 96;                    // data that authenticates a Logon
inline constexpr wire::Tag EncryptMethod = 98;              // 0: none
inline constexpr wire::Tag HeartBtInt = 108;                // heartbeat interval in seconds
inline constexpr wire::Tag TestReqID = 112;                 // text that the Heartbeat repeats
inline constexpr wire::Tag GapFillFlag = 123;               // Y: GapFill; N: Reset
inline constexpr wire::Tag ResetSeqNumFlag = 141;           // Y: sequence numbers become 1
inline constexpr wire::Tag EncodedTextLen = 354;            // bytes of EncodedText
inline constexpr wire::Tag EncodedText = 355;               // Text, in MessageEncoding
inline constexpr wire::Tag RefTagID = 371;                  // tag of the rejected field
inline constexpr wire::Tag RefMsgType = 372;                // MsgType that an entry refers to
inline constexpr wire::Tag SessionRejectReason = 373;       // why a Reject rejects
inline constexpr wire::Tag BusinessRejectRefID = 379;       // ID within the rejected message
inline constexpr wire::Tag BusinessRejectReason = 380;      // why a BusinessMessageReject rejects
inline constexpr wire::Tag MaxMessageSize = 383;            // in bytes
inline constexpr wire::Tag NoMsgTypes = 384;                // number of MsgTypes in a Logon
inline constexpr wire::Tag MsgDirection = 385;              // S: sent; R: received
inline constexpr wire::Tag TestMessageIndicator = 464;      // Y: a test session
inline constexpr wire::Tag Username = 553;                  // name that authenticates a Logon
inline constexpr wire::Tag Password = 554;                  // in plain text
inline constexpr wire::Tag NextExpectedMsgSeqNum = 789;     // next MsgSeqNum that is expected
inline constexpr wire::Tag NewPassword = 925;               // in plain text; replaces Password
inline constexpr wire::Tag RefApplVerID = 1130;             // ApplVerID of RefMsgType
inline constexpr wire::Tag RefCstmApplVerID = 1131;         // CstmApplVerID of RefMsgType
inline constexpr wire::Tag DefaultApplVerID = 1137;         // for messages without ApplVerID
inline constexpr wire::Tag EncryptedPasswordMethod = 1400;  // how the passwords are encrypted
inline constexpr wire::Tag EncryptedPasswordLen = 1401;     // bytes of EncryptedPassword
inline constexpr wire::Tag EncryptedPassword = 1402;        // replaces Password
inline constexpr wire::Tag EncryptedNewPasswordLen = 1403;  // bytes of EncryptedNewPassword
inline constexpr wire::Tag EncryptedNewPassword = 1404;     // replaces NewPassword
inline constexpr wire::Tag RefApplExtID = 1406;             // ApplExtID of RefMsgType
inline constexpr wire::Tag DefaultApplExtID = 1407;         // for messages without ApplExtID
inline constexpr wire::Tag DefaultCstmApplVerID = 1408;     // for messages without CstmApplVerID
inline constexpr wire::Tag SessionStatus = 1409;            // answer to a Logon, as a number

}  // namespace nexusfix::tag
