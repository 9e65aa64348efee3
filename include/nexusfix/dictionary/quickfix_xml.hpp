// Reads a data dictionary in the QuickFIX XML form: the file that a user of QuickFIX has today.
#pragma once

#include <expected>
#include <string_view>

#include <nexusfix/dictionary/load.hpp>
#include <nexusfix/dictionary/model.hpp>

namespace nexusfix::dictionary {

// As load_dictionary(), of this kind alone. What QuickFIX ignores is ignored with a warning:
// sections that it does not know, types that nobody checks, a field listed twice.
[[nodiscard]] std::expected<Dictionary, DictionaryError> load_quickfix_xml(
    std::string_view text, std::string_view file_name);

}  // namespace nexusfix::dictionary
