// Loops over many bytes, 16 at a time on x86-64 with instructions that every such CPU has, and
// searches with 32 at a time if the CPU has AVX2. The
// compiler makes no vectors of such loops at -O2, and memmem() takes several times as long.
// bench/logs/log_speed.py measures what they serve.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace nexusfix::printing {

// The place of the first occurrence that begins at from or later; npos: there is none. wanted has
// at least 3 bytes. Its last two bytes should be rare in the text.
[[nodiscard]] std::size_t find_bytes(std::string_view text, std::string_view wanted,
                                     std::size_t from = 0) noexcept;

// Replaces each byte of this value by another one.
void replace_bytes(char* data, std::size_t size, char from, char to) noexcept;

// Whether one of these bytes occurs.
[[nodiscard]] bool contains_any(std::string_view text, const std::array<char, 4>& bytes) noexcept;

// Writes the bytes with `|` in place of each SOH. False: one of the others is not printable ASCII,
// and what was written is undefined. to: room for the bytes.
[[nodiscard]] bool write_with_bars(char* to, std::string_view bytes) noexcept;

// Whether every byte is below 0x80.
[[nodiscard]] bool is_ascii(std::string_view text) noexcept;

}  // namespace nexusfix::printing
