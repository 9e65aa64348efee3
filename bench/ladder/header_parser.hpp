#pragma once

#include "bench/ladder/field_table.hpp"
#include "bench/ladder/rung.hpp"

namespace nexusfix::bench::ladder {

// Rung 4, compile-time offsets: the places of BeginString, BodyLength and MsgType, and the sum of
// the header's constant bytes, are constants. A message with another BeginString, or without two to
// four digits in BodyLength, takes the general path.
class HeaderParser {
 public:
  [[nodiscard]] bool parse(std::string_view message);
  [[nodiscard]] std::size_t field_count() const noexcept { return fields_.size(); }
  [[nodiscard]] std::optional<std::string_view> find(Tag tag) const noexcept {
    return fields_.find(tag);
  }

 private:
  [[nodiscard]] bool parse_any(std::string_view message);

  FieldTable fields_;
};

}  // namespace nexusfix::bench::ladder
