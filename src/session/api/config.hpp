// The configuration of a session: its rules, its schedule and the schedule's time zone.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/language.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/encoder.hpp>

// A time zone as a value: its offsets from UTC, and from when on each applies. It reads no file:
// the engine makes zones from the system's tz database.

namespace nexusfix::session {

// The offsets of one time zone. Any number of threads may read it. The functions are
// O(log changes), and do not allocate.
class TimeZone {
 public:
  // A change of the offset from UTC: the start or the end of daylight saving time, for example.
  struct Change {
    std::chrono::sys_seconds at;       // the first moment with this offset
    std::chrono::seconds offset{};     // local time minus UTC; less than a day
    std::string abbreviation = "UTC";  // "CET", "CEST"
  };

  // The zone UTC.
  TimeZone() = default;
  // name: as name() returns it. changes: in ascending order. The first offset also applies before
  // the first change. Without changes the zone has the offset 0.
  TimeZone(std::string name, std::vector<Change> changes);

  // The name in the tz database: "Europe/London". Valid as long as this object.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // The change whose offset applies at this moment. Valid as long as this object.
  [[nodiscard]] const Change& change_at(std::chrono::sys_seconds time) const noexcept;
  // The time that clocks of the zone show at this moment.
  [[nodiscard]] std::chrono::local_seconds to_local(std::chrono::sys_seconds time) const noexcept;
  // The moment at which clocks of the zone show this time: the first one, if there are two. For a
  // time that clocks skip, the moment of the change.
  [[nodiscard]] std::chrono::sys_seconds to_utc(std::chrono::local_seconds time) const noexcept;

 private:
  std::string name_ = "UTC";
  std::vector<Change> changes_{Change{}};
};

// When a session is open, and when its sequence numbers are reset: the hours of QuickFIX's keys
// StartTime, EndTime and those that go with them, by the clocks of one or two places. A schedule is
// a value and has no clock: the time is an argument. One thread at a time may change it, any number
// of threads may read it.

// A time of the day on the clocks of one place.
struct LocalTime {
  std::chrono::seconds time_of_day{0};   // since midnight, 0 to 86,399
  std::shared_ptr<const TimeZone> zone;  // null: UTC
};

// Opens at `start`, and closes at the next `end` after it. If both are equal, it is open for a
// whole day, or a whole week.
struct SessionHours {
  LocalTime start;  // when it opens
  LocalTime end;    // when it closes
  // The days on which a weekly schedule opens and closes. A daily one has neither.
  std::optional<std::chrono::weekday> start_day{};
  std::optional<std::chrono::weekday> end_day{};  // set if and only if start_day is set
};

// The rules of a schedule, as the configuration has them. Schedule::make() checks them.
struct ScheduleRules {
  SessionHours session;  // when a session begins and ends
  // The part of a session in which a Logon is accepted. Unset: all of it.
  std::optional<SessionHours> logon{};
  // Daily sessions: the weekdays on which a session starts. Empty: every day.
  std::vector<std::chrono::weekday> weekdays{};
  // Dates at the place where the session starts. A daily session that would start on one does not
  // take place. During a weekly session, no Logon is accepted on these dates.
  std::set<std::chrono::local_days> holidays{};
  // Once a day within a session, both sequence numbers are reset at this time: one session ends and
  // the next one begins.
  std::optional<LocalTime> reset_time{};
};

// The time from `begin` on and before `end`.
struct TimeSpan {
  std::chrono::sys_seconds begin;  // the first second
  std::chrono::sys_seconds end;    // the second after the last one
  friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};

// The state of a schedule at one moment. It stays the same until next_change.
struct ScheduleState {
  std::optional<TimeSpan> session{};  // the session in progress; unset: none
  bool may_log_on = true;             // whether a Logon is accepted
  // Sequence numbers that were used before this moment belong to a session that is over. min(): no
  // session is over, and none are reset.
  std::chrono::sys_seconds numbers_since = std::chrono::sys_seconds::min();
  std::chrono::sys_seconds next_change = std::chrono::sys_seconds::max();  // max(): never
};

// A checked schedule. Made from rules, or non-stop.
class Schedule {
 public:
  // Non-stop: always open, and no sequence numbers are reset.
  Schedule() = default;
  // The error is a text that names the rules that contradict each other, by the configuration's
  // keys. Allocates.
  [[nodiscard]] static std::expected<Schedule, std::string> make(ScheduleRules rules);

  // Whether the session is always open.
  [[nodiscard]] bool is_non_stop() const noexcept { return !rules_; }
  // The rules that it was made from; unset: non-stop. Valid as long as this object.
  [[nodiscard]] const std::optional<ScheduleRules>& rules() const noexcept { return rules_; }

