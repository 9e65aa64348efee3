// Reads a FIX Orchestra repository: the machine-readable rules of engagement of a venue, or the
// standard itself as the FIX Trading Community publishes it.
#pragma once

#include <expected>
#include <string_view>

#include <nexusfix/dictionary/load.hpp>
#include <nexusfix/dictionary/model.hpp>

namespace nexusfix::dictionary {

// As load_dictionary(), of this kind alone. What Orchestra says maps to a Dictionary so:
//
//   code set           the enumeration of each field that uses it, names in UPPER_SNAKE
//   unionDataType      other_values: values beside the codes are of another type
//   presence           "required" is required, "forbidden" is no member; "optional", "constant"
//                      and "ignored" are optional
//   StandardHeader, StandardTrailer    the header and the trailer, and no part of messages
//   lengthId           length_tag
//   scenario           of a message, component, group, field or code set with several, the one
//                      named here counts, else "base", else the first; the others are left out
//
// Rules with conditions, workflow, state machines, actors and documentation are not read.
[[nodiscard]] std::expected<Dictionary, DictionaryError> load_orchestra(
    std::string_view text, std::string_view file_name, std::string_view scenario = "base",
    DictionaryFaults faults = DictionaryFaults::Refuse);

}  // namespace nexusfix::dictionary
