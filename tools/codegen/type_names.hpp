// The names of the C++ types of a dictionary, and the headers that contain them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "codegen/names.hpp"

namespace nexusfix::codegen {

// A class and its header, relative to the folder of the namespace and without ".hpp".
struct TypeName {
  std::string name;
  std::string file;
};

// By position in the dictionary's lists of the same names.
struct TypeNames {
  std::vector<std::string> fields;
  std::vector<std::string> enum_files;  // empty: the field has no enumeration
  std::vector<TypeName> messages;
  std::vector<TypeName> components;
  std::vector<std::string> component_names;
  // The name of a group consists of its owner's name and of its count field. Equal groups share the
  // first one's name. Only generated code uses these names.
  std::vector<TypeName> groups;
  // Each class of groups once, with one of its groups.
  std::vector<std::pair<dictionary::Index, TypeName>> named_groups;
  UniqueNames types;  // all of them
};

[[nodiscard]] TypeNames type_names(const dictionary::Dictionary& dictionary);

}  // namespace nexusfix::codegen
