// The parts of the classes of a dictionary's messages, components and groups, before their text is
// written.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "codegen/names.hpp"

namespace nexusfix::codegen {

// The fields of the groups within a block, at any depth, each once.
[[nodiscard]] std::vector<dictionary::Index> nested_fields_of(
    const dictionary::Dictionary& dictionary, const std::vector<dictionary::FlatMember>& fields);

// Equal for groups that can share one type: the same count field and members.
[[nodiscard]] std::string group_key(const dictionary::Dictionary& dictionary,
                                    dictionary::Index group);

struct Accessor {
  std::string name;
  dictionary::Member member;  // required: it is present if the block is
  // The name of the accessor that has a default value; empty: a group, a component, or a field to
  // which the dictionary gives another name that ends in "Or".
  std::string name_with_default{};
};

// A component whose accessors a block inherits.
struct InheritedComponent {
  dictionary::Index component = 0;
  bool required = false;
};

// Inherits each component and each name only once, so that each accessor is one function. If a
// component would add one a second time, its members become the block's own.
struct Block {
  std::vector<InheritedComponent> inherited;
  std::vector<Accessor> own;
  // All names of its accessors, each with its tag, or 0 for a component.
  std::map<std::string, wire::Tag> names;
  std::vector<bool> components;  // by Index: inherited directly or indirectly
};

// Makes blocks out of members.
class BlockMaker {
 public:
  // component_names: by Index.
  BlockMaker(const dictionary::Dictionary& dictionary, const std::vector<std::string>& field_names,
             const std::vector<std::string>& component_names);

  // class_name: a name that no accessor may have.
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
