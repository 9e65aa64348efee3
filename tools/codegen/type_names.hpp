// What the C++ types of a dictionary are called, and in which headers they are.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nexusfix/dictionary/model.hpp>

#include "codegen/names.hpp"

namespace nexusfix::codegen {

// A class and the header that it is in, below the folder of the namespace, without ".hpp".
struct TypeName {
  std::string name;
  std::string file;
};

// By position in the dictionary's lists of the same names.
struct TypeNames {
  std::vector<std::string> fields;
  std::vector<std::string> enum_files;  // empty: the field is no enumeration
  std::vector<TypeName> messages;
  std::vector<TypeName> components;
  std::vector<std::string> component_names;
  // A group is called by what holds it and by its count field; of those that are alike, the first
  // one names all. Only the generated code says these names.
  std::vector<TypeName> groups;
  // Each class of groups once, with a group that it is made from.
  std::vector<std::pair<dictionary::Index, TypeName>> named_groups;
  UniqueNames types;  // all of them
};

[[nodiscard]] TypeNames type_names(const dictionary::Dictionary& dictionary);

}  // namespace nexusfix::codegen
