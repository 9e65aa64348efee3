// The bodies of the administrative messages that we send.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/message_view.hpp>

#include "session/api/actions.hpp"
#include "session/api/config.hpp"

namespace nexusfix::session::detail {

// A function with in_full leaves out, given false, all that comes from outside and may not be
// sendable (SOH within a text). What is left is known to fit: validate() has seen the CompIDs.

// A TestReqID is answered as it came, an empty one (ValidateFieldsHaveValues=N) included.
inline constexpr std::size_t kTestReqIdBytesMax = 1'024;
void write_test_req_id(wire::Encoder& encoder, std::string_view id) noexcept;

struct LogonContents {
  std::chrono::seconds heart_bt_int{};
  bool reset_seq_num_flag = false;
  std::uint64_t next_expected = 0;  // 789; 0: not sent
  std::optional<std::uint64_t> session_status{};
};
// All but the fields of LogonConfig::writer, and the trailer after them.
void write_logon_trailer(wire::Encoder& encoder, const SessionConfig& config) noexcept;
void write_logon(wire::Encoder& encoder, const LogonContents& contents, const SessionConfig& config,
                 const VersionTraits& version) noexcept;
void write_logout(wire::Encoder& encoder, std::string_view text,
                  std::optional<std::uint64_t> session_status, const VersionTraits& version,
                  bool in_full) noexcept;

// A Reject, or a BusinessMessageReject where the objection is a business one and the version has
// that message.
struct RejectContents {
  const wire::MessageView& message;  // that is rejected
  std::uint64_t msg_seq_num = 0;
  const Objection& objection;
};
[[nodiscard]] bool is_business_reject(const Objection& objection,
                                      const VersionTraits& version) noexcept;
void write_reject(wire::Encoder& encoder, const RejectContents& contents, const FixtConfig& config,
                  const VersionTraits& version, bool in_full) noexcept;

// The MsgType of a stored message; empty: it is no message.
[[nodiscard]] std::string_view type_of_stored(std::string_view bytes) noexcept;

}  // namespace nexusfix::session::detail
