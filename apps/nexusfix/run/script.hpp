// The language of `nexusfix connect`: one command a line.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::command {

enum class StepKind : std::uint8_t { Send, Wait, Expect, Logon, Logout, Sleep, Print, Help, Quit };

struct StepField {
  wire::Tag tag = 0;
  std::string value;
};

struct Step {
  StepKind kind = StepKind::Quit;
  std::string msg_type;           // Send
  std::vector<StepField> fields;  // Send: in order, MsgType apart. Wait, Expect: all must equal
  std::chrono::milliseconds time{10'000};  // Wait, Expect: the time limit. Sleep: how long
};

// Nothing: an empty line or a comment (#). The error says what was expected.
[[nodiscard]] std::expected<std::optional<Step>, std::string> parse_step(std::string_view line);

[[nodiscard]] bool matches(const wire::MessageView& message, const std::vector<StepField>& fields);

// The commands and what they do, for --help and the command `help`.
[[nodiscard]] std::string_view script_help() noexcept;

}  // namespace nexusfix::command
