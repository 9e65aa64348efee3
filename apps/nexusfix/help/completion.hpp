// Completion of subcommands and options in a shell.
#pragma once

#include <string>
#include <vector>

#include "nexusfix/text/help.hpp"

namespace nexusfix::command {

// Scripts for the shells. all: the facts of every subcommand. Arguments and the values of options
// are completed as the names of files.
[[nodiscard]] std::string bash_completion(const std::vector<HelpFacts>& all);
[[nodiscard]] std::string zsh_completion(const std::vector<HelpFacts>& all);
[[nodiscard]] std::string fish_completion(const std::vector<HelpFacts>& all);

}  // namespace nexusfix::command
