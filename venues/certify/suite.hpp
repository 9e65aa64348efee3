// The cases of a kit's suite.
#pragma once

#include <expected>
#include <set>
#include <string>
#include <vector>

#include "tester/run/suites.hpp"
#include "venues/kit/kit.hpp"

namespace nexusfix::venues {

// The scripts of one endpoint: suite/ENDPOINT/*.scenario, whose parts are in suite/parts or those
// of nexusfix test. names: defined outside of the scripts.
[[nodiscard]] std::expected<std::vector<tester::Case>, std::string> suite_of(
    const Kit& kit, const Endpoint& endpoint, const std::set<std::string, std::less<>>& names);

}  // namespace nexusfix::venues
