// The reasons for which a message is rejected, as numbers and as texts.
#pragma once

#include <cstdint>
#include <string_view>

#include <nexusfix/wire/reject_reason.hpp>

namespace nexusfix::session {

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
