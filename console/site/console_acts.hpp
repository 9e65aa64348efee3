// The acts of operators: requests of the page become commands to the engine.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <variant>

#include <nexusfix/engine/running_engine.hpp>

namespace nexusfix::web {

using Act = std::variant<engine::OperatorCommand, engine::LiveNumbers>;

// Reads the body of a POST: {"act":"log-out","session":"...","reason":"..."}, with "text" for a
// Logout, "number" for a gap fill or a drain; "set-numbers" has "expected" and "wanted", each
// {"in":1,"out":1}. Every act needs a reason. The error says what was expected.
[[nodiscard]] std::expected<Act, std::string> read_act(std::string_view body);

}  // namespace nexusfix::web
