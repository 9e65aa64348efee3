// The configuration of a session, by subject, with the defaults of QuickFIX where it has one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/session/session_id.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/values/conversions.hpp>

namespace nexusfix::session {

enum class Role : std::uint8_t { Initiator, Acceptor };

// What becomes of a message that comes while earlier ones are missing.
enum class OutOfOrder : std::uint8_t {
  Buffer,   // it is kept, and processed when the gap is closed
  Discard,  // it comes again with the resend. A ResendRequest is kept all the same
};

struct HeartbeatConfig {
  // Initiator: sent in the Logon (0 to 3,600; 0: no heartbeats). Acceptor: the Logon's value
  // counts.
  std::chrono::seconds heart_bt_int{30};
  // Acceptor: a Logon whose HeartBtInt is not between these is refused. 0 ≤ min ≤ max ≤ 3,600.
  std::chrono::seconds heart_bt_int_min{0};
  std::chrono::seconds heart_bt_int_max{3'600};
  // Acceptor: heart_bt_int counts, whatever the Logon asks for, and the answer says so.
  bool imposes_heart_bt_int = false;
  // A TestRequest after (1 + test_request_delay) × HeartBtInt of silence; the connection is closed
  // after (1 + timeout) × HeartBtInt of it.
  double test_request_delay = 0.2;
  double timeout = 1.4;
  // false: a TestRequest is sent and a notice given, and silence never ends the connection.
  bool disconnects_on_silence = true;
  // Where silence ends it: a Logout is sent first, and its answer is not awaited.
  bool says_logout_on_silence = false;
};

// A further field of our Logons.
struct LogonField {
  wire::Tag tag = 0;
  std::string value;
};

// Writes fields into our Logon, after those of the session, when it has its MsgSeqNum and its
// SendingTime: a signature over them, for example. Must not throw. If a field cannot be encoded no
// Logon is sent.
struct LogonWriter {
  void* context = nullptr;
  void (*write)(void* context, wire::Encoder& encoder,
                const wire::MessageHeader& header) noexcept = nullptr;
};

// Logon and Logout.
struct LogonConfig {
  std::chrono::seconds timeout{10};        // ≥ 1
  std::chrono::seconds logout_timeout{2};  // ≥ 1
  // Of our Logons; an empty one is not sent. From FIX 4.3 on, NewPassword from FIX 5.0 on; other
  // versions where both sides have agreed on it.
  std::string username{};      // 553
  std::string password{};      // 554
  std::string new_password{};  // 925
  // After those above, in this order. With a tag of the session layer's own fields no Logon is
  // sent.
  std::vector<LogonField> fields{};
  LogonWriter writer{};
  // Acceptor: a valid Logon is answered when on_logon_decision() says so.
  bool authenticates = false;
  std::chrono::seconds authentication_timeout{10};  // ≥ 1
  // Acceptor: an invalid Logon is answered by a Logout that says why, which uses up a number.
  // false: it is not answered, because its sender has proved nothing yet.
  bool answers_invalid = true;
  // FIX 4.4 and FIXT: each Logon says which number its sender expects (789), and the other side
  // resends what is missing, without a ResendRequest. Both sides must have agreed on it.
  bool send_next_expected_msg_seq_num = false;
};

struct ResetConfig {
  bool on_logon = false;
  bool on_logout = false;
  bool on_disconnect = false;
  // false: a Logon with ResetSeqNumFlag=Y (141) is refused, unless it answers our own.
  bool allows_reset_seq_num_flag = true;
  // false: SequenceReset-Reset is answered with a Reject, and changes nothing.
  bool allows_sequence_reset = true;
  // Largest accepted jump of a SequenceReset, in either mode, over the expected number.
  std::uint64_t sequence_jump_max = 1'000'000'000;
};

// Messages that we miss, and our ResendRequests for them.
struct GapConfig {
  OutOfOrder out_of_order = OutOfOrder::Buffer;
  bool send_redundant_resend_requests = false;
  // A ResendRequest asks for at most this number of messages, and for the next ones when they have
  // come. 0: for everything at once.
  std::uint64_t resend_request_chunk = 0;
  // true: a ResendRequest ends where the gap ends; false: it asks for everything sent so far.
  // Unset: it ends there if messages out of order are buffered, and asks for everything if they are
  // discarded. See "Sequence numbers" in docs/reference/session.md for the reasons.
  std::optional<bool> closed_resend_requests{};
  // A gap that does not shrink for this long is asked for again, a few times; ≥ 1. An answer that
  // ends before the gap does is not awaited for that long.
  std::chrono::seconds resend_timeout{30};
};

// What the counterparty asks for by its ResendRequests.
struct ResendConfig {
  // At most this number of messages is looked up for one resend, the last ones; everything before
  // them becomes a gap fill. 0: all are.
  std::uint64_t messages_max = 0;
  // A range that has been sent again this number of times in a row, and is asked for again, ends
  // the session; and so do requests, of whatever ranges, for more than this number of times the
  // numbers from the lowest of them on. 0: never.
  std::uint32_t repeats_max = 100;
  // The owner decides about each resend: see AskResend.
  bool asks_before = false;
  bool persist_messages = true;  // false: a ResendRequest is answered with gap fills only
};

// The standard header, of received messages and of our own.
struct HeaderConfig {
  bool check_comp_id = true;
  bool check_latency = true;
  std::chrono::seconds max_latency{120};
  bool requires_orig_sending_time = true;  // PossDup without OrigSendingTime is rejected
  // From FIX 4.2 on: LastMsgSeqNumProcessed (369) in the header of each of our messages.
  bool send_last_msg_seq_num_processed = false;
  wire::TimePrecision time_precision = wire::TimePrecision::Millis;  // FIX 4.0, 4.1: always seconds
};

// FIXT sessions only.
struct FixtConfig {
  // 1137: the version of our messages that name none. 2 (FIX.4.0) to 9 (FIX.5.0SP2).
  std::string default_appl_ver_id{};
  // BusinessMessageReject carries 1137, as QuickFIX's does. No dictionary has it there, so a strict
  // counterparty rejects it: only for those that expect it.
  bool business_reject_has_default_appl_ver_id = false;
};

// What messages of one application version must be right by, on a FIXT session.
struct ApplicationValidator {
  char appl_ver_id = '9';  // ApplVerID (1128): 2 to 9
  dictionary::Validator validator;
};

struct ValidationConfig {
  // Every received message must be right by it. None: a message needs only what the session layer
  // itself reads of it. On a FIXT session it is the one of administrative messages, and of default
  // messages, whatever their version is, if application_validators is empty.
  std::optional<dictionary::Validator> validator{};
  // FIXT only, beside validator: the versions that the counterparty's messages may be of, each with
  // the same transport dictionary. Messages of others are rejected. Empty: every version is
  // accepted.
  std::vector<ApplicationValidator> application_validators{};
  // Of the thread that the session runs on, and of its other sessions. None: each message is
  // validated as if it were the first one.
  std::shared_ptr<dictionary::ValidationMemory> memory{};
  // false: what the validator objects to is noted, and the message processed all the same. One with
  // a malformed field still is rejected, for it cannot be read.
  bool reject_invalid_message = true;
};

struct SessionConfig {
  SessionId id{};
  Role role = Role::Acceptor;
  HeartbeatConfig heartbeat{};
  LogonConfig logon{};
  ResetConfig reset{};
  GapConfig gap{};
  ResendConfig resend{};
  HeaderConfig header{};
  FixtConfig fixt{};
  ValidationConfig validation{};
  // The owner sees administrative messages of the counterparty: see Administrative.
  bool shows_administrative = false;
};

// What is wrong with a configuration, for people; empty if a StateMachine can be made of it. Static
// lifetime.
[[nodiscard]] std::string_view validate(const SessionConfig& config) noexcept;

// HeartBtInt (108) above this is refused: an hour of silence is no heartbeat.
inline constexpr std::chrono::seconds kHeartBtIntMax{3'600};
// So that no sum with it wraps.
inline constexpr std::uint64_t kResendRequestChunkMax = 1'000'000'000;
// SenderCompID, TargetCompID, Username, Password and NewPassword may be this long.
inline constexpr std::size_t kCompIdBytesMax = 256;

}  // namespace nexusfix::session
