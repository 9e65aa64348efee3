// `nexusfix --help`.
#pragma once

#include <string>

namespace nexusfix::command {

// All subcommands, with an example of each.
[[nodiscard]] std::string overview();

}  // namespace nexusfix::command
