#pragma once

#include "bench/ladder/field_table.hpp"
#include "bench/ladder/rung.hpp"

namespace nexusfix::bench::ladder {

// Rung 4, compile-time offsets: where BeginString, BodyLength and MsgType stand, and what the
// header's constant bytes add to the CheckSum, is known before the program runs. A message of
// another BeginString, or of a length with other than two to four digits, goes the general way.
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
