// The identity of a session, its sequence numbers, and what an application and the session layer
// tell each other: decisions, and the reason of a disconnection. For programs that do not drive the
// state machine themselves.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/field.hpp>

namespace nexusfix::session {

// The identity of a session. A value. Its name, as to_string() writes it:
//
//   FIX.4.4:VENUE->TRADER              sender is always our side
//   FIX.4.4:VENUE->TRADER:desk7        with a qualifier
//   FIX.4.4:VENUE/DESK7/LDN->TRADER    with a sub ID and a location ID, as in QuickFIX/J
//   FIX.4.4:VENUE//LDN->TRADER         with a location ID only
//
// Different identities have different names. Within a part of the name, these bytes are written as
// `%` and two hexadecimal digits: `:`, `/` and `>`, bytes that are not printable ASCII, and a `%`
// before two hexadecimal digits. So the CompID `A->B` is `A-%3EB`.
struct SessionId {
  std::string begin_string{};        // BeginString (8): FIX.4.0 to FIX.4.4, or FIXT.1.1
  std::string sender_comp_id{};      // SenderCompID (49) of our messages
  std::string target_comp_id{};      // TargetCompID (56) of our messages
  std::string qualifier{};           // distinguishes sessions with the same IDs; never sent
  std::string sender_sub_id{};       // SenderSubID (50) of our messages; empty: none
  std::string sender_location_id{};  // SenderLocationID (142), from FIX 4.1 on; empty: none
  std::string target_sub_id{};       // TargetSubID (57); empty: none
  std::string target_location_id{};  // TargetLocationID (143), from FIX 4.1 on; empty: none

  // Member by member, as text.
  friend auto operator<=>(const SessionId&, const SessionId&) = default;
  // The name, such as `FIX.4.4:VENUE->TRADER`. parse() reads it back.
  [[nodiscard]] std::string to_string() const;
  // The identity that has this name. Unset: no identity has it, or it is not spelled as to_string()
  // spells it.
  [[nodiscard]] static std::optional<SessionId> parse(std::string_view name);
  // The name without escapes. Stores that an early version wrote have sessions under it. Several
  // identities may share one.
  [[nodiscard]] std::string former_name() const;
  // Whether our messages carry a sub ID or a location ID.
  [[nodiscard]] bool has_sub_ids() const noexcept {
    return !(sender_sub_id.empty() && sender_location_id.empty() && target_sub_id.empty() &&
             target_location_id.empty());
  }
};

}  // namespace nexusfix::session

// The hash of its name. Allocates.
template <>
struct std::hash<nexusfix::session::SessionId> {
  [[nodiscard]] std::size_t operator()(const nexusfix::session::SessionId& id) const {
    return std::hash<std::string>{}(id.to_string());
  }
};

