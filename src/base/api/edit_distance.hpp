// How similar two spellings of a word are.
#pragma once

#include <cstddef>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

// The number of bytes of a text that edit_distance() reads, at most.
inline constexpr std::size_t kEditDistanceBytesMax = 64;

// The number of letters to insert, delete, replace, or swap with the next one, to change left into
// right (the optimal string alignment distance). Ignores case. Only the first kEditDistanceBytesMax
// bytes of each text count. O(left * right), no allocation.
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right) noexcept;

}  // namespace nexusfix
