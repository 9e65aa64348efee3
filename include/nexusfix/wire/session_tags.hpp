// The tags that the session layer itself reads and writes: standard header, standard trailer and
// administrative messages of FIX 4.0 to FIXT 1.1. The generated headers define all other tags.
#pragma once

#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::tag {

// Standard header: the first three in their required order, then by number.
inline constexpr wire::Tag BeginString = 8;
inline constexpr wire::Tag BodyLength = 9;
inline constexpr wire::Tag MsgType = 35;
inline constexpr wire::Tag MsgSeqNum = 34;
inline constexpr wire::Tag PossDupFlag = 43;
inline constexpr wire::Tag SenderCompID = 49;
inline constexpr wire::Tag SenderSubID = 50;
inline constexpr wire::Tag SendingTime = 52;
inline constexpr wire::Tag TargetCompID = 56;
inline constexpr wire::Tag TargetSubID = 57;
inline constexpr wire::Tag SecureDataLen = 90;
inline constexpr wire::Tag SecureData = 91;
inline constexpr wire::Tag PossResend = 97;
inline constexpr wire::Tag OnBehalfOfCompID = 115;
inline constexpr wire::Tag OnBehalfOfSubID = 116;
inline constexpr wire::Tag OrigSendingTime = 122;
inline constexpr wire::Tag DeliverToCompID = 128;
inline constexpr wire::Tag DeliverToSubID = 129;
inline constexpr wire::Tag SenderLocationID = 142;
inline constexpr wire::Tag TargetLocationID = 143;
inline constexpr wire::Tag OnBehalfOfLocationID = 144;
inline constexpr wire::Tag DeliverToLocationID = 145;
inline constexpr wire::Tag XmlDataLen = 212;
inline constexpr wire::Tag XmlData = 213;
inline constexpr wire::Tag MessageEncoding = 347;
inline constexpr wire::Tag LastMsgSeqNumProcessed = 369;
inline constexpr wire::Tag OnBehalfOfSendingTime = 370;
inline constexpr wire::Tag NoHops = 627;
inline constexpr wire::Tag HopCompID = 628;
inline constexpr wire::Tag HopSendingTime = 629;
inline constexpr wire::Tag HopRefID = 630;
inline constexpr wire::Tag ApplVerID = 1128;
inline constexpr wire::Tag CstmApplVerID = 1129;
inline constexpr wire::Tag ApplExtID = 1156;

// Standard trailer.
inline constexpr wire::Tag CheckSum = 10;
inline constexpr wire::Tag Signature = 89;
inline constexpr wire::Tag SignatureLength = 93;

// Administrative messages.
inline constexpr wire::Tag BeginSeqNo = 7;
inline constexpr wire::Tag EndSeqNo = 16;
inline constexpr wire::Tag NewSeqNo = 36;
inline constexpr wire::Tag RefSeqNum = 45;
inline constexpr wire::Tag Text = 58;
inline constexpr wire::Tag RawDataLength = 95;
inline constexpr wire::Tag RawData = 96;
inline constexpr wire::Tag EncryptMethod = 98;
inline constexpr wire::Tag HeartBtInt = 108;
inline constexpr wire::Tag TestReqID = 112;
inline constexpr wire::Tag GapFillFlag = 123;
inline constexpr wire::Tag ResetSeqNumFlag = 141;
inline constexpr wire::Tag EncodedTextLen = 354;
inline constexpr wire::Tag EncodedText = 355;
inline constexpr wire::Tag RefTagID = 371;
inline constexpr wire::Tag RefMsgType = 372;
inline constexpr wire::Tag SessionRejectReason = 373;
inline constexpr wire::Tag BusinessRejectRefID = 379;
inline constexpr wire::Tag BusinessRejectReason = 380;
inline constexpr wire::Tag MaxMessageSize = 383;
inline constexpr wire::Tag NoMsgTypes = 384;
inline constexpr wire::Tag MsgDirection = 385;
inline constexpr wire::Tag TestMessageIndicator = 464;
inline constexpr wire::Tag Username = 553;
inline constexpr wire::Tag Password = 554;
inline constexpr wire::Tag NextExpectedMsgSeqNum = 789;
inline constexpr wire::Tag NewPassword = 925;
inline constexpr wire::Tag RefApplVerID = 1130;
inline constexpr wire::Tag RefCstmApplVerID = 1131;
inline constexpr wire::Tag DefaultApplVerID = 1137;
inline constexpr wire::Tag EncryptedPasswordMethod = 1400;
inline constexpr wire::Tag EncryptedPasswordLen = 1401;
inline constexpr wire::Tag EncryptedPassword = 1402;
inline constexpr wire::Tag EncryptedNewPasswordLen = 1403;
inline constexpr wire::Tag EncryptedNewPassword = 1404;
inline constexpr wire::Tag RefApplExtID = 1406;
inline constexpr wire::Tag DefaultApplExtID = 1407;
inline constexpr wire::Tag DefaultCstmApplVerID = 1408;
inline constexpr wire::Tag SessionStatus = 1409;

}  // namespace nexusfix::tag
