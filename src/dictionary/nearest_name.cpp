#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <nexusfix/dictionary/nearest_name.hpp>

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
                                             const std::vector<std::string_view>& candidates,
                                             std::size_t changes_max) {
  if (name.empty() || name.size() > kNameBytesMax) return std::nullopt;
  std::optional<std::string_view> nearest;
  const std::size_t letters_allowed = std::max<std::size_t>(1, name.size() / kLettersForOneChange);
  std::size_t least = std::min(letters_allowed, changes_max) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kNameBytesMax) continue;
    const std::size_t letters = distance(name, candidate);
    if (letters >= least) continue;
    least = letters;
    nearest = candidate;
  }
  return nearest;
}

std::vector<const EnumValue*> nearest_values(const FieldDefinition& field, std::string_view text) {
  const auto without_zeros = [](std::string_view digits) {
    return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
  };
  const auto equal = [](std::string_view left, std::string_view right) {
    return std::ranges::equal(left, right, {}, lower, lower);
  };
  std::vector<const EnumValue*> near;
  if (text.empty()) return near;
  for (const EnumValue& value : field.values) {
    if (equal(value.name, text) || equal(value.value, text) ||
        without_zeros(value.value) == without_zeros(text)) {
      near.push_back(&value);
    }
  }
  if (!near.empty() || text.size() == 1) return near;
  std::vector<std::string_view> texts;
  std::vector<std::string_view> names;
  for (const EnumValue& value : field.values) {
    if (value.value.size() > 1) texts.push_back(value.value);
    names.push_back(value.name);
  }
  if (const auto name = nearest_name(text, names)) {
    near.push_back(&*std::ranges::find(field.values, *name, &EnumValue::name));
  } else if (const auto like = nearest_name(text, texts)) {
    near.push_back(&*std::ranges::find(field.values, *like, &EnumValue::value));
  }
  return near;
}

}  // namespace nexusfix::dictionary
