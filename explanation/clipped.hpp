// The beginning of a text of unknown origin, made safe to show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix::dictionary {

// The number of bytes that clipped() shows, at most.
inline constexpr std::size_t kClippedBytesMax = 80;

// The first kClippedBytesMax bytes of a text, as printable() writes them. If there are more, "..."
// and the size of the whole text follow, so that a counterparty that sends megabytes cannot fill a
// screen.
[[nodiscard]] std::string clipped(std::string_view text);
// The text in single quotes. The closing one is before the "...".
[[nodiscard]] std::string clipped_quote(std::string_view text);

}  // namespace nexusfix::dictionary
