// A message in fields, for people to read. Unlike the parser of the wire layer it refuses nothing:
// it reads what it can, and lists the faults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/wire/field.hpp>

namespace nexusfix::printing {

struct DecodedField {
  wire::Tag tag = 0;          // 0: tag_text is no tag
  std::string_view tag_text;  // as in the message; the whole field if it has no `=`
  std::string_view value;
};

struct DecodedMessage {
  std::vector<DecodedField> fields;
  std::vector<std::string> faults;  // sentences for people
  // The first value of a tag; empty if the message does not have the tag.
  [[nodiscard]] std::string_view value(wire::Tag tag) const noexcept;
};

// bytes: one message with SOH after each field. The views in the result point into it. The Length
// field before a data field is its size, if a SOH follows at that place.
[[nodiscard]] DecodedMessage decode_message(std::string_view bytes);

}  // namespace nexusfix::printing
