// What `nexusfix validate` says about a message, for people and for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/explanation.hpp>

#include "nexusfix/messages/decoded_message.hpp"
#include "nexusfix/text/json.hpp"

namespace nexusfix::command {

// The place of a message: the name of its file, and its number there, from 1.
struct MessagePlace {
  std::string_view file{};
  std::uint64_t number = 0;
};

// The problem, the message with a caret below the fault, what the dictionary says, and a correct
// value. The last line has no end.
[[nodiscard]] std::string verdict_text(const MessagePlace& place,
                                       const dictionary::Explanation& wrong);
// wrong: nothing if the message is valid.
[[nodiscard]] Json verdict_json(const MessagePlace& place, const printing::DecodedMessage& message,
                                const std::optional<dictionary::Explanation>& wrong);

}  // namespace nexusfix::command
