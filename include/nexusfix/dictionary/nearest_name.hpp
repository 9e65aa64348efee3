// Which name somebody meant.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary/model.hpp>

namespace nexusfix::dictionary {

// The candidate that takes the fewest letters to change, add, leave out or swap with the next one,
// upper and lower case being the same; the first of several. Nothing: none is near enough to be
// worth telling. O(sum of the candidates' lengths * length of name), and names of more than 64
// bytes are not looked at.
[[nodiscard]] std::optional<std::string_view> nearest_name(
    std::string_view name, const std::vector<std::string_view>& candidates);

// The values of a field's enumeration that a wrong value most likely stands for: the one that has
// this name, or differs in capitals or leading zeros only; else one whose name or whose text is
// spelled like it. None: nothing is near, as is the rule for values of one character. They live as
// long as field.
[[nodiscard]] std::vector<const EnumValue*> nearest_values(const FieldDefinition& field,
                                                           std::string_view text);

}  // namespace nexusfix::dictionary