  // The state at this moment. Searches at most two years, day by day. Does not allocate.
  [[nodiscard]] ScheduleState at(std::chrono::sys_seconds time) const noexcept;
  // The first session that begins after this moment. Unset: non-stop, or none within two years.
  // Does not allocate.
  [[nodiscard]] std::optional<TimeSpan> next_session(std::chrono::sys_seconds time) const noexcept;
  // The first moment, from this one on, at which a Logon is accepted. Unset: none within two years.
  // Does not allocate.
  [[nodiscard]] std::optional<std::chrono::sys_seconds> next_logon(
      std::chrono::sys_seconds time) const noexcept;

 private:
  explicit Schedule(ScheduleRules rules) : rules_{std::move(rules)} {}
  std::optional<ScheduleRules> rules_;
};

// The configuration of a session, by subject. The defaults are those of QuickFIX where it has one.
// docs/reference/keys.md has the keys that set these members in a configuration file.

// The differences between the FIX versions in the session layer, in one table. No other code of
// this layer compares BeginString.

// The fields and messages that one FIX version has in the session layer.
struct VersionTraits {
  std::string_view begin_string;  // BeginString (8); static lifetime
  // The EndSeqNo (16) that means "everything sent so far": 999,999 in FIX 4.0 and 4.1, otherwise 0.
  std::uint64_t resend_to_infinity = 0;
  // The highest SessionRejectReason (373) that the version defines, apart from 99 (Other). A Reject
  // for a higher reason has it only in Text (58). 0: the version has none of 371, 372 and 373.
  unsigned reject_reason_max = 0;
  bool has_reject_reasons = false;       // 371, 372 and 373 in Reject
  bool has_reject_reason_other = false;  // 373=99
  bool has_business_reject = false;      // BusinessMessageReject (j)
  bool has_reset_seq_num_flag = false;   // ResetSeqNumFlag (141) in Logon
  bool has_location_ids = false;         // LocationIDs (142 to 145) in the header
  bool has_default_appl_ver_id = false;  // DefaultApplVerID (1137), required in Logon
  bool has_fractional_seconds = false;   // SendingTime (52) finer than a second
  bool has_last_processed = false;       // LastMsgSeqNumProcessed (369) in the header
  bool has_next_expected = false;        // NextExpectedMsgSeqNum (789) in Logon
  bool has_session_status = false;       // SessionStatus (1409) in Logon and Logout
};

// The traits of FIX.4.0 to FIX.4.4 or FIXT.1.1. Null: any other BeginString. Static lifetime. Any
// thread.
[[nodiscard]] const VersionTraits* find_version(std::string_view begin_string) noexcept;

// The precision of timestamps in our messages: the wanted one, or whole seconds if the version
// allows nothing finer.
[[nodiscard]] wire::TimePrecision effective_precision(const VersionTraits& version,
                                                      wire::TimePrecision wanted) noexcept;

// The side of the session that we are.
enum class Role : std::uint8_t {
  Initiator,  // connects and sends its Logon first
  Acceptor,   // listens and answers the Logon
};

// Heartbeats, TestRequests, and when silence ends a connection. FIX Session Layer, "Heartbeat".
struct HeartbeatConfig {
  // Initiator: HeartBtInt (108) of our Logon, 0 to 3,600 s; 0: no heartbeats. Acceptor: the value
  // of the counterparty's Logon applies, unless imposes_heart_bt_int is set.
  std::chrono::seconds heart_bt_int{30};
  // Acceptor: a Logon with a lower HeartBtInt is refused. 0 to heart_bt_int_max.
  std::chrono::seconds heart_bt_int_min{0};
  // Acceptor: a Logon with a higher HeartBtInt is refused. At most 3,600 s.
  std::chrono::seconds heart_bt_int_max{3'600};
  // Acceptor: heart_bt_int applies, whatever the Logon asks for, and our Logon carries it.
  bool imposes_heart_bt_int = false;
  // A TestRequest is sent after (1 + test_request_delay) × HeartBtInt of silence. 0 to 100.
  double test_request_delay = 0.2;
  // The connection is closed after (1 + timeout) × HeartBtInt of silence. From test_request_delay
  // to 100.
  double timeout = 1.4;
  // false: silence causes a TestRequest and a notice, and never ends the connection.
  bool disconnects_on_silence = true;
  // true: a Logout is sent before silence ends the connection. Its answer is not awaited.
  bool says_logout_on_silence = false;
};

// The limit of the value of one LogonField, in bytes.
inline constexpr std::size_t kLogonFieldBytesMax = 4096;
// The limit of the values of all LogonFields together, in bytes.
inline constexpr std::size_t kLogonFieldsBytesMax = 8192;
// A further field of our Logons.
struct LogonField {
  wire::Tag tag = 0;  // a tag that the session layer does not write itself
  std::string value;  // not empty, without SOH
};

// Writes fields into our Logon, after those of the session layer: for example a signature over its
// MsgSeqNum and SendingTime, which header has. If a field cannot be encoded, no Logon is sent, and
// the connection is closed (DisconnectReason::LogonNotSent).
struct LogonWriter {
  // The first argument of write. What it points to must live as long as the session.
  void* context = nullptr;
  // Called for each of our Logons, on the thread of the session. Null: writes nothing.
  void (*write)(void* context, wire::Encoder& encoder,
                const wire::MessageHeader& header) noexcept = nullptr;
};

// Logon and Logout.
struct LogonConfig {
  // How long a connection waits for the Logon, or for the answer to our Logon. At least 1 s.
  std::chrono::seconds timeout{10};
  // How long our Logout waits for its answer. At least 1 s.
  std::chrono::seconds logout_timeout{2};
  // How long the counterparty's Logout waits for the next one of the messages that are missing
  // before it. 0: they are not requested, and it is answered at once.
  std::chrono::seconds logout_gap_timeout{2};
  // How long the counterparty has to close the connection after our answer to its Logout. 0: it is
  // closed at once.
  std::chrono::seconds logout_close_timeout{10};
  // Username (553) of our Logons; empty: not sent. FIX defines it from FIX 4.3 on. Earlier versions
  // need the counterparty's agreement. At most kCompIdBytesMax bytes without SOH.
  std::string username{};
  std::string password{};      // Password (554) of our Logons; otherwise as username
  std::string new_password{};  // NewPassword (925) of our Logons, FIX 5.0; otherwise as username
  // Further fields of our Logons, in this order: those of the standard header in the header, those
  // of the trailer (93, 89) in the trailer, all others after the fields above. A data field follows
  // its Length, which is the number of its bytes. If the session layer writes a field with the same
  // tag, no Logon is sent.
  std::vector<LogonField> fields{};
  LogonWriter writer{};  // writes the last fields of our Logons
  // Acceptor: a valid Logon waits for on_logon_decision(). See the action Authenticate.
  bool authenticates = false;
  // How long a Logon waits for on_logon_decision() until the connection is closed. At least 1 s.
  std::chrono::seconds authentication_timeout{10};
  // Acceptor: an invalid Logon is answered with a Logout that names the error and uses a MsgSeqNum.
  // false: the connection is closed without an answer, because the sender is not authenticated.
  bool answers_invalid = true;
  // FIX 4.4 and FIXT: each Logon carries the MsgSeqNum that its sender expects, as
  // NextExpectedMsgSeqNum (789). The other side resends what is missing, without a ResendRequest.
  // Both sides must have agreed on it.
  bool send_next_expected_msg_seq_num = false;
};

// When both sequence numbers are reset to 1, and which resets of the counterparty are accepted.
struct ResetConfig {
  // At each Logon. From FIX 4.1 on an initiator sends ResetSeqNumFlag (141=Y); an acceptor does
  // not.
  bool on_logon = false;
  bool on_logout = false;      // after the answer to a Logout
  bool on_disconnect = false;  // at the end of each connection
  // Within the session when a MsgSeqNum of either direction is above this one; 0: never. The owner
  // calls on_reset_command().
  std::uint64_t in_session_at = 0;
  // false: a Logon with ResetSeqNumFlag=Y (141) is refused, unless it answers our own.
  bool allows_reset_seq_num_flag = true;
  // false: a SequenceReset-Reset is answered with a Reject, and changes nothing.
  bool allows_sequence_reset = true;
  // The largest jump of a SequenceReset, in either mode: NewSeqNo (36) minus the expected
  // MsgSeqNum. A larger one ends the session with a Logout.
  std::uint64_t sequence_jump_max = 1'000'000'000;
};

// Messages that we miss, and our ResendRequests for them. The owner keeps a message that arrives
// before the missing ones, and it is processed when the gap is closed.
struct GapConfig {
  // true: each message that arrives out of order causes a ResendRequest, also while one is open.
  bool send_redundant_resend_requests = false;
  // A ResendRequest asks for at most this number of messages, and for the next ones when these have
  // arrived. 0 to kResendRequestChunkMax; 0: for all of them at once.
  std::uint64_t resend_request_chunk = 0;
  // true: a ResendRequest ends where the gap ends. false: it asks for everything sent so far.
  // docs/internals/gap-recovery.md has the reasons.
  bool closed_resend_requests = true;
  // A gap that makes no progress for this time is requested again, at most three times in all; then
  // the session ends with a Logout. At least 1 s. An answer that ends too early is noticed sooner.
  std::chrono::seconds resend_timeout{30};
};

// The counterparty's ResendRequests.
struct ResendConfig {
  // The number of messages that one resend looks up, at most: the last ones of the requested range.
  // Earlier ones are gap-filled. 0: no limit.
  std::uint64_t messages_max = 0;
  // Ends the session if the same range is requested again after it has been resent this number of
  // times in a row; or if all ResendRequests of a connection together ask for more than this number
  // of times the messages from the lowest requested one on. 0: no limit.
  std::uint32_t repeats_max = 100;
  // true: the owner decides on each resend. See the action AskResend.
  bool asks_before = false;
  // false: no message is looked up, and a ResendRequest is answered with gap fills only.
  bool persist_messages = true;
};

// The standard header, of received messages and of our own.
struct HeaderConfig {
  // A message with other CompIDs than the session's is rejected, and ends the session.
  bool check_comp_id = true;
  // A message whose SendingTime (52) differs from our clock by more than max_latency is rejected,
  // and ends the session.
  bool check_latency = true;
  std::chrono::seconds max_latency{120};  // for check_latency; at least 1 s
  // A PossDup message without OrigSendingTime (122) is rejected.
  bool requires_orig_sending_time = true;
  // From FIX 4.2 on: LastMsgSeqNumProcessed (369) in the header of each of our messages.
  bool send_last_msg_seq_num_processed = false;
  // The precision of SendingTime in our messages. FIX 4.0 and 4.1 have whole seconds only.
  wire::TimePrecision time_precision = wire::TimePrecision::Millis;
};

// FIXT sessions only.
struct FixtConfig {
  // DefaultApplVerID (1137) of our Logons: the version of our messages that carry no ApplVerID
  // (1128). "2" (FIX.4.0) to "9" (FIX.5.0SP2), or "10" (FIX Latest, treated as "9").
  std::string default_appl_ver_id{};
  // true: our BusinessMessageReject carries 1137, as QuickFIX's does. No dictionary has it there,
  // so a strict counterparty rejects it. Only for counterparties that expect it.
  bool business_reject_has_default_appl_ver_id = false;
};

// The validator for messages of one application version on a FIXT session.
struct ApplicationValidator {
  char appl_ver_id = '9';           // ApplVerID (1128), '2' to '9'
  dictionary::Validator validator;  // made from the session's transport dictionary and this version
};

// The checks of received messages against a dictionary.
struct ValidationConfig {
  // Checks every received message. Unset: the session checks only the fields that it reads itself.
  // On a FIXT session it checks administrative messages, and application messages of versions for
  // which application_validators has no entry.
  std::optional<dictionary::Validator> validator{};
  // FIXT, in addition to validator: the versions that the counterparty's messages may have. A
  // message of another version is rejected. Empty: every version is accepted.
  std::vector<ApplicationValidator> application_validators{};
  // Makes validation faster: see dictionary::ValidationMemory. Sessions of one thread may share it,
  // sessions of different threads must not. Null: none is used.
  std::shared_ptr<dictionary::ValidationMemory> memory{};
  // false: an invalid message causes a notice and is processed. A message with a malformed field is
  // rejected nevertheless, because it cannot be read.
  bool reject_invalid_message = true;
};

// The whole configuration of a session. A value; validate() checks it.
struct SessionConfig {
  SessionId id{};                 // the version and the two counterparties
  Role role = Role::Acceptor;     // initiator or acceptor
  HeartbeatConfig heartbeat{};    // heartbeats and silence
  LogonConfig logon{};            // Logon and Logout
  ResetConfig reset{};            // resets of both sequence numbers
  GapConfig gap{};                // messages that we miss
  ResendConfig resend{};          // messages that the counterparty misses
  HeaderConfig header{};          // the standard header
  FixtConfig fixt{};              // FIXT sessions only
  ValidationConfig validation{};  // checks against a dictionary
  // true: the owner receives the counterparty's administrative messages. See the action
  // Administrative.
  bool shows_administrative = false;
};

// The first error of a configuration, for people: "HeartBtInt is not between 0 and 3600". Empty: it
// is valid, and a StateMachine can be made from it. Static lifetime. Does not allocate.
[[nodiscard]] std::string_view validate(const SessionConfig& config) noexcept;

// The highest HeartBtInt (108): an hour. A Logon with a higher one is refused.
inline constexpr std::chrono::seconds kHeartBtIntMax{3'600};
// The highest GapConfig::resend_request_chunk, so that no sum with it overflows.
inline constexpr std::uint64_t kResendRequestChunkMax = 1'000'000'000;
// The number of bytes that a CompID, SubID, LocationID, Username, Password, NewPassword or further
// Logon field may have, at most.
inline constexpr std::size_t kCompIdBytesMax = 256;

}  // namespace nexusfix::session
