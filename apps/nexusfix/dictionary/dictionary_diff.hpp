// How two dictionaries differ.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "nexusfix/dictionary/dictionary_answers.hpp"
#include "nexusfix/dictionary/named_dictionary.hpp"

namespace nexusfix::command {

// The fields, enumerations and messages that only one dictionary has or that differ: names and
// types of fields, whether values that are not listed are allowed, names of values, fields of
// messages and groups and whether they are required, and the order of fields in a group's entry.
// The order of a message's fields is not compared. word: compares only this message, field or
// component; empty: everything. Returns nothing if neither dictionary has the word.
[[nodiscard]] std::optional<Answer> difference(const NamedDictionary& before,
                                               const NamedDictionary& after, std::string_view word);

}  // namespace nexusfix::command
