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

// question: a tag (150), a field's name (ExecType), a field and one of its values (39=2,
// OrdStatus=FILLED), a MsgType (D), or the name of a message or component. If no name is spelled
// exactly so, the case of letters is ignored. A number that is a tag and a MsgType is answered as
// both. Returns nothing if the dictionary does not have it.
[[nodiscard]] std::optional<Answer> answer(const NamedDictionary& dictionary,
                                           std::string_view question);

// The messages of the dictionary, and the number of its fields, components and groups.
[[nodiscard]] Answer overview(const NamedDictionary& dictionary);

// The names, or the values of the field in the question, with the most similar spelling. If there
// are none: a few names that contain the question. May be empty.
[[nodiscard]] std::vector<std::string> nearest_questions(const NamedDictionary& dictionary,
                                                         std::string_view question);

// The values of the field in a question such as 39=Q: "39 OrdStatus, CHAR: 0 NEW, ...". Empty if
// the question has no `=`, or the dictionary does not have the field.
[[nodiscard]] std::string values_to_ask_for(const NamedDictionary& dictionary,
                                            std::string_view question);

}  // namespace nexusfix::command
