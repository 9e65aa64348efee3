// Reads a FIX Orchestra repository: the machine-readable rules of engagement of a venue, or the
// standard itself as published by the FIX Trading Community.
#pragma once

#include <expected>
#include <string_view>

#include <nexusfix/dictionary/load.hpp>
#include <nexusfix/dictionary/model.hpp>

namespace nexusfix::dictionary {

// Like load_dictionary(), but only for this format. Orchestra becomes a Dictionary as
// follows:
//
//   code set           the enumeration of each field that uses it, names in UPPER_SNAKE
//   unionDataType      other_values: values besides the codes have another type
//   presence           "required" is required, "forbidden" is not a member; "optional", "constant"
//                      and "ignored" are optional
//   StandardHeader, StandardTrailer    the header and the trailer, not parts of messages
//   lengthId           length_tag
//   scenario           of a message, component, group, field or code set with several, the one
//                      named here counts, otherwise "base", otherwise the first
//
// Not read: rules with conditions, workflow, state machines, actors and documentation.
[[nodiscard]] std::expected<Dictionary, DictionaryError> load_orchestra(
    std::string_view text, std::string_view file_name, std::string_view scenario = "base",
    DictionaryFaults faults = DictionaryFaults::Refuse);

}  // namespace nexusfix::dictionary
