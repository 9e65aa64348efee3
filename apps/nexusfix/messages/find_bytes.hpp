// Finds a short text in many bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace nexusfix::printing {

// The place of the first occurrence that begins at from or later; npos: there is none. wanted has
// at least 2 bytes. On x86-64 it compares 16 places at once, with instructions that every such CPU
// has: memmem() and std::string::find() take three to six times as long (tools/log_speed.py).
[[nodiscard]] std::size_t find_bytes(std::string_view text, std::string_view wanted,
                                     std::size_t from = 0) noexcept;

}  // namespace nexusfix::printing
