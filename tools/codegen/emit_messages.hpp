// From a dictionary to the C++ headers of its fields and messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>

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

// Part of every generated header.
inline constexpr std::string_view kMadeBy = "// Made by nexusfix codegen from ";

// One header for each message and component and, in the folders enums and groups, for each
// enumerated field and each group. Each has a name in snake_case and includes the headers that it
// needs. tags.hpp: a constant for each tag. plain_fields.hpp: the types of fields without an
// enumeration. fields.hpp: all fields. The same dictionary always gives the same bytes.
//
// A field keeps its name. A message with the name of a field gets the suffix Message
// (SecurityStatus of FIX 5.0: class SecurityStatusMessage in security_status_message.hpp). If two
// enumerators, or two accessors of a message, would have the same name, the later one gets its
// value or its tag as a suffix.
[[nodiscard]] std::vector<GeneratedFile> emit_messages(const dictionary::Dictionary& dictionary,
                                                       const EmitOptions& options);

}  // namespace nexusfix::codegen
