// Messages whose BodyLength or CheckSum is wrong, for sessions that take them all the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nexusfix::engine {

// Where the first message of a frame ends: with the first CheckSum that another message follows. A
// BodyLength that is too large makes one frame of several messages. The frame's own size: one.
[[nodiscard]] std::size_t first_message_size(std::string_view frame) noexcept;

enum class BodyLengthRule : std::uint8_t { Any, Right };

// The frame with the right BodyLength and CheckSum; empty: it is not of the form 8=...|9=...|...
// |10=...|, or its BodyLength is not such as the rule wants.
[[nodiscard]] std::string repaired_frame(std::string_view frame, BodyLengthRule rule);

}  // namespace nexusfix::engine
