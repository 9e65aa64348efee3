// The words of a printed message, field by field.
#pragma once

#include <string_view>
#include <vector>

namespace nexusfix::browser {

// What the printer says about one field.
struct PrintedField {
  std::string_view name{};     // "Side"; empty: no dictionary has the tag
  std::string_view meaning{};  // "BUY"; empty: the value has no name
};

struct PrintedMessage {
  std::string_view heading{};              // "NewOrderSingle (D)  34=2  TRADER -> VENUE  ..."
  std::vector<PrintedField> fields{};      // in the order of the message
  std::vector<std::string_view> faults{};  // sentences
};

// text: one message as printing::MessagePrinter writes it with Colour::Always and without a prefix.
// Its colours separate the parts: a control byte of a value is escaped. The views point into text.
[[nodiscard]] PrintedMessage read_printed(std::string_view text);

}  // namespace nexusfix::browser
