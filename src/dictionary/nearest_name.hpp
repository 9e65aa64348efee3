// Which name somebody meant.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace nexusfix::dictionary {

// The candidate that takes the fewest letters to change, add, leave out or swap with the next one,
// upper and lower case being the same; the first of several. Nothing: none is near enough to be
// worth telling. O(sum of the candidates' lengths * length of name), and names of more than 64
// bytes are not looked at.
[[nodiscard]] std::optional<std::string_view> nearest_name(
    std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace nexusfix::dictionary
