// Examples of correct values of a field.
#pragma once

#include <string>
#include <string_view>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {

// For an enumeration "1 (MARKET)", otherwise an example such as "20240115-10:30:00.123".
[[nodiscard]] std::string example_value(const FieldDefinition& field);

// A correction of text, which is not of the field's type, or an example: "38=1000", "a decimal
// number without exponent, such as 44=12.5".
[[nodiscard]] std::string right_value(const FieldDefinition& field, std::string_view text);

}  // namespace nexusfix::dictionary
