#include "base/api/edit_distance.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/api/ascii.hpp"

namespace nexusfix {

std::size_t edit_distance(std::string_view left, std::string_view right) noexcept {
  using Row = std::array<std::size_t, kEditDistanceBytesMax + 1>;
  left = left.substr(0, kEditDistanceBytesMax);
  right = right.substr(0, kEditDistanceBytesMax);
  Row two_before{};
  Row before{};
  Row row{};
  for (std::size_t j = 0; j <= right.size(); ++j) before[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const bool same = to_lower(left[i - 1]) == to_lower(right[j - 1]);
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (same ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && to_lower(left[i - 1]) == to_lower(right[j - 2]) &&
                           to_lower(left[i - 2]) == to_lower(right[j - 1]);
      if (swapped) row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
    two_before = std::exchange(before, row);
  }
  return before[right.size()];
}

}  // namespace nexusfix
