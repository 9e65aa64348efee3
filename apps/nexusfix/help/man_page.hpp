// The help of a subcommand as a page for man.
#pragma once

#include <string>
#include <string_view>

#include "nexusfix/text/help.hpp"

namespace nexusfix::command {

// Section 1, in the macros of man(7). It has a section for each subcommand of the subcommand.
[[nodiscard]] std::string man_page(const HelpFacts& facts);

// nexusfix(1), from the overview.
[[nodiscard]] std::string man_overview();

// "nexusfix-grep", of "nexusfix grep".
[[nodiscard]] std::string man_name(std::string_view full_name);

}  // namespace nexusfix::command
