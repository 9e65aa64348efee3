#include "codegen/emit_drafts.hpp"

#include <fmt/format.h>

namespace nexusfix::codegen {

std::string emit_draft_facts(const TypeNames& names, std::string_view name_space,
                             std::string_view name,
                             const std::vector<dictionary::FlatMember>& fields) {
  std::string types;
  std::string groups;
  for (const dictionary::FlatMember& field : fields) {
    types += fmt::format("{}\n      {}::{}", types.empty() ? "" : ",", name_space,
                         names.fields[field.field]);
    if (!field.group) continue;
    groups += fmt::format("{}\n      {}::groups::{}", groups.empty() ? "" : ",", name_space,
                          names.groups[*field.group].name);
  }
  return fmt::format(
      "  template <class Self>\n  using Members = members::{}<Self, false>;\n"
      "  using Fields = wire::detail::FieldList<{}>;\n  using Groups = "
      "wire::detail::EntryList<{}>;\n",
      name, types, groups);
}

}  // namespace nexusfix::codegen
