// Text from outside, made safe to show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix::dictionary {

// The size in bytes of the UTF-8 sequence at the front of text that prints as a character; 0: text
// is empty, or begins with a control character or with bytes that are not UTF-8. O(1).
[[nodiscard]] std::size_t printable_size(std::string_view text) noexcept;

// Control bytes, and bytes that are not UTF-8, as \x01; everything else as it is: such a text can
// steer no terminal.
[[nodiscard]] std::string printable(std::string_view text);

// The same of a text's first bytes, with "..." and the size of all behind it if there are more:
// whoever sends megabytes fills no screen with them.
inline constexpr std::size_t kClippedBytesMax = 80;
[[nodiscard]] std::string clipped(std::string_view text);
// In quotes, which end in front of the dots.
[[nodiscard]] std::string clipped_quote(std::string_view text);

}  // namespace nexusfix::dictionary
