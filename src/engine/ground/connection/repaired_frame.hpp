// Repairs messages whose BodyLength or CheckSum is invalid, for sessions that accept them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/parser.hpp>

#include "base/api/secret.hpp"

namespace nexusfix::engine {

// The size of the first message of a frame, which ends with the first CheckSum that another message
// follows: a BodyLength that is too large makes one frame of several messages. The frame's own
// size: it is one message.
[[nodiscard]] std::size_t first_message_size(std::string_view frame) noexcept;

enum class BodyLengthRule : std::uint8_t { Any, Valid };

// The frame with a valid BodyLength and CheckSum; empty: it does not have the form
// 8=...|9=...|...|10=...|, or its BodyLength breaks the rule.
[[nodiscard]] std::string repaired_frame(std::string_view frame, BodyLengthRule rule);

// BodyLength or CheckSum is invalid: other faults cannot be repaired.
[[nodiscard]] constexpr bool can_be_repaired(wire::GarbledReason reason) noexcept {
  using enum wire::GarbledReason;
  return reason == BodyLengthWrong || reason == CheckSumWrong || reason == CheckSumMalformed;
}

// A message whose BodyLength or CheckSum was invalid. The code after it sees a message with
// valid ones; the message log has the received bytes.
class RepairedMessage {
 public:
  // The first message of the frame, which becomes its bytes; with validates_length, the whole frame
  // with its BodyLength, if that is valid. The view is valid until the next call.
  [[nodiscard]] std::expected<wire::MessageView, wire::ParseError> parse(auto& parser,
                                                                         std::string_view& frame,
                                                                         bool validates_length) {
    const std::string_view first =
        validates_length ? frame : frame.substr(0, first_message_size(frame));
    wipe_bytes(bytes_);  // It may have been a Logon with a password.
    bytes_ = repaired_frame(first, validates_length ? BodyLengthRule::Valid : BodyLengthRule::Any);
    auto message = parser.parse(bytes_);
    if (message) frame = first;
    return message;
  }

 private:
  std::string bytes_;
};

}  // namespace nexusfix::engine
