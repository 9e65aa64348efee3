// A whole dictionary as a few small numbers over a pool of text: the form in which dictionaries are
// compiled in. Private to the layer and to the tool that compiles dictionaries in.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary/model.hpp>

#include "dictionary/builtin/name_rows.hpp"

namespace nexusfix::dictionary {

// Warnings are left out: they are for whoever edits the file. Words rather than bytes, because a
// compiler reads a source of few large numbers faster than one of many small ones.
[[nodiscard]] std::vector<std::uint64_t> pack(const Dictionary& dictionary, TextPool& pool);

// words must come from pack(), and text from its pool: nothing is checked.
[[nodiscard]] Dictionary unpack(std::span<const std::uint64_t> words, std::string_view text);

}  // namespace nexusfix::dictionary
