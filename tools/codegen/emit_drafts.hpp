// What a draft needs to know of a message or of a group's entries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "codegen/type_names.hpp"

namespace nexusfix::codegen {

// The type of the class's getters for a draft, the types of its fields, and its groups. name: of
// the class.
[[nodiscard]] std::string emit_draft_facts(const TypeNames& names, std::string_view name_space,
                                           std::string_view name,
                                           const std::vector<dictionary::FlatMember>& fields);

}  // namespace nexusfix::codegen
