// Converts values of fields to Python objects, and back.
#pragma once

#include <string>
#include <string_view>

#include "python/src/catalog.hpp"
#include "python/src/errors.hpp"
#include "python/src/field_text.hpp"

namespace nexusfix::python {

// A new reference. Raises FieldError if the value is not of the field's type. offset: of the value
// in its message. field: of no group.
[[nodiscard]] PyObject* to_python(const Field& field, std::string_view value, std::size_t offset);

// Appends the value as it is in a message. Raises FieldError if it does not fit the field.
void append_value(FieldText& to, const Field& field, PyObject* value);

// The class of an enumerated field; a borrowed reference. Null: the field is not enumerated.
[[nodiscard]] PyObject* enumeration_of(const Field& field);

// "Side (54)"; "tag 5001" without a name.
[[nodiscard]] std::string named(const Field& field);

// The text of a str; views live as long as the object.
[[nodiscard]] std::string_view text_of(PyObject* text);

}  // namespace nexusfix::python
