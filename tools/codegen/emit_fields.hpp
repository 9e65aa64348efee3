// The types of a dictionary's fields.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "codegen/names.hpp"

namespace nexusfix::codegen {

// The kind of a field's enumeration, if it has one.
enum class EnumKind : std::uint8_t { None, Char, Int, String };

// None for a Boolean, for a field with several values at once, and for an enumeration that is
// marked as incomplete.
[[nodiscard]] EnumKind enum_kind(const dictionary::FieldDefinition& field);

// The C++ type of a value that is not enumerated: "std::string_view", "Decimal", ...
[[nodiscard]] std::string_view value_type(dictionary::FieldType type);

// The identifier of each field, by position in Dictionary::fields.
[[nodiscard]] std::vector<std::string> field_identifiers(const dictionary::Dictionary& dictionary,
                                                         UniqueNames& names);

// The Length fields of data fields.
struct DataPairs {
  std::map<wire::Tag, wire::Tag> length_of_data;
  std::set<wire::Tag> lengths;
};
[[nodiscard]] DataPairs data_pairs(const dictionary::Dictionary& dictionary);

// Whether enum_kind() is not None.
[[nodiscard]] bool is_enumeration(const dictionary::FieldDefinition& field);

// The declaration of a field without an enumeration.
[[nodiscard]] std::string emit_plain_field(const dictionary::FieldDefinition& field,
                                           const std::string& name, const DataPairs& pairs);

// The enumeration of a field with one, and its EnumTraits. name_space: see EmitOptions. version:
// that of the dictionary, such as "FIX.4.4".
struct FieldText {
  std::string declaration;  // within the namespace
  std::string traits;       // within nexusfix::wire
  std::vector<std::string> enumerators;
};
[[nodiscard]] FieldText emit_enum_field(const dictionary::FieldDefinition& field,
                                        const std::string& name, std::string_view name_space,
                                        std::string_view version);

// The dictionary's names of an enumeration's values, as a specialisation of wire::EnumNames. type:
// the enumeration, with its namespace.
[[nodiscard]] std::string emit_enum_names(const dictionary::FieldDefinition& field,
                                          const std::string& type);

}  // namespace nexusfix::codegen
