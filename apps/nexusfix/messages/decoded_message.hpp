// A message taken apart for people to read. Unlike the parser of the wire layer it never refuses:
// what is wrong is noted beside what could be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::printing {

struct DecodedField {
  wire::Tag tag = 0;          // 0: tag_text is no tag
  std::string_view tag_text;  // as it stands in the message; the whole field if it has no `=`
  std::string_view value;
};

struct DecodedMessage {
  std::vector<DecodedField> fields;
  std::vector<std::string> faults;  // sentences for the reader
  // The first value of a tag; empty if there is none.
  [[nodiscard]] std::string_view value(wire::Tag tag) const noexcept;
};

// bytes: one message with SOH behind each field. The views in the result point into it. A data
// field is as long as the Length field in front of it says, if that leads to a SOH.
[[nodiscard]] DecodedMessage decode_message(std::string_view bytes);

}  // namespace nexusfix::printing
