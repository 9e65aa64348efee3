// Why a message breaks the rules of FIX, as the number in a Reject (3).
#pragma once

#include <cstdint>

#include <nexusfix/base/language.hpp>

namespace nexusfix::wire {

// SessionRejectReason (373). An enumerator's value is the number in the field.
enum class SessionRejectReason : std::uint8_t {
  InvalidTagNumber = 0,                // the tag is not a valid number
  RequiredTagMissing = 1,              // the message lacks a required field
  TagNotDefinedForMsgType = 2,         // the dictionary has the field, but not in this message
  UndefinedTag = 3,                    // the dictionary does not have the field
  TagWithoutValue = 4,                 // the value is empty
  ValueIncorrect = 5,                  // the value is not in the field's range or enumeration
  IncorrectDataFormat = 6,             // the value is not of the type of the field
  DecryptionProblem = 7,               // encrypted data cannot be read
  SignatureProblem = 8,                // the Signature (89) is wrong
  CompIdProblem = 9,                   // a CompID is not that of the session
  SendingTimeAccuracyProblem = 10,     // SendingTime (52) differs too much from the clock
  InvalidMsgType = 11,                 // MsgType (35) is not one of the dictionary
  XmlValidationError = 12,             // XmlData (213) is wrong
  TagAppearsMoreThanOnce = 13,         // a field is there twice outside of a group
  TagOutOfRequiredOrder = 14,          // a field of the header or trailer is in the wrong place
  GroupFieldsOutOfOrder = 15,          // the fields of a group's entry are in the wrong order
  IncorrectNumInGroupCount = 16,       // a count field is not the number of entries
  SohInValue = 17,                     // a value that is not a data field contains SOH
  UnsupportedApplicationVersion = 18,  // ApplVerID (1128) is not one of the session
  Other = 99,                          // see Text (58)
};

}  // namespace nexusfix::wire
