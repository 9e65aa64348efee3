// Why a message breaks the rules of FIX, as the number in a Reject (3).
#pragma once

#include <cstdint>

#include <nexusfix/base/language.hpp>

namespace nexusfix::wire {

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
  UnsupportedApplicationVersion = 18,
  Other = 99,
};

}  // namespace nexusfix::wire
