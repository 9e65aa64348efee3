// Reads a file of rules.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "venue/rules/rules.hpp"

namespace nexusfix::venue {

// Each invalid line is an error.
[[nodiscard]] std::expected<Rules, std::vector<RulesError>> parse_rules(std::string_view text);

// A line for each error: "FILE:LINE:COLUMN: TEXT".
[[nodiscard]] std::string to_string(const std::vector<RulesError>& errors, std::string_view file);

}  // namespace nexusfix::venue
