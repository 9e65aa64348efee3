// Explains the error of a message to a person who has to fix it. A product beside the core:
// nexusfix::explanation.
//
//   if (auto wrong = validator->validate(message)) std::cerr << explain(*wrong, message, fix44);
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/parser.hpp>

namespace nexusfix::dictionary {

// The error of a message, for a person. text() writes it like this:
//
//   Side (54) is 'BUY', which is not of type CHAR
//     8=FIX.4.4|9=72|35=D|34=2|49=T|56=V|52=20240115-10:30:00|11=A1|54=BUY|60=...
//                                                                      ^~~
//     54 Side, CHAR: 1 BUY, 2 SELL, 3 BUY_MINUS, 4 SELL_PLUS, ... (16 values)
//     nearest: 54=1 (BUY)
//
// Bytes of the message that could control a terminal are escaped. A value: it may outlive the
// message and the dictionary.
struct Explanation {
  std::string problem;       // one sentence, without a full stop
  std::string message_line;  // the message around the error, with `|` for SOH
  std::string marks_line;    // `^` below the first marked byte, `~` below the others
  std::string definition;    // the dictionary's definition of the field; may be empty
  std::string nearest;       // a correction; may be empty
  std::size_t offset = 0;    // of the first marked byte, from the start of the message
  std::size_t size = 0;      // of the marked bytes; 0: something is missing here
  wire::Tag tag = 0;         // the tag of the field; 0: there is no readable tag
  // SessionRejectReason (373) of the Reject; unset: such a message is not answered.
  std::optional<wire::SessionRejectReason> reason;

  // All lines, as above, without a line end after the last one.
  [[nodiscard]] std::string text() const;
};

// Explains why a frame is not a message. frame: the argument of Parser::parse(). Allocates.
[[nodiscard]] Explanation explain(const wire::ParseError& error, std::string_view frame);

// Explains a violation that a Validator has found in message. dictionary: that of the Validator.
// Allocates, and searches the dictionary: not for the path of a message.
[[nodiscard]] Explanation explain(const Violation& violation, const wire::MessageView& message,
                                  const Dictionary& dictionary);
// For a FIXT session. both: the dictionaries of the Validator.
[[nodiscard]] Explanation explain(const Violation& violation, const wire::MessageView& message,
                                  const FixtDictionaries& both);

// The definition of a field in one line: "54 Side, CHAR: 1 BUY, 2 SELL, ... (16 values)". It has
// about columns_max columns at most, and names at least the field.
[[nodiscard]] std::string field_summary(const FieldDefinition& field,
                                        std::size_t columns_max = 100);

// Writes text() and a line end.
std::ostream& operator<<(std::ostream& out, const Explanation& explanation);

}  // namespace nexusfix::dictionary

namespace nexusfix {

// Also explains errors of the wire layer.
using dictionary::explain;

}  // namespace nexusfix
