#pragma once

#include <map>
#include <string>

#include "bench/ladder/rung.hpp"

namespace nexusfix::bench::ladder {

// Rung 0, the start: every value is copied to a string, every field is a node of a tree. It is also
// the reference parser of the report.
class MapParser {
 public:
  [[nodiscard]] bool parse(std::string_view message);
  [[nodiscard]] std::size_t field_count() const noexcept { return field_count_; }
  [[nodiscard]] std::optional<std::string_view> find(Tag tag) const {
    const auto found = fields_.find(static_cast<int>(tag));
    if (found == fields_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::map<int, std::string> fields_;
  std::size_t field_count_ = 0;  // including repeated tags
};

}  // namespace nexusfix::bench::ladder
