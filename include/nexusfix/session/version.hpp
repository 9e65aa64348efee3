// What differs between the FIX versions in the session layer, in one table: no other code of this
// layer compares BeginString.
#pragma once

#include <cstdint>
#include <string_view>

#include <nexusfix/wire/values/conversions.hpp>

namespace nexusfix::session {

struct VersionTraits {
  std::string_view begin_string;
  // EndSeqNo (16) that means "everything sent so far".
  std::uint64_t resend_to_infinity = 0;
  // The highest SessionRejectReason (373) that the version defines, 99 (Other) apart; reasons above
  // it are named in Text (58) only. 0: the version has none of 371, 372, 373.
  unsigned reject_reason_max = 0;
  bool has_reject_reasons = false;       // 371, 372, 373 in Reject
  bool has_reject_reason_other = false;  // 373=99
  bool has_business_reject = false;      // BusinessMessageReject (j)
  bool has_reset_seq_num_flag = false;   // 141 in Logon
  bool has_location_ids = false;         // 144 and 145 in the header
  bool has_default_appl_ver_id = false;  // 1137 required in Logon
  bool has_fractional_seconds = false;   // SendingTime finer than a second
  bool has_last_processed = false;       // LastMsgSeqNumProcessed (369) in the header
  bool has_next_expected = false;        // NextExpectedMsgSeqNum (789) in Logon
  bool has_session_status = false;       // SessionStatus (1409) in Logon and Logout
};

// The traits of FIX.4.0 to FIX.4.4 and FIXT.1.1; null for any other BeginString. Static lifetime.
[[nodiscard]] const VersionTraits* find_version(std::string_view begin_string) noexcept;

// The administrative messages, Heartbeat (0) to Logout (5) and Logon (A); all others are the
// application's.
[[nodiscard]] constexpr bool is_administrative(std::string_view msg_type) noexcept {
  if (msg_type.size() != 1) return false;
  const char type = msg_type.front();
  return (type >= '0' && type <= '5') || type == 'A';
}

// The precision to send timestamps with: the one asked for, as far as the version allows it.
[[nodiscard]] wire::TimePrecision effective_precision(const VersionTraits& version,
                                                      wire::TimePrecision wanted) noexcept;

}  // namespace nexusfix::session
