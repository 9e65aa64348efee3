// Which running engine an operator means.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "control/api/running_engine.hpp"

namespace nexusfix::command {

// The store folder or the control socket of the engine that `--engine` names: a configuration file,
// a store's folder or a control socket. Empty: the only one that runs. The error says which ones
// run. command: a warning about the file names it.
[[nodiscard]] std::expected<std::string, std::string> engine_place(std::string_view command,
                                                                   const std::string& engine);
// Why the engine of this folder gave no answer, for people.
[[nodiscard]] std::string engine_fault(const engine::LiveError& error, const std::string& folder);

}  // namespace nexusfix::command
