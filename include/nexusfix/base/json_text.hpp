// Texts as JSON strings.
#pragma once

#include <string>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

// Appends text as a JSON string in quotes. Keeps UTF-8, escapes control characters as JSON
// requires, and writes a byte that is not UTF-8, for which JSON has no form, as \\xff.
void append_json_text(std::string& to, std::string_view text);

}  // namespace nexusfix
