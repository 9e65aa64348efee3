// Which name somebody meant.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary/model.hpp>

namespace nexusfix::dictionary {

// The candidate that takes the fewest letters to change, add, leave out or swap with the next one,
// upper and lower case being the same; the first of several. Unset: each candidate needs more
// changes than a third of the name's letters, or than changes_max. O(sum of the candidates' lengths
// * length of name). Names of more than 64 bytes are ignored.
[[nodiscard]] std::optional<std::string_view> nearest_name(
    std::string_view name, const std::vector<std::string_view>& candidates,
    std::size_t changes_max = 64);

// The values of a field's enumeration that a wrong value most likely stands for: the one that has
// this name, or differs in capitals or leading zeros only; else one whose name or whose text is
// spelled like it. None: nothing is near, as is the rule for values of one character. They live as
// long as field.
[[nodiscard]] std::vector<const EnumValue*> nearest_values(const FieldDefinition& field,
                                                           std::string_view text);

}  // namespace nexusfix::dictionary
