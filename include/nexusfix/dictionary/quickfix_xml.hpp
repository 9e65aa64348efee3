// Reads a data dictionary in the QuickFIX XML form: the file that a user of QuickFIX has today.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include <nexusfix/dictionary/load.hpp>
#include <nexusfix/dictionary/model.hpp>

namespace nexusfix::dictionary {

// As load_dictionary(), of this kind alone. What QuickFIX ignores is ignored with a warning:
// sections that it does not know, types that nobody checks, a field listed twice.
[[nodiscard]] std::expected<Dictionary, DictionaryError> load_quickfix_xml(
    std::string_view text, std::string_view file_name,
    DictionaryFaults faults = DictionaryFaults::Refuse);

// The dictionary as such a file, whatever it was loaded from: to copy a built-in one and edit it,
// or to make a file for QuickFIX of an Orchestra repository. Loading it again gives an equal
// dictionary, but for three things: a group that several members share is written out for each,
// warnings are gone, and fields of an unknown type are strings. Allocates; O(what is written).
[[nodiscard]] std::string to_quickfix_xml(const Dictionary& dictionary);

}  // namespace nexusfix::dictionary
