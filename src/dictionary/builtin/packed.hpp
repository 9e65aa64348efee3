// A dictionary as a few small numbers over a pool of text: the form of the dictionaries that are
// compiled into the program. Private to the layer and to the tool that compiles them.
#pragma once

#include <string>
#include <string_view>

#include <nexusfix/dictionary.hpp>

#include "dictionary/builtin/name_rows.hpp"

namespace nexusfix::dictionary {

// Omits warnings, which concern only the editor of the file.
[[nodiscard]] std::string pack(const Dictionary& dictionary, TextPool& pool);

// packed must come from pack() and text from its pool. Nothing is checked.
[[nodiscard]] Dictionary unpack(std::string_view packed, std::string_view text);

}  // namespace nexusfix::dictionary
