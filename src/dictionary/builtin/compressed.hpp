// Bytes without their repetitions (Lempel-Ziv, 1977): the built-in dictionaries take less than half
// of their size in each program. Private to the layer and to the tool that compiles them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nexusfix::dictionary {

// Uses words instead of bytes, because a compiler reads a source of few large numbers faster than
// one of many small ones.
[[nodiscard]] std::vector<std::uint64_t> compress(std::string_view bytes);

// words: the result of compress(). size: of its argument, or fewer for its first bytes. Nothing is
// checked.
[[nodiscard]] std::string decompress(std::span<const std::uint64_t> words, std::size_t size);

}  // namespace nexusfix::dictionary
