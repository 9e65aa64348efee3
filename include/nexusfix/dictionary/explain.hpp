// Explains the error of a message to a person who has to fix it.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/dictionary/model.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/parser.hpp>
#include <nexusfix/wire/reject_reason.hpp>
#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::dictionary {

// Side (54) is '7', which is not one of its values
//   8=FIX.4.4|9=72|35=D|34=2|49=T|56=V|52=20240115-10:30:00|11=A1|54=BUY|60=...
//                                                                    ^~~
//   54 Side, CHAR: 1 BUY, 2 SELL, 3 BUY_MINUS, 4 SELL_PLUS, ... (16 values)
//   nearest: 54=1 (BUY)
//
// Bytes of the message that could steer a terminal are escaped. An independent value: it may
// outlive the message and the dictionary.
struct Explanation {
  std::string problem;       // one sentence, without a full stop
  std::string message_line;  // the message around the fault, `|` for SOH
  std::string marks_line;    // `^` below the first marked byte, `~` below the others
  std::string definition;    // the dictionary's definition of the field; may be empty
  std::string nearest;       // a correction; may be empty
  std::size_t offset = 0;    // of the first marked byte, from the message's start
  std::size_t size = 0;      // of the marked bytes; 0: something is missing here
  wire::Tag tag = 0;         // 0: there is no readable tag
  std::optional<wire::SessionRejectReason> reason;  // none: such a message is not answered

  [[nodiscard]] std::string text() const;  // the lines above
};

// All of these functions are for the cold side: they allocate and search the dictionary.

// Explains why a frame is not a message. frame: the argument of Parser::parse().
[[nodiscard]] Explanation explain(const wire::ParseError& error, std::string_view frame);

// Explains a violation that a Validator has found. The dictionaries are those of the Validator.
[[nodiscard]] Explanation explain(const Violation& violation, const wire::MessageView& message,
                                  const Dictionary& dictionary);
[[nodiscard]] Explanation explain(const Violation& violation, const wire::MessageView& message,
                                  const FixtDictionaries& both);

// "54 Side, CHAR: 1 BUY, 2 SELL, ... (16 values)", in about columns_max columns.
[[nodiscard]] std::string field_summary(const FieldDefinition& field,
                                        std::size_t columns_max = 100);

// Writes text() and the end of the line.
std::ostream& operator<<(std::ostream& out, const Explanation& explanation);

}  // namespace nexusfix::dictionary
