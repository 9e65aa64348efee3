#include "codegen/blocks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

namespace nexusfix::codegen {
namespace {

using dictionary::Dictionary;
using dictionary::FlatMember;
using dictionary::Index;
using dictionary::Member;
using MemberKind = dictionary::Member::Kind;

void collect_nested(const Dictionary& dictionary, const std::vector<FlatMember>& fields,
                    std::set<Index>& groups, std::set<Index>& found, std::vector<Index>& result) {
  for (const FlatMember& field : fields) {
    if (!field.group || !groups.insert(*field.group).second) continue;
    const auto nested = flatten(dictionary, dictionary.groups[*field.group].members);
    for (const FlatMember& inner : nested) {
      if (found.insert(inner.field).second) result.push_back(inner.field);
    }
    collect_nested(dictionary, nested, groups, found, result);
  }
}

}  // namespace

std::vector<Index> nested_fields_of(const Dictionary& dictionary,
                                    const std::vector<FlatMember>& fields) {
  std::set<Index> groups;
  std::set<Index> found;
  std::vector<Index> result;
  collect_nested(dictionary, fields, groups, found, result);
  return result;
}

std::string group_key(const Dictionary& dictionary, Index group) {
  std::string key = 'g' + std::to_string(dictionary.groups[group].count_field) + '(';
  for (const Member& member : dictionary.groups[group].members) {
    switch (member.kind) {
      case MemberKind::Component:
        key += 'c' + std::to_string(member.index);
        break;
      case MemberKind::Group:
        key += group_key(dictionary, member.index);
        break;
      case MemberKind::Field:
        key += 'f' + std::to_string(member.index);
        break;
    }
    key += member.required ? '!' : ' ';
  }
  return key + ')';
}

// A block under construction.
struct BlockMaker::Draft {
  Block block;
  std::vector<Member> own;
  std::map<std::string, wire::Tag> inherited_names;
  std::set<Index> own_fields;      // count fields of groups, too
  std::set<Index> own_components;  // with an accessor
  std::set<std::pair<Index, bool>> walked;
};

BlockMaker::BlockMaker(const Dictionary& dictionary, const std::vector<std::string>& field_names,
                       const std::vector<std::string>& component_names)
    : dictionary_{dictionary},
      field_names_{field_names},
      component_names_{component_names},
      components_(dictionary.components.size()) {}

const Block& BlockMaker::component(Index index) {
  if (!components_[index]) {
    components_[index] = make(dictionary_.components[index].members, component_names_[index]);
  }
  return *components_[index];
}

Block BlockMaker::make(const std::vector<Member>& members, const std::string& class_name) {
  Draft draft;
  draft.block.components.resize(dictionary_.components.size());
  walk(draft, members, true);
  name_own(draft, class_name);
  return std::move(draft.block);
}

void BlockMaker::walk(Draft& draft, const std::vector<Member>& members, bool required) {
  for (Member member : members) {
    member.required = member.required && required;
    if (member.kind != MemberKind::Component) {
      add(draft, member);
      continue;
    }
    if (draft.own_components.insert(member.index).second) draft.own.push_back(member);
    if (can_inherit(draft, member.index)) {
      const Block& inherited = component(member.index);
      draft.block.inherited.push_back({member.index, member.required});
      draft.block.components[member.index] = true;
      draft.inherited_names.insert(inherited.names.begin(), inherited.names.end());
      for (std::size_t i = 0; i < inherited.components.size(); ++i) {
        if (inherited.components[i]) draft.block.components[i] = true;
      }
    } else if (draft.walked.insert({member.index, member.required}).second) {
      walk(draft, dictionary_.components[member.index].members, member.required);
    }
  }
}

void BlockMaker::add(Draft& draft, const Member& member) {
  const Index field = member.kind == MemberKind::Group
                          ? dictionary_.groups[member.index].count_field
                          : member.index;
  if (draft.own_fields.insert(field).second) {
    draft.own.push_back(member);
    return;
  }
  if (!member.required) return;
  const auto same = std::ranges::find_if(draft.own, [&](const Member& other) {
    return other.kind == member.kind && other.index == member.index;
  });
  if (same != draft.own.end()) same->required = true;
}

bool BlockMaker::can_inherit(const Draft& draft, Index index) {
  if (draft.block.components[index]) return false;
  const Block& block = component(index);
  for (std::size_t i = 0; i < block.components.size(); ++i) {
    if (block.components[i] && draft.block.components[i]) return false;
  }
  return std::ranges::none_of(
      block.names, [&](const auto& entry) { return draft.inherited_names.contains(entry.first); });
}

// An own accessor hides an inherited one of the same name. That does no harm if both read the same
// tag.
void BlockMaker::name_own(Draft& draft, const std::string& class_name) {
  Block& block = draft.block;
  UniqueNames names;
  for (const std::string& reserved : {std::string{"from"}, std::string{"view"}, class_name}) {
    static_cast<void>(names.take(reserved, ""));
  }
  for (const Member& member : draft.own) {  // the type of a group's entries has this name
    if (member.kind != MemberKind::Group) continue;
    static_cast<void>(names.take(field_names_[dictionary_.groups[member.index].count_field], ""));
  }
  // Fields before components, because a reader of FIX expects the names of fields.
  for (const bool components : {false, true}) {
    for (const Member& member : draft.own) {
      if ((member.kind == MemberKind::Component) != components) continue;
      const Index field = member.kind == MemberKind::Group
                              ? dictionary_.groups[member.index].count_field
                              : member.index;
      const wire::Tag tag = components ? 0 : dictionary_.fields[field].tag;
      const std::string wanted =
          identifier(snake_case(components ? component_names_[member.index] : field_names_[field]));
      const auto hidden = draft.inherited_names.find(wanted);
      const bool hides_another =
          hidden != draft.inherited_names.end() && (components || hidden->second != tag);
      if (hides_another) static_cast<void>(names.take(wanted, ""));
      const std::string suffix = components ? "_component" : '_' + std::to_string(tag);
      Accessor accessor{names.take(wanted, suffix), member};
      if (const std::string with_default = identifier(accessor.name + "_or");
          member.kind == MemberKind::Field && names.take(with_default, "_") == with_default) {
        accessor.name_with_default = with_default;
      }
      block.names.emplace(accessor.name, tag);
      block.own.push_back(std::move(accessor));
    }
  }
  block.names.insert(draft.inherited_names.begin(), draft.inherited_names.end());
}

}  // namespace nexusfix::codegen
