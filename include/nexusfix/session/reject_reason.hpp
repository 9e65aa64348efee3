// Why a message is rejected, as numbers and as words.
#pragma once

#include <cstdint>
#include <string_view>

namespace nexusfix::session {

// SessionRejectReason (373).
enum class SessionRejectReason : std::uint8_t {
  InvalidTagNumber = 0,
  RequiredTagMissing = 1,
  TagNotDefinedForMsgType = 2,
  UndefinedTag = 3,
  TagWithoutValue = 4,
  ValueIncorrect = 5,
  IncorrectDataFormat = 6,
  DecryptionProblem = 7,
  SignatureProblem = 8,
  CompIdProblem = 9,
  SendingTimeAccuracyProblem = 10,
  InvalidMsgType = 11,
  XmlValidationError = 12,
  TagAppearsMoreThanOnce = 13,
  TagOutOfRequiredOrder = 14,
  GroupFieldsOutOfOrder = 15,
  IncorrectNumInGroupCount = 16,
  SohInValue = 17,
  Other = 99,
};

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
