// How two dictionaries differ.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "nexusfix/dictionary/dictionary_answers.hpp"
#include "nexusfix/dictionary/named_dictionary.hpp"

namespace nexusfix::command {

// Fields, enumerations and messages that only one of them has or that differ: names and types of
// fields, whether values that are not listed are allowed, names of values, fields of messages and
// whether they are required, in groups as well, and the order of an entry's fields. That of a
// message's does not count. word: a message, a field or a component, to compare nothing else;
// empty: everything. Nothing: neither dictionary has what the word says.
[[nodiscard]] std::optional<Answer> difference(const NamedDictionary& before,
                                               const NamedDictionary& after, std::string_view word);

}  // namespace nexusfix::command
