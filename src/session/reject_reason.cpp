#include <array>

#include <nexusfix/session/identity.hpp>

namespace nexusfix::session {
namespace {

constexpr std::array<std::string_view, 19> kSessionTexts{
    "Invalid tag number",
    "Required tag missing",
    "Tag not defined for this message type",
    "Undefined tag",
    "Tag specified without a value",
    "Value is incorrect (out of range) for this tag",
    "Incorrect data format for value",
    "Decryption problem",
    "Signature problem",
    "CompID problem",
    "SendingTime accuracy problem",
    "Invalid MsgType",
    "XML validation error",
    "Tag appears more than once",
    "Tag specified out of required order",
    "Repeating group fields out of order",
    "Incorrect NumInGroup count for repeating group",
    "Non \"Data\" value includes field delimiter (<SOH> character)",
    "Invalid/Unsupported Application Version",
};
static_assert(kSessionTexts.size() ==
              static_cast<unsigned>(SessionRejectReason::UnsupportedApplicationVersion) + 1);

constexpr std::array<std::string_view, 8> kBusinessTexts{
    "Other",
    "Unknown ID",
    "Unknown Security",
    "Unsupported Message Type",
    "Application not available",
    "Conditionally required field missing",
    "Not authorized",
    "DeliverTo firm not available at this time",
};
static_assert(kBusinessTexts.size() ==
              static_cast<unsigned>(BusinessRejectReason::DeliverToFirmNotAvailable) + 1);

}  // namespace

std::string_view session_reject_text(unsigned reason) noexcept {
  return reason < kSessionTexts.size() ? kSessionTexts[reason] : "Other";
}

std::string_view business_reject_text(unsigned reason) noexcept {
  return reason < kBusinessTexts.size() ? kBusinessTexts[reason] : "Other";
}

}  // namespace nexusfix::session
