// Searches for four or five fixed bytes: where a frame may begin, and where its CheckSum field may.
#pragma once

#include <cstddef>
#include <string_view>

namespace nexusfix::wire {

// The text to hunt for. The BeginString of every FIX version begins with it. A bare `8=` also
// occurs within ordinary fields (58=, 108=), and a hunt for it would lose a good message after
// garbage.
inline constexpr std::string_view kFrameStart = "8=FIX";
inline constexpr std::string_view kCheckSumStart =
    "\x01"
    "10=";

// The first position, not before from, at which the text begins or is cut off by the end of bytes;
// bytes.size() if there is none. from is at most bytes.size(). The time depends only on the number
// of bytes, not on their similarity to the text. Never reads past bytes.
[[nodiscard]] std::size_t find_frame_start(std::string_view bytes, std::size_t from) noexcept;
[[nodiscard]] std::size_t find_check_sum(std::string_view bytes, std::size_t from) noexcept;

}  // namespace nexusfix::wire
