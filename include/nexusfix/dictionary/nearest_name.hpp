// Finds the intended name for a misspelt one.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary/model.hpp>

namespace nexusfix::dictionary {

// The candidate that needs the fewest letters to replace, insert, delete or swap with the next one;
// the first of several. Ignores case. Unset: each candidate needs more changes than a third of the
// name's letters, or than changes_max. Names of more than 64 bytes are ignored. O(sum of the
// candidates' lengths * length of name).
[[nodiscard]] std::optional<std::string_view> nearest_name(
    std::string_view name, const std::vector<std::string_view>& candidates,
    std::size_t changes_max = 64);

// The values of a field's enumeration that a wrong value most likely stands for: the value with
// this name, or the one that differs only in case or leading zeros; otherwise one with a similar
// name or text. Empty: nothing is similar, which is usual for values of one character. They live as
// long as field.
[[nodiscard]] std::vector<const EnumValue*> nearest_values(const FieldDefinition& field,
                                                           std::string_view text);

}  // namespace nexusfix::dictionary
