// Where a frame may begin, and where its CheckSum field: searches for four and five fixed bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace nexusfix::wire {

// What hunting looks for. Every BeginString of every FIX version begins so; the bare `8=` occurs in
// the middle of ordinary fields (58=, 108=) and would swallow a good message that follows rubbish.
inline constexpr std::string_view kFrameStart = "8=FIX";
inline constexpr std::string_view kCheckSumStart =
    "\x01"
    "10=";

// The first place at or behind from, which is within bytes or at their end, where the text stands,
// or where the end of bytes cuts it off; bytes.size() if there is none. The time depends on the
// number of bytes alone, not on how nearly they are what is looked for. Never reads past bytes.
[[nodiscard]] std::size_t find_frame_start(std::string_view bytes, std::size_t from) noexcept;
[[nodiscard]] std::size_t find_check_sum(std::string_view bytes, std::size_t from) noexcept;

}  // namespace nexusfix::wire
