// The differences between the FIX versions in the session layer, in one table. No other code of
// this layer compares BeginString.
#pragma once

#include <cstdint>
#include <string_view>

#include <nexusfix/wire/application_version.hpp>
#include <nexusfix/wire/values/conversions.hpp>

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
