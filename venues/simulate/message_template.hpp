// Messages that a simulated venue sends by a text, such as "35=y|320={320}|146=1|55=BTCUSDT".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::venues {

// What the names in a text stand for.
struct TemplateValues {
  const wire::MessageView* message = nullptr;  // {11}: its field; null: there is none
  std::uint64_t count = 0;                     // {count}: another one in each message
  // {now}, {date} and {time} of it, and {now-ms}, since 1970.
  WallTime now{};
  std::string random{};  // {random}: unpredictable text
};

// The value of a field; empty: the message does not have it.
[[nodiscard]] inline std::string_view text_of(const wire::MessageView& message, wire::Tag tag) {
  return message[tag].value_or("");
}

struct TemplateField {
  wire::Tag tag = 0;
  std::string value{};
};

// The fields of a text in its order. A field with a name of a field that the message lacks is left
// out.
[[nodiscard]] std::vector<TemplateField> expand_template(std::string_view text,
                                                         const TemplateValues& values);

// Writes the fields, without MsgType (35).
void write_fields(wire::Encoder& encoder, const std::vector<TemplateField>& fields);

}  // namespace nexusfix::venues
