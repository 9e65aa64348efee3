// The acts of operators: requests of the page become commands to the engine.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "control/api/operator_acts.hpp"

namespace nexusfix::web {

// Reads the body of a POST: a command as the control socket gets it. Every act needs a reason. The
// error says what was expected.
[[nodiscard]] std::expected<engine::OperatorRequest, std::string> read_act(std::string_view body);

}  // namespace nexusfix::web
