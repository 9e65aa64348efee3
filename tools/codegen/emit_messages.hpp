// From a dictionary to the C++ headers of its fields and messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary/model.hpp>

#include "codegen/names.hpp"

namespace nexusfix::codegen {

struct GeneratedFile {
  std::string path;  // from the folder of generated headers: "nexusfix/fix44/fields.hpp"
  std::string text;
};

// name_space: the last part of the C++ namespace and of the folder, "fix44". source: the name of
// the dictionary's file, for the first line of each header.
struct EmitOptions {
  std::string name_space;
  std::string source;
};

// Stands in each of them.
inline constexpr std::string_view kMadeBy = "// Made by nexusfix codegen from ";

// One header for each message and component, and in folders of their own, enums and groups, for
// each enumerated field and group; each named by snake_case, and including what it needs.
// tags.hpp: a constant for each tag. plain_fields.hpp: the types of fields without enumeration.
// fields.hpp: all fields. The same dictionary gives the same bytes.
//
// A field keeps its name. A message that is called like a field gets Message behind its name
// (SecurityStatus of FIX 5.0: class SecurityStatusMessage in security_status_message.hpp). Two
// enumerators, or two accessors of a message, that would be spelled the same: the later one gets
// the value, or the tag, behind it.
[[nodiscard]] std::vector<GeneratedFile> emit_messages(const dictionary::Dictionary& dictionary,
                                                       const EmitOptions& options);

}  // namespace nexusfix::codegen
