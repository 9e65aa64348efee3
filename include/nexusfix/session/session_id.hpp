// The identity of a session: the FIX version and the two counterparties.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
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

// The differences between the FIX versions in the session layer, in one table. No other code of
// this layer compares BeginString.

namespace nexusfix::session {

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

// The FIX versions of a session's application messages.
struct ApplicationVersions {
  wire::NamedVersion own;           // of our messages without ApplVerID (1128)
  wire::NamedVersion counterparty;  // of the counterparty's messages without it
};

// The traits of FIX.4.0 to FIX.4.4 or FIXT.1.1. Null: any other BeginString. Static lifetime. Any
// thread.
[[nodiscard]] const VersionTraits* find_version(std::string_view begin_string) noexcept;

// Whether a MsgType (35) is that of an administrative message: Heartbeat (0) to Logout (5) and
// Logon (A). All others are application messages.
[[nodiscard]] constexpr bool is_administrative(std::string_view msg_type) noexcept {
  if (msg_type.size() != 1) return false;
  const char type = msg_type.front();
  return (type >= '0' && type <= '5') || type == 'A';
}

// The precision of timestamps in our messages: the wanted one, or whole seconds if the version
// allows nothing finer.
[[nodiscard]] wire::TimePrecision effective_precision(const VersionTraits& version,
                                                      wire::TimePrecision wanted) noexcept;

}  // namespace nexusfix::session
