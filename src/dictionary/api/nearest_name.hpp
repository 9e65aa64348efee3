// Finds the intended name for a misspelt one.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {

// The candidate with the smallest edit_distance() to name; the first one, if several have it.
// Ignores case. Unset: each candidate needs more changes than a third of the letters of name (or
// than 1, for a short name), or more than changes_max. Names above 64 bytes are ignored. The result
// lives as long as the text of the candidate. O(sum of the candidates' lengths * length of name).
[[nodiscard]] std::optional<std::string_view> nearest_name(
    std::string_view name, const std::vector<std::string_view>& candidates,
    std::size_t changes_max = 64);

// The values of a field that an invalid value most likely stands for: those with this name, or that
// differ only in case or leading zeros; otherwise one with a similar name or text. Empty: nothing
// is similar, which is usual for values of one character. Valid as long as field.values is not
// changed. Allocates.
[[nodiscard]] std::vector<const FieldDefinition::EnumValue*> nearest_values(
    const FieldDefinition& field, std::string_view text);

}  // namespace nexusfix::dictionary
