// The fields, and a table from tag to field, for the rungs 2 to 4.
#pragma once

#include <array>
#include <vector>

#include "bench/ladder/rung.hpp"
#include "bench/ladder/view_parser.hpp"

namespace nexusfix::bench::ladder {

class FieldTable {
 public:
  void clear() noexcept {
    // Clears only the entries of the last message: the whole table has many cache lines.
    for (const Field& field : fields_) {
      if (field.tag < kTagsDirect) places_[field.tag] = 0;
    }
    fields_.clear();
  }
  void add(Tag tag, std::string_view value) {
    fields_.push_back({tag, value});
    if (tag < kTagsDirect && places_[tag] == 0) {
      places_[tag] = static_cast<std::uint32_t>(fields_.size());
    }
  }
  [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }
  [[nodiscard]] const Field& operator[](std::size_t index) const noexcept { return fields_[index]; }
  [[nodiscard]] std::optional<std::string_view> find(Tag tag) const noexcept {
    if (tag < kTagsDirect) {
      const std::uint32_t place = places_[tag];
      if (place == 0) return std::nullopt;
      return fields_[place - 1].value;
    }
    for (const Field& field : fields_) {
      if (field.tag == tag) return field.value;
    }
    return std::nullopt;
  }

 private:
  // The tags of FIX up to 5.0. User-defined tags with five digits are searched in the list.
  static constexpr Tag kTagsDirect = 2048;

  std::vector<Field> fields_;
  std::array<std::uint32_t, kTagsDirect> places_{};  // 1-based; 0: not in the message
};

// The checks that need only the fields. trailer_begin and body_begin are those of Outline.
[[nodiscard]] inline bool fields_are_valid(const FieldTable& fields, std::size_t body_begin,
                                           std::size_t trailer_begin, std::uint32_t sum) noexcept {
  if (fields.size() < 4) return false;
  const Field& last = fields[fields.size() - 1];
  const Outline outline{.body_begin = body_begin,
                        .trailer_begin = trailer_begin,
                        .body_length = fields[1].value,
                        .check_sum = last.value,
                        .first_three = {fields[0].tag, fields[1].tag, fields[2].tag},
                        .last = last.tag};
  return outline_is_valid(outline) && sum_is_valid(outline, sum);
}

}  // namespace nexusfix::bench::ladder
