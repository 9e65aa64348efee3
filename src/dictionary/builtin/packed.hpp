// A dictionary as a few small numbers over a pool of text: the form of the dictionaries that are
// compiled into the program. Private to the layer and to the tool that compiles them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary/model.hpp>

#include "dictionary/builtin/name_rows.hpp"

namespace nexusfix::dictionary {

// Omits warnings, which concern only the editor of the file. Uses words instead of bytes, because a
// compiler reads a source of few large numbers faster than one of many small ones.
[[nodiscard]] std::vector<std::uint64_t> pack(const Dictionary& dictionary, TextPool& pool);

// words must come from pack() and text from its pool. Nothing is checked.
[[nodiscard]] Dictionary unpack(std::span<const std::uint64_t> words, std::string_view text);

}  // namespace nexusfix::dictionary
