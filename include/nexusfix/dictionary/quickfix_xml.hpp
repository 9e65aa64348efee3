// Reads a data dictionary in the QuickFIX XML format, which users of QuickFIX already have.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include <nexusfix/dictionary/load.hpp>
#include <nexusfix/dictionary/model.hpp>

namespace nexusfix::dictionary {

// Like load_dictionary(), but only for this format. Parts that QuickFIX ignores are ignored
// with a warning: unknown sections, unknown types, a field that is listed twice.
[[nodiscard]] std::expected<Dictionary, DictionaryError> load_quickfix_xml(
    std::string_view text, std::string_view file_name,
    DictionaryFaults faults = DictionaryFaults::Refuse);

// Writes a dictionary as QuickFIX XML in UTF-8, whatever format it was loaded from: to edit a copy
// of a built-in one, or to convert an Orchestra repository for QuickFIX. Loading the text again
// gives an equal dictionary, with three exceptions: a group that several members share is written
// once for each, warnings are lost, and fields of an unknown type are strings. Allocates;
// O(output).
[[nodiscard]] std::string to_quickfix_xml(const Dictionary& dictionary);

}  // namespace nexusfix::dictionary
