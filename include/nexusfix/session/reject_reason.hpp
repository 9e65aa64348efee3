// Why a message is rejected, as numbers and as words.
#pragma once

#include <cstdint>
#include <string_view>

#include <nexusfix/wire/reject_reason.hpp>

namespace nexusfix::session {

using wire::SessionRejectReason;

// BusinessRejectReason (380).
enum class BusinessRejectReason : std::uint8_t {
  Other = 0,
  UnknownId = 1,
  UnknownSecurity = 2,
  UnsupportedMessageType = 3,
  ApplicationNotAvailable = 4,
  ConditionallyRequiredFieldMissing = 5,
  NotAuthorized = 6,
  DeliverToFirmNotAvailable = 7,
};

// The Text (58) that goes with a reason; static lifetime. Numbers above the table: "Other".
[[nodiscard]] std::string_view session_reject_text(unsigned reason) noexcept;
[[nodiscard]] std::string_view business_reject_text(unsigned reason) noexcept;

}  // namespace nexusfix::session
