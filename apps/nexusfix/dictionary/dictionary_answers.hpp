// Answers to questions about FIX: what is tag 150, what does 39=2 mean, what does message D need.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nexusfix/dictionary/named_dictionary.hpp"

namespace nexusfix::command {

struct Answer {
  std::string text;  // lines for people
  std::string json;  // one object, without a line's end
};

// question: a tag (150), a field's name (ExecType), a field and a value of it, by whichever name
// (39=2, OrdStatus=FILLED), a MsgType (D), or the name of a message or component. Capitals do not
// matter if no name is spelled so. A number that is a tag and a MsgType is answered as both.
// Nothing: the dictionary does not have it.
[[nodiscard]] std::optional<Answer> answer(const NamedDictionary& dictionary,
                                           std::string_view question);

// What the dictionary as a whole has.
[[nodiscard]] Answer overview(const NamedDictionary& dictionary);

// Names, or values of the field in the question, that are spelled most like it; else a few names
// that it is a part of. May be empty.
[[nodiscard]] std::vector<std::string> nearest_questions(const NamedDictionary& dictionary,
                                                         std::string_view question);

// What a question that asks for a value that is none could have asked for: "39 OrdStatus, CHAR: 0
// NEW, ..."; empty: it asks for none, or of a field that there is not.
[[nodiscard]] std::string values_to_ask_for(const NamedDictionary& dictionary,
                                            std::string_view question);

}  // namespace nexusfix::command
