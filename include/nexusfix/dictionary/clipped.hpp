// The beginning of a text of unknown origin, made safe to show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix::dictionary {

inline constexpr std::size_t kClippedBytesMax = 80;

// The first bytes of a text as printable() writes them. If there are more, "..." and the size of
// the whole text follow: a counterparty that sends megabytes cannot fill a screen with them.
[[nodiscard]] std::string clipped(std::string_view text);
// In quotes; the closing one is before the dots.
[[nodiscard]] std::string clipped_quote(std::string_view text);

}  // namespace nexusfix::dictionary
