// A field whose value no log has.
#pragma once

#include <cstdint>

#include <nexusfix/base/language.hpp>

namespace nexusfix::observe {

// A field whose value is never logged. These fields are always masked: Password (554), NewPassword
// (925), EncryptedPassword (1402), EncryptedNewPassword (1404), and RawData (96) of a Logon and of
// a UserRequest.
struct MaskedField {
  std::uint32_t tag = 0;         // the field
  std::uint32_t length_tag = 0;  // the Length field of a data field; 0: it is not a data field
  // Whether both tags are equal.
  [[nodiscard]] bool operator==(const MaskedField&) const = default;
};

}  // namespace nexusfix::observe
