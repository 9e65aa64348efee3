// What a right value of a field looks like.
#pragma once

#include <string>
#include <string_view>

#include <nexusfix/dictionary/model.hpp>

namespace nexusfix::dictionary {

// Of an enumeration "1 (MARKET)", else such a thing as "20240115-10:30:00.123".
[[nodiscard]] std::string example_value(const FieldDefinition& field);

// What somebody who wrote text, which is not of the field's type, most likely meant, or at least
// what one looks like: "100, without the comma", "a number such as 12.5".
[[nodiscard]] std::string right_value(const FieldDefinition& field, std::string_view text);

}  // namespace nexusfix::dictionary
