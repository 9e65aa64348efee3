#include "dictionary/nearest_name.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace nexusfix::dictionary {
namespace {

constexpr std::size_t kNameBytesMax = 64;
constexpr std::size_t kLettersForOneChange = 3;

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// The optimal string alignment distance, row by row.
std::size_t distance(std::string_view left, std::string_view right) {
  using Row = std::array<std::size_t, kNameBytesMax + 1>;
  Row two_before{};
  Row before{};
  Row row{};
  for (std::size_t j = 0; j <= right.size(); ++j) before[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const bool same = lower(left[i - 1]) == lower(right[j - 1]);
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (same ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && lower(left[i - 1]) == lower(right[j - 2]) &&
                           lower(left[i - 2]) == lower(right[j - 1]);
      if (swapped) row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
    two_before = std::exchange(before, row);
  }
  return before[right.size()];
}

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view name,
                                             const std::vector<std::string_view>& candidates) {
  if (name.empty() || name.size() > kNameBytesMax) return std::nullopt;
  std::optional<std::string_view> nearest;
  std::size_t least = std::max<std::size_t>(1, name.size() / kLettersForOneChange) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kNameBytesMax) continue;
    const std::size_t letters = distance(name, candidate);
    if (letters >= least) continue;
    least = letters;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace nexusfix::dictionary
