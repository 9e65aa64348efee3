#include "codegen/type_names.hpp"

#include <map>
#include <string_view>
#include <utility>

#include "codegen/blocks.hpp"
#include "codegen/emit_fields.hpp"

namespace nexusfix::codegen {
namespace {

using dictionary::Dictionary;
using dictionary::Index;
using dictionary::Member;
using MemberKind = dictionary::Member::Kind;

class Namer {
 public:
  explicit Namer(const Dictionary& dictionary) : dictionary_{dictionary} {}

  TypeNames make() {
    // The namespaces that are declared among the types.
    for (const char* const taken : {"tag", "names", "members", "groups"}) {
      static_cast<void>(types_.take(taken, ""));
    }
    names_.fields = field_identifiers(dictionary_, types_);
    for (const char* const taken : {"tags", "fields", "plain_fields", "all_messages"}) {
      static_cast<void>(files_.take(taken, ""));
    }
    UniqueNames enum_files;
    for (std::size_t i = 0; i < names_.fields.size(); ++i) {
      const bool is_enum = is_enumeration(dictionary_.fields[i]);
      names_.enum_files.push_back(
          is_enum ? "enums/" + enum_files.take(snake_case(names_.fields[i]), "_field") : "");
    }
    // Messages first, because programs use their names most often.
    for (const auto& message : dictionary_.messages) {
      names_.messages.push_back(take(message.name, "Message", "_message"));
    }
    for (const auto& component : dictionary_.components) {
      names_.components.push_back(take(component.name, "Component", "_component"));
      names_.component_names.push_back(names_.components.back().name);
    }
    name_groups();
    names_.types = std::move(types_);
    return std::move(names_);
  }

 private:
  TypeName take(const std::string& name, std::string_view suffix, std::string_view file_suffix) {
    const std::string type = types_.take(identifier(name), suffix);
    return {type, files_.take(snake_case(type), file_suffix)};
  }

  void name_groups() {
    names_.groups.resize(dictionary_.groups.size());
    for (Index i = 0; i < names_.components.size(); ++i) {
      name_groups_in(dictionary_.components[i].members, names_.components[i].name);
    }
    for (std::size_t i = 0; i < names_.messages.size(); ++i) {
      name_groups_in(dictionary_.messages[i].members, names_.messages[i].name);
    }
  }

  void name_groups_in(const std::vector<Member>& members, const std::string& owner) {
    for (const Member& member : members) {
      if (member.kind != MemberKind::Group || !names_.groups[member.index].name.empty()) continue;
      const auto& group = dictionary_.groups[member.index];
      const auto [known, is_new] =
          known_groups_.emplace(group_key(dictionary_, member.index), member.index);
      if (!is_new) {
        names_.groups[member.index] = names_.groups[known->second];
        continue;
      }
      const std::string wanted = owner + names_.fields[group.count_field];
      names_.groups[member.index].name = types_.take(wanted, "Group");
      name_groups_in(group.members, wanted);
      names_.groups[member.index].file =
          "groups/" + group_files_.take(snake_case(names_.groups[member.index].name), "_group");
      names_.named_groups.emplace_back(member.index, names_.groups[member.index]);
    }
  }

  const Dictionary& dictionary_;
  UniqueNames types_;
  UniqueNames files_;
  UniqueNames group_files_;
  std::map<std::string, Index> known_groups_;
  TypeNames names_;
};

}  // namespace

TypeNames type_names(const Dictionary& dictionary) { return Namer{dictionary}.make(); }

}  // namespace nexusfix::codegen
