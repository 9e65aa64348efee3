// How two dictionaries differ.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "nexusfix/dictionary_answers.hpp"
#include "nexusfix/named_dictionary.hpp"

namespace nexusfix::command {

// Fields, enumerations and messages that only one of them has or that differ: names and types of
// fields, names of values, fields of messages and whether they are required, in groups as well.
// The order of fields does not count. message: a MsgType or a name, to compare nothing else; empty:
// everything. Nothing: neither dictionary has that message.
[[nodiscard]] std::optional<Answer> difference(const NamedDictionary& before,
                                               const NamedDictionary& after,
                                               std::string_view message);

}  // namespace nexusfix::command
