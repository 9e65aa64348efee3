// Repairs messages whose BodyLength or CheckSum is wrong, for sessions that accept them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nexusfix::engine {

// The size of the first message of a frame, which ends with the first CheckSum that another message
// follows: a BodyLength that is too large makes one frame of several messages. The frame's own
// size: it is one message.
[[nodiscard]] std::size_t first_message_size(std::string_view frame) noexcept;

enum class BodyLengthRule : std::uint8_t { Any, Right };

// The frame with the right BodyLength and CheckSum; empty: it does not have the form
// 8=...|9=...|...|10=...|, or its BodyLength breaks the rule.
[[nodiscard]] std::string repaired_frame(std::string_view frame, BodyLengthRule rule);

}  // namespace nexusfix::engine
