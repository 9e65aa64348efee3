// The names of --set: <NAME> in a script means the text that the user gives.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "tester/run/suites.hpp"
#include "tester/script/message_text.hpp"

namespace nexusfix::tester {

// Each of the form NAME=TEXT. The error begins with "--set".
[[nodiscard]] std::expected<Names, std::string> names_of(const std::vector<std::string>& sets);

// Refuses a name that no script has.
[[nodiscard]] std::expected<void, std::string> check_names(const Names& given,
                                                           const std::vector<Case>& cases);

}  // namespace nexusfix::tester
