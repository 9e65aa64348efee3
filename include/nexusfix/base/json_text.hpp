// Texts as JSON strings.
#pragma once

#include <string>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

// Appends text as a JSON string in quotes. UTF-8 stays as it is, control characters are escaped as
// JSON does it, and a byte that is not UTF-8, for which JSON has no form, becomes \xff with its
// backslash.
void append_json_text(std::string& to, std::string_view text);

}  // namespace nexusfix
