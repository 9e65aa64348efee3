// What the classes of a dictionary's messages, components and groups are made of, before any text
// is written.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/dictionary/model.hpp>

#include "codegen/names.hpp"

namespace nexusfix::codegen {

// The fields of the groups within a block, at any depth, each once.
[[nodiscard]] std::vector<dictionary::Index> nested_fields_of(
    const dictionary::Dictionary& dictionary, const std::vector<dictionary::FlatMember>& fields);

// Equal for groups of which one type can stand for both: same count field, same members.
[[nodiscard]] std::string group_key(const dictionary::Dictionary& dictionary,
                                    dictionary::Index group);

struct Accessor {
  std::string name;
  dictionary::Member member;  // required: it is, if the block itself is there
};

// A component whose accessors a block has by inheritance.
struct InheritedComponent {
  dictionary::Index component = 0;
  bool required = false;
};

// No component is inherited twice, by whatever way, and no name, so that each accessor is one
// function: of a component that would bring one a second time, the members are the block's own.
struct Block {
  std::vector<InheritedComponent> inherited;
  std::vector<Accessor> own;
  // Everything that it can be asked for by name, and the tag, or 0 of a component.
  std::map<std::string, wire::Tag> names;
  std::vector<bool> components;  // by Index: inherited, or inherited by what is
};

// Makes blocks out of members.
class BlockMaker {
 public:
  // component_names: by Index.
  BlockMaker(const dictionary::Dictionary& dictionary, const std::vector<std::string>& field_names,
             const std::vector<std::string>& component_names);

  // class_name: what an accessor may not be called.
  [[nodiscard]] Block make(const std::vector<dictionary::Member>& members,
                           const std::string& class_name);
  [[nodiscard]] const Block& component(dictionary::Index index);

 private:
  struct Draft;

  void walk(Draft& draft, const std::vector<dictionary::Member>& members, bool required);
  void add(Draft& draft, const dictionary::Member& member);
  [[nodiscard]] bool can_inherit(const Draft& draft, dictionary::Index component);
  void name_own(Draft& draft, const std::string& class_name);

  const dictionary::Dictionary& dictionary_;
  const std::vector<std::string>& field_names_;
  const std::vector<std::string>& component_names_;
  std::vector<std::optional<Block>> components_;
};

}  // namespace nexusfix::codegen
