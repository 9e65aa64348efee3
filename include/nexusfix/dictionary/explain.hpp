// What is wrong with a message, for the person who has to mend it.
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

// Side (54) is '7', which is none of its values
//   8=FIX.4.4|9=72|35=D|34=2|49=T|56=V|52=20240115-10:30:00|11=A1|54=BUY|60=...
//                                                                    ^~~
//   54 Side, CHAR: 1 BUY, 2 SELL, 3 BUY_MINUS, 4 SELL_PLUS, ... (16 values)
//   nearest: 54=1 (BUY)
//
// No byte of the message is in here as it is, if it could steer a terminal. A value of its own: it
// outlives message and dictionary.
struct Explanation {
  std::string problem;       // one sentence, without a full stop
  std::string message_line;  // the message around the fault, `|` for SOH
  std::string marks_line;    // `^` below the first wrong byte, `~` below the others
  std::string definition;    // what the dictionary says of the field; may be empty
  std::string nearest;       // what would be right; may be empty
  std::size_t offset = 0;    // of the first byte marked, from the message's start
  std::size_t size = 0;      // of the bytes marked; 0: what is wrong is that nothing is there
  wire::Tag tag = 0;         // 0: none that could be read
  std::optional<wire::SessionRejectReason> reason;  // none: such a message is not answered

  [[nodiscard]] std::string text() const;  // the lines above
};

// All of these are for the cold side: they allocate, and search the dictionary.

// A frame that is no message. frame: what was given to Parser::parse().
[[nodiscard]] Explanation explain(const wire::ParseError& error, std::string_view frame);

// A message that a Validator found wrong; the dictionaries are those that the Validator was made
// from.
[[nodiscard]] Explanation explain(const Violation& violation, const wire::MessageView& message,
                                  const Dictionary& dictionary);
[[nodiscard]] Explanation explain(const Violation& violation, const wire::MessageView& message,
                                  const FixtDictionaries& both);

// "54 Side, CHAR: 1 BUY, 2 SELL, ... (16 values)", in about columns_max columns.
[[nodiscard]] std::string field_summary(const FieldDefinition& field,
                                        std::size_t columns_max = 100);

// text(), and a line's end.
std::ostream& operator<<(std::ostream& out, const Explanation& explanation);

}  // namespace nexusfix::dictionary
