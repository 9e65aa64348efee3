// Compares the result of a kernel with that of the reference parser.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/wire/parser.hpp>

#include "random/property/wire/wire_reference.hpp"

namespace nexusfix::test {

[[nodiscard]] inline std::string fault_difference(const std::optional<wire::Fault>& got,
                                                  const ReferenceFault* wanted) {
  if (got.has_value() != (wanted != nullptr))
    return got ? "a fault too many" : "a fault is missing";
  if (!got) return {};
  if (got->rule != wanted->rule) return "the fault's rule";
  if (got->offset != wanted->offset) return "the fault's offset";
  return got->tag_text == wanted->tag_text ? "" : "the fault's tag";
}

// The difference; empty if they are equal.
[[nodiscard]] inline std::string difference(
    const std::expected<wire::MessageView, wire::ParseError>& got, const ReferenceMessage& wanted) {
  if (got.has_value() == wanted.garbled.has_value()) {
    return got ? "accepted" : "refused: " + std::string{to_string(got.error().reason)};
  }
  if (!got) {
    const bool same = got.error().reason == *wanted.garbled;
    return same ? "" : "the reason: " + std::string{to_string(got.error().reason)};
  }
  if (got->field_count() != wanted.fields.size()) return "the number of fields";
  for (std::size_t i = 0; i < wanted.fields.size(); ++i) {
    const wire::FieldView field = got->field(i);
    const ReferenceField& other = wanted.fields[i];
    if (field.tag != other.tag || field.offset != other.value_offset ||
        field.value != other.value) {
      return "field " + std::to_string(i);
    }
  }
  const std::string of_first = fault_difference(got->fault(), wanted.first_fault(true));
  if (!of_first.empty()) return of_first;
  return fault_difference(got->fault_but_empty(), wanted.first_fault(false));
}

}  // namespace nexusfix::test
