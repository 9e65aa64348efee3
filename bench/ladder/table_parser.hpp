#pragma once

#include "bench/ladder/field_table.hpp"
#include "bench/ladder/rung.hpp"

namespace nexusfix::bench::ladder {

// Rung 2, lookup in one step: a table with the tag as index holds the place of its field.
class TableParser {
 public:
  [[nodiscard]] bool parse(std::string_view message);
  [[nodiscard]] std::size_t field_count() const noexcept { return fields_.size(); }
  [[nodiscard]] std::optional<std::string_view> find(Tag tag) const noexcept {
    return fields_.find(tag);
  }

 private:
  FieldTable fields_;
};

}  // namespace nexusfix::bench::ladder