namespace nexusfix::session {

namespace detail {

// The FIX versions of a session's application messages.
struct ApplicationVersions {
  wire::detail::NamedVersion own;           // of our messages without ApplVerID (1128)
  wire::detail::NamedVersion counterparty;  // of the counterparty's messages without it
};

}  // namespace detail

// Whether a MsgType (35) is that of an administrative message: Heartbeat (0) to Logout (5) and
// Logon (A). All others are application messages.
[[nodiscard]] constexpr bool is_administrative(std::string_view msg_type) noexcept {
  if (msg_type.size() != 1) return false;
  const char type = msg_type.front();
  return (type >= '0' && type <= '5') || type == 'A';
}

// The largest MsgSeqNum (34). The next one, 2^62, is the largest number that a store holds.
inline constexpr std::uint64_t kMsgSeqNumMax = (std::uint64_t{1} << 62U) - 1;
// The largest next MsgSeqNum that an operator may set, 10^18: no session counts from there to
// kMsgSeqNumMax.
inline constexpr std::uint64_t kSetNumberMax = 1'000'000'000'000'000'000;

// The next MsgSeqNum of each direction. Both are at least 1, and at most 2^62.
struct Numbers {
  std::uint64_t next_inbound = 1;   // expected from the counterparty: NextTargetMsgSeqNum
  std::uint64_t next_outbound = 1;  // of our next message: NextSenderMsgSeqNum
  // Equal if both are.
  friend bool operator==(const Numbers&, const Numbers&) = default;
};

namespace detail {

// The application's decision on a delivered message.
struct DeliveryDecision {
  // What the session does with the message.
  enum class Kind : std::uint8_t {
    Accept,          // counts it as received
    RejectBusiness,  // answers with BusinessMessageReject (j); before FIX 4.2 with Reject (3)
    RejectSession,   // answers with Reject (3)
  };
  Kind kind = Kind::Accept;   // a rejected message counts as received, too
  unsigned reason = 0;        // BusinessRejectReason (380) or SessionRejectReason (373)
  wire::Tag ref_tag = 0;      // RefTagID (371) of a Reject; 0: none
  std::string_view text{};    // Text (58); must live until next_action() returned nothing
  std::string_view ref_id{};  // BusinessRejectRefID (379); lives as long as text; empty: none
};

// The owner's decision on a resend.
struct ResendDecision {
  // How the session answers the request.
  enum class Kind : std::uint8_t {
    Resend,   // resends the messages from `from` on, and gap-fills the requested ones before it
    GapFill,  // gap-fills the whole range
    Reject,   // sends a Reject with text; LogOut instead if a Logon implies the resend
    LogOut,   // sends a Logout with text
  };
  Kind kind = Kind::Resend;  // the answer
  std::uint64_t from = 0;    // Resend: the first MsgSeqNum to resend; 0: all of the range
  std::string_view text{};   // Text (58); must live until next_action() returned nothing
};

}  // namespace detail

// Why the session closes a connection.
enum class DisconnectReason : std::uint8_t {
  LogonTimeout,          // no Logon arrived within LogonTimeout
  LogoutComplete,        // both sides have sent a Logout
  LogoutTimeout,         // the counterparty did not answer our Logout
  HeartbeatTimeout,      // the counterparty sent nothing and did not answer our TestRequest
  FirstMessageNotLogon,  // the first message of the connection is not a Logon
  LogonRefused,          // the Logon is invalid, or the counterparty refused our Logon
  LogonNotSent,          // our Logon cannot be encoded
  NotAuthenticated,      // the application refused the Logon
  LogonNotDecided,       // the application did not decide within LogonTimeout
  SessionTimeOver,       // the scheduled session ended before the Logon was answered
  // One side has lost its sequence numbers. The engine connects again when they are known again:
  // after an operator has set them, or a reset.
  MsgSeqNumTooLow,
  ProtocolViolation,  // the notice before it names the broken rule
  StreamUnusable,     // the end of a message cannot be found in the received bytes
  Operator,           // a logout command while the session was not logged on
};

// The reason in words, for a log: "Logout not answered". Static lifetime.
[[nodiscard]] std::string_view to_string(DisconnectReason reason) noexcept;
// Writes the text to a std::ostream.
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             DisconnectReason reason) {
  return out << to_string(reason);
}

// The reasons for which a message is rejected, as numbers and as texts.

using wire::SessionRejectReason;

// BusinessRejectReason (380), with the numbers of FIX 4.4.
enum class BusinessRejectReason : std::uint8_t {
  Other = 0,                              // Text (58) has the reason
  UnknownId = 1,                          // an identifier of the message is unknown
  UnknownSecurity = 2,                    // the instrument is unknown
  UnsupportedMessageType = 3,             // the application does not handle this MsgType
  ApplicationNotAvailable = 4,            // the application cannot process messages at present
  ConditionallyRequiredFieldMissing = 5,  // a field is missing that other fields require
  NotAuthorized = 6,                      // the sender may not send this message
  DeliverToFirmNotAvailable = 7,          // DeliverToCompID (128) cannot be reached at present
};

// The standard Text (58) for a SessionRejectReason (373): "Required tag missing" for 1. Numbers
// above 18 give "Other". Static lifetime. Any thread.
[[nodiscard]] std::string_view session_reject_text(unsigned reason) noexcept;
// The standard Text (58) for a BusinessRejectReason (380): "Unknown ID" for 1. Numbers above 7 give
// "Other". Static lifetime. Any thread.
[[nodiscard]] std::string_view business_reject_text(unsigned reason) noexcept;

}  // namespace nexusfix::session
