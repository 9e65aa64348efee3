// The keys of the session layer: what is sent, checked, resent and limited.
#pragma once

#include "config/keys/key_row.hpp"

namespace nexusfix::config::keys {

// The keys that identify a session, and say which side connects.

using enum TakesEffect;
using session::SessionId;

inline constexpr KeyRow kIdentity[] = {
    {"BeginString", OtherSession,
     ValueRule{
         is_begin_string, "word",
         "FIX.4.0, FIX.4.1, FIX.4.2, FIX.4.3, FIX.4.4 or FIXT.1.1 (which FIX.5.0 is spoken over)"},
     sets<&SessionId::begin_string>, "", "FIX.4.4",
     "FIX.4.0 to FIX.4.4, or FIXT.1.1 for FIX 5.0, 5.0SP1 and 5.0SP2; required"},
    {"SenderCompID", OtherSession, kName, sets<&SessionId::sender_comp_id>, "", "TRADER",
     "our CompID; required"},
    {"TargetCompID", OtherSession, kName, sets<&SessionId::target_comp_id>, "", "VENUE",
     "the counterparty's CompID; required"},
    {"SessionQualifier", OtherSession, kShortText, sets<&SessionId::qualifier>, "", "backup",
     "distinguishes two initiators with the same CompIDs, on our side only"},
    {"SenderSubID", OtherSession, kName, sets<&SessionId::sender_sub_id>, "", "DESK7",
     "our SubID (50): in each message, and part of the identity"},
    {"SenderLocationID", OtherSession, kName, sets<&SessionId::sender_location_id>, "", "LONDON",
     "our LocationID (142): in each message, and part of the identity"},
    {"TargetSubID", OtherSession, kName, sets<&SessionId::target_sub_id>, "", "EQUITIES",
     "the counterparty's SubID (57): in each message, and part of the identity"},
    {"TargetLocationID", OtherSession, kName, sets<&SessionId::target_location_id>, "", "NEWYORK",
     "the counterparty's LocationID (143): in each message, and part of the identity"},
    {"DefaultApplVerID", NextLogon,
     read_by<read_appl_ver_id>("word",
                               "FIX.5.0, FIX.5.0SP1, FIX.5.0SP2 or another application version, or "
                               "its number from 2 to 9, or 10 for FIX Latest"),
     kReadByBuilder, "", "FIX.5.0SP2",
     "FIXT.1.1: the version of our messages, FIX.5.0SP2 or 9; required there"},
    {"ConnectionType", NextStart, one_of("initiator or acceptor"), kReadByBuilder, "", "initiator",
     "initiator or acceptor; if not given, by the keys of the address"},
};

using enum TakesEffect;
using dictionary::DictionaryFaults;
using dictionary::ValidationRules;
using session::FixtConfig;
using session::GapConfig;
using session::HeaderConfig;
using session::HeartbeatConfig;
using session::LogonConfig;
using session::ResendConfig;
using session::ResetConfig;
using session::ValidationConfig;
using wire::TimePrecision;

inline constexpr ValueRule kDictionaryPath =
    path("the path of a dictionary file in QuickFIX's XML form");

inline constexpr KeyRow kLogonAndTimers[] = {
    {"HeartBtInt", NextLogon, seconds(0, 3'600), sets<&HeartbeatConfig::heart_bt_int>, "", "30",
     "initiator: seconds between heartbeats, 0 for none; required there"},
    {"HeartBtIntOverride", NextLogon, kYesOrNo, sets<&HeartbeatConfig::imposes_heart_bt_int>, "N",
     "Y", "acceptor: Y: its own HeartBtInt applies, not the Logon's"},
    {"MinHeartBtInt", NextLogon, seconds(0, 3'600), sets<&HeartbeatConfig::heart_bt_int_min>, "0",
     "5", "acceptor: a Logon that asks for less is refused"},
    {"MaxHeartBtInt", NextLogon, seconds(0, 3'600), sets<&HeartbeatConfig::heart_bt_int_max>,
     "3600", "60", "acceptor: a Logon that asks for more is refused"},
    {"LogonTimeout", NextLogon, seconds(1, 3'600), sets<&LogonConfig::timeout>, "10", "30",
     "seconds to wait for the Logon"},
    {"LogoutTimeout", AtOnce, seconds(1, 3'600), sets<&LogonConfig::logout_timeout>, "2", "5",
     "seconds to wait for the answer to a Logout"},
    {"LogoutCloseTimeout", AtOnce, seconds(0, 3'600), sets<&LogonConfig::logout_close_timeout>,
     "10", "0",
     "seconds that the counterparty has to close the connection after our answer to its Logout; "
     "0: it is closed at once",
     "others: 0"},
    {"TestRequestDelayMultiplier", NextLogon, kFactor, sets<&HeartbeatConfig::test_request_delay>,
     "0.2", "0.5", "a TestRequest after (1 + this) x HeartBtInt of silence", "QuickFIX/J: 0.5"},
    {"HeartBeatTimeoutMultiplier", NextLogon, kFactor, sets<&HeartbeatConfig::timeout>, "1.4",
     "2.5", "closed after (1 + this) x HeartBtInt of silence"},
    {"DisableHeartBeatCheck", AtOnce, kYesOrNo,
     sets_to<&HeartbeatConfig::disconnects_on_silence, false, true>, "N", "Y",
     "Y: a silent counterparty gets TestRequests, and is never disconnected"},
    {"SendLogoutBeforeDisconnectFromTimeout", AtOnce, kYesOrNo,
     sets<&HeartbeatConfig::says_logout_on_silence>, "N", "Y",
     "Y: a Logout is sent before a silent counterparty is disconnected"},
    {"Username", NextLogon, kName, sets<&LogonConfig::username>, "", "trader",
     "Username (553) of our Logons"},
    {"Password", NextLogon, secret(kName), sets<&LogonConfig::password>, "", "change-me",
     "Password (554) of our Logons"},
    {"NewPassword", NextLogon, secret(kName), sets<&LogonConfig::new_password>, "", "change-me-too",
     "NewPassword (925) of our Logons"},
    {"LogonTag", NextLogon,
     secret(numbered(read_by<read_logon_tag>("field",
                                             "a field to add to the Logon, such as 553=me, of "
                                             "at most 4096 bytes, and none that the session layer "
                                             "writes itself,"))),
     kReadByBuilder, "", "9001=DESK7",
     "a further field of our Logons, 553=me; LogonTag1 and so on for more"},
    {"LogonSignature", NextLogon,
     read_by<read_logon_signature>(
         "formula",
         "a field and a formula such as 96=base64(ed25519({35}|{49}|{56}|{34}|{52})), "
         "with base64, base64url or hex, and ed25519, rsa-sha256, hmac-sha256, hmac-sha512, "
         "hmac-sha512(sha256(...)) or sha256,"),
     kReadByBuilder, "", "96=base64(ed25519({35}|{49}|{56}|{34}|{52}))",
     "initiator: the signature of our Logons by LogonKey: {TAG} is a field of the Logon, a "
     "vertical bar SOH, \\n a line feed"},
    {"LogonKey", NextLogon,
     read_by<read_logon_key>("place",
                             "file:PATH, env:NAME or command:LINE, perhaps after base64:, "
                             "base64url: or hex:,"),
     kReadByBuilder, "", "file:venue.pem",
     "where the key of LogonSignature is: a file, a variable of the environment, or the output of "
     "a command"},
    {"LogonNonce", NextLogon,
     read_by<read_logon_nonce>(
         "field",
         "a field with {time-ms} or {random}, such as 5025={time-ms}, that the session "
         "layer does not write itself,"),
     kReadByBuilder, "", "5025={time-ms}",
     "a field with a new value in each Logon, before its signature: {time-ms}, {time-ms+N}, "
     "{random}"},
    {"PasswordFile", NextLogon, kPath, kReadByBuilder, "", "users.txt",
     "acceptor: the users that may log on and their passwords (553, 554): see nexusfix passwd"},
    {"AllowedUsernames", NextLogon,
     or_none(read_by<read_usernames>("list", "users between commas, such as alice,bob, or *")),
     kReadByBuilder, "", "alice,bob",
     "PasswordFile: users of this session, besides that of its TargetCompID; *: all"},
    {"MaxLogonFailures", AtOnce, number(0, 1'000), sets<&CredentialSettings::failures_max>, "5",
     "3",
     "PasswordFile: wrong passwords in a row that lock a CompID out from its address; 0: never"},
    {"LogonLockout", AtOnce, seconds(1, 3'600), sets<&CredentialSettings::lockout>, "60", "300",
     "PasswordFile: seconds of a lockout, doubled with each further failure, up to an hour"},
    {"MaxLogonFailuresPerAddress", AtOnce, number(0, 1'000'000),
     sets<&CredentialSettings::failures_per_address_max>, "100", "20",
     "PasswordFile: wrong passwords of one address, of any CompIDs, that lock it out; 0: never",
     "others: no limit"},
};

inline constexpr KeyRow kSequenceNumbers[] = {
    {"ResetOnLogon", NextLogon, kYesOrNo, sets<&ResetConfig::on_logon>, "N", "Y",
     "Y: both sequence numbers are reset to 1 at each Logon"},
    {"ResetOnLogout", AtOnce, kYesOrNo, sets<&ResetConfig::on_logout>, "N", "Y",
     "Y: both sequence numbers are reset to 1 after a Logout"},
    {"ResetSeqNumAt", AtOnce, number(0, 1'000'000'000'000'000'000),
     sets<&ResetConfig::in_session_at>, "0", "999999999",
     "a MsgSeqNum above this one resets both sequence numbers within the session; 0: none does",
     "others: never"},
    {"ResetOnDisconnect", AtOnce, kYesOrNo, sets<&ResetConfig::on_disconnect>, "N", "Y",
     "Y: both sequence numbers are reset to 1 after a lost connection"},
    {"AllowResetSeqNumFlag", AtOnce, kYesOrNo, sets<&ResetConfig::allows_reset_seq_num_flag>, "Y",
     "N", "N: a Logon with ResetSeqNumFlag=Y is refused"},
    {"AllowSequenceReset", AtOnce, kYesOrNo, sets<&ResetConfig::allows_sequence_reset>, "Y", "N",
     "N: a SequenceReset-Reset is rejected"},
    {"SendNextExpectedMsgSeqNum", NextLogon, kYesOrNo,
     sets<&LogonConfig::send_next_expected_msg_seq_num>, "N", "Y",
     "Y: NextExpectedMsgSeqNum (789) in Logons: messages are resent without a ResendRequest"},
    {"EnableNextExpectedMsgSeqNum", NextLogon, kYesOrNo,
     sets<&LogonConfig::send_next_expected_msg_seq_num>, "N", "Y",
     "another name of SendNextExpectedMsgSeqNum"},
    {"EnableLastMsgSeqNumProcessed", NextLogon, kYesOrNo,
     sets<&HeaderConfig::send_last_msg_seq_num_processed>, "N", "Y",
     "Y: LastMsgSeqNumProcessed (369) in every header, from FIX.4.2 on"},
};

inline constexpr KeyRow kResends[] = {
    {"PersistMessages", AtOnce, kYesOrNo, sets<&ResendConfig::persist_messages>, "Y", "N",
     "N: messages are not kept, a ResendRequest gets gap fills"},
    {"SendRedundantResendRequests", AtOnce, kYesOrNo,
     sets<&GapConfig::send_redundant_resend_requests>, "N", "Y",
     "Y: a ResendRequest without an answer is repeated"},
    {"ResendRequestChunkSize", AtOnce, number(0, 1'000'000'000),
     sets<&GapConfig::resend_request_chunk>, "0", "1000",
     "messages in one ResendRequest, at most; 0: all"},
    {"MaxMessagesInResendRequest", AtOnce, number(0, 1'000'000'000),
     sets<&GapConfig::resend_request_chunk>, "0", "1000", "another name of ResendRequestChunkSize"},
    {"ClosedResendInterval", AtOnce, kYesOrNo, sets<&GapConfig::closed_resend_requests>, "Y", "N",
     "N: a ResendRequest asks for everything sent so far", "others: N"},
    {"MaxResendMessages", AtOnce, number(0, 1'000'000'000), sets<&ResendConfig::messages_max>, "0",
     "10000", "messages of one resend, the last ones; the others are gap-filled; 0: all"},
    {"MaxResendsPerSecond", AtOnce, number(0, 1'000'000'000),
     sets<&SessionLimits::resends_per_second_max>, "500000", "5000",
     "messages sent again within a second; 0: no limit"},
    {"MaxResendAge", AtOnce, seconds(0, 31'536'000), sets<&SessionLimits::resend_age_max>, "0",
     "3600", "seconds after which a message is gap-filled instead; 0: never"},
};

inline constexpr KeyRow kChecks[] = {
    {"CheckCompID", AtOnce, kYesOrNo, sets<&HeaderConfig::check_comp_id>, "Y", "N",
     "CompIDs of each message must be those of the session"},
    {"CheckLatency", AtOnce, kYesOrNo, sets<&HeaderConfig::check_latency>, "Y", "N",
     "SendingTime must be near our clock"},
    {"MaxLatency", AtOnce, seconds(1, 86'400), sets<&HeaderConfig::max_latency>, "120", "30",
     "CheckLatency: seconds that SendingTime may differ from our clock"},
    {"RequiresOrigSendingTime", AtOnce, kYesOrNo, sets<&HeaderConfig::requires_orig_sending_time>,
     "Y", "N", "a PossDup message without OrigSendingTime is rejected"},
    {"MaxAdminMessagesPerSecond", AtOnce, number(1, 1'000'000),
     sets<&SessionLimits::admin_messages_per_second_max>, "1000", "100",
     "more administrative messages than this within a second, SequenceResets aside, end the "
     "session",
     "others: no limit"},
    {"UseDataDictionary", NextLogon, kYesOrNo, sets<&DictionarySettings::is_used>, "Y", "N",
     "N: nothing is checked by a dictionary"},
    {"DataDictionary", NextLogon, kDictionaryPath, kReadByBuilder, "built-in", "venue.xml",
     "the path of another dictionary, QuickFIX XML or Orchestra", "QuickFIX needs a file"},
    {"TransportDataDictionary", NextLogon, kDictionaryPath, kReadByBuilder, "built-in",
     "FIXT11.xml", "FIXT.1.1: the dictionary of the header and of administrative messages",
     "QuickFIX needs a file"},
    {"AppDataDictionary", NextLogon, numbered(kDictionaryPath), kReadByBuilder, "built-in",
     "venue50.xml",
     "FIXT.1.1: the dictionary of application messages; AppDataDictionary.FIX.5.0 is of one "
     "version",
     "QuickFIX needs a file"},
    {"DictionaryFaults", NextLogon, one_of("Refuse or Warn"),
     sets_to<&DictionarySettings::faults, DictionaryFaults::Refuse, DictionaryFaults::Warn>,
     "Refuse", "Warn",
     "Warn: a dictionary file with faults is read as QuickFIX reads it; each is a warning"},
    {"ValidateIncomingMessage", NextLogon, kYesOrNo, kReadByBuilder, "Y", "N",
     "N: as UseDataDictionary=N"},
    {"ValidateFieldsOutOfOrder", NextLogon, kYesOrNo,
     sets<&ValidationRules::validate_fields_out_of_order>, "Y", "N",
     "header, body and trailer follow each other"},
    {"ValidateFieldsHaveValues", NextLogon, kYesOrNo,
     sets<&ValidationRules::validate_fields_have_values>, "Y", "N", "no field is empty"},
    {"ValidateUserDefinedFields", NextLogon, kYesOrNo,
     sets<&ValidationRules::validate_user_defined_fields>, "Y", "N",
     "tags from 5000 on must be in the dictionary"},
    {"AllowUnknownMsgFields", NextLogon, kYesOrNo, sets<&ValidationRules::allow_unknown_msg_fields>,
     "N", "Y", "Y: tags below 5000 need not be in the dictionary"},
    {"AllowUnknownEnumValues", NextLogon, kYesOrNo,
     sets<&ValidationRules::allow_unknown_enum_values>, "N", "Y",
     "Y: values need not be in their enumeration"},
    {"ValidateUnorderedGroupFields", NextLogon, kYesOrNo,
     sets<&ValidationRules::validate_unordered_group_fields>, "N", "Y",
     "Y: fields of a group's entry in the dictionary's order", "QuickFIX/J: Y"},
    {"FirstFieldInGroupIsDelimiter", NextLogon, kYesOrNo,
     sets<&ValidationRules::first_field_in_group_is_delimiter>, "N", "Y",
     "Y: each entry of a group begins with the first field of its first entry"},
    {"RejectInvalidMessage", AtOnce, kYesOrNo, sets<&ValidationConfig::reject_invalid_message>, "Y",
     "N", "N: invalid messages are logged and processed"},
    {"ValidateLengthAndChecksum", AtOnce, kYesOrNo, sets<&SessionSettings::validates_length>, "Y",
     "N", "N: a message with a wrong BodyLength or CheckSum is accepted"},
    {"ValidateChecksum", AtOnce, kYesOrNo, sets<&SessionSettings::validates_check_sum>, "Y", "N",
     "N: a message with a wrong CheckSum is accepted"},
    {"InboundDelivery", AtOnce, one_of("AtLeastOnce or AtMostOnce"),
     sets_to<&SessionSettings::inbound_delivery, InboundDelivery::AtLeastOnce,
             InboundDelivery::AtMostOnce>,
     "AtLeastOnce", "AtMostOnce",
     "AtMostOnce: a message is recorded before the application sees it, not after"},
    {"JournalInbound", AtOnce, kYesOrNo, sets<&SessionSettings::journals_inbound>, "N", "Y",
     "Y: the log keeps received messages, each in the record of its effect"},
};

inline constexpr KeyRow kSending[] = {
    {"MillisecondsInTimeStamp", NextLogon, kYesOrNo,
     sets_to<&HeaderConfig::time_precision, TimePrecision::Millis, TimePrecision::Seconds>, "Y",
     "N", "N: SendingTime in seconds"},
    {"TimestampPrecision", NextLogon, kPrecision,
     sets<&HeaderConfig::time_precision, read_time_precision>, "3", "MICROS",
     "digits after the second: 0, 3, 6 or 9"},
    {"SendWhileLoggedOut", AtOnce, kYesOrNo, sets<&SessionSettings::sends_while_logged_out>, "Y",
     "N", "N: send() fails while the session is not logged on"},
    {"DisconnectNoticeDelay", AtOnce, seconds(0, 86'400),
     sets<&SessionSettings::disconnect_notice_delay>, "0", "10",
     "seconds without a connection until on_disconnect() is called"},
    {"ThrottleMessages", AtOnce, number(0, 1'000'000), sets<&ThrottleSettings::messages_max>, "0",
     "500", "application messages that are accepted within ThrottleInterval; 0: no limit"},
    {"ThrottleInterval", AtOnce, seconds(1, 3'600), sets<&ThrottleSettings::interval>, "1", "5",
     "the seconds of ThrottleMessages"},
    {"ThrottleAction", AtOnce, one_of("Delay, Reject or LogOut"),
     sets_to<&ThrottleSettings::action, ThrottleAction::Delay, ThrottleAction::Reject,
             ThrottleAction::LogOut>,
     "Delay", "Reject", "the action above ThrottleMessages: Delay, Reject or LogOut"},
    {"OutboundMessages", NextLogon, number(0, 1'000'000),
     sets<&OutboundLimitSettings::messages_max>, "0", "50",
     "messages that this side sends within OutboundInterval; 0: no limit"},
    {"OutboundMessagesByType", NextLogon,
     or_none(read_by<read_type_limits>("list", "MsgTypes with limits, such as D:20, F:50,")),
     sets<&OutboundLimitSettings::by_type, read_type_limits>, "", "D:20, F:50",
     "limits of single MsgTypes within OutboundInterval, beside OutboundMessages"},
    {"OutboundInterval", NextLogon, seconds(1, 3'600), sets<&OutboundLimitSettings::interval>, "1",
     "10", "the seconds of OutboundMessages and OutboundMessagesByType"},
    {"OutboundLimitRule", NextLogon, one_of("Queue, CancelsFirst or Refuse"),
     sets_to<&OutboundLimitSettings::rule, OutboundLimitRule::Queue,
             OutboundLimitRule::CancelsFirst, OutboundLimitRule::Refuse>,
     "Queue", "Refuse",
     "an application message above the limit waits, or after all cancels, or is refused"},
    {"OutboundQueueMessages", NextLogon, number(1, 1'000'000),
     sets<&OutboundLimitSettings::queued_max>, "1000", "100",
     "messages that wait for OutboundMessages, at most; send() refuses more"},
};

// The keys of a session's schedule; build/schedule_settings.cpp reads them.

using enum TakesEffect;

// An empty value takes a default of the whole file back.
inline constexpr ValueRule kTime = or_none(
    read_by<read_time_of_day>("time", "a time HH:MM:SS, with or without a time zone after it,"));
inline constexpr ValueRule kDay =
    or_none(read_by<read_day>("day", "a day of the week, such as Monday or Mon"));

inline constexpr KeyRow kSchedule[] = {
    {"NonStopSession", NextLogon, kYesOrNo, kReadByBuilder, "N", "Y",
     "Y: always open; so is a session without StartTime and EndTime",
     "QuickFIX wants one or the other"},
    {"StartTime", NextLogon, kTime, kReadByBuilder, "", "08:00:00",
     "HH:MM:SS, when the session opens"},
    {"EndTime", NextLogon, kTime, kReadByBuilder, "", "17:30:00",
     "HH:MM:SS, when the session closes and its sequence numbers are reset"},
    {"StartDay", NextLogon, kDay, kReadByBuilder, "", "Monday",
     "the day on which a weekly session opens"},
    {"EndDay", NextLogon, kDay, kReadByBuilder, "", "Friday",
     "the day on which a weekly session closes"},
    {"Weekdays", NextLogon,
     or_none(read_by<read_days>("list", "days of the week, such as Mon,Tue,Wed")), kReadByBuilder,
     "", "Mon,Tue,Wed,Thu,Fri", "the days on which a daily session opens: Mon,Tue,Wed"},
    {"LogonTime", NextLogon, kTime, kReadByBuilder, "", "08:30:00",
     "HH:MM:SS, from when a Logon is accepted within the session"},
    {"LogoutTime", NextLogon, kTime, kReadByBuilder, "", "16:45:00",
     "HH:MM:SS, until when a Logon is accepted within the session"},
    {"LogonDay", NextLogon, kDay, kReadByBuilder, "", "Monday",
     "the day of LogonTime, within a week"},
    {"LogoutDay", NextLogon, kDay, kReadByBuilder, "", "Friday",
     "the day of LogoutTime, within a week"},
    {"ResetSeqTime", NextLogon, kTime, kReadByBuilder, "", "12:00:00",
     "HH:MM:SS, when the sequence numbers are reset within a session, once a day"},
    {"UseLocalTime", NextLogon, kYesOrNo, kReadByBuilder, "N", "Y",
     "Y: times are in this machine's time zone"},
    {"TimeZone", NextLogon, text(1, 255, "a time zone of the tz database, such as Europe/London"),
     kReadByBuilder, "UTC", "Europe/London",
     "the zone of the times, by its name in the tz database"},
    {"Holidays", NextLogon,
     or_none(read_by<read_dates>("list", "dates, such as 2026-12-25,2027-01-01")), kReadByBuilder,
     "", "2026-12-25,2027-01-01", "dates without a session: 2026-12-25,2027-01-01"},
    {"HolidayFile", NextLogon, or_none(path("the path of a file of dates")), kReadByBuilder, "",
     "holidays.txt", "a file of dates without a session, one a line"},
};

}  // namespace nexusfix::config::keys
