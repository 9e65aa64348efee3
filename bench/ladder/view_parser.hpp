#pragma once

#include <vector>

#include "bench/ladder/rung.hpp"
#include "bench/ladder/text.hpp"

namespace nexusfix::bench::ladder {

struct Field {
  Tag tag = 0;
  std::string_view value;
};

// Rung 1, zero copies: the fields are views into the message's bytes, in a reused list. A lookup
// searches the list.
class ViewParser {
 public:
  [[nodiscard]] bool parse(std::string_view message);
  [[nodiscard]] std::size_t field_count() const noexcept { return fields_.size(); }
  [[nodiscard]] std::optional<std::string_view> find(Tag tag) const noexcept {
    for (const Field& field : fields_) {
      if (field.tag == tag) return field.value;
    }
    return std::nullopt;
  }

 private:
  std::vector<Field> fields_;
};

}  // namespace nexusfix::bench::ladder
