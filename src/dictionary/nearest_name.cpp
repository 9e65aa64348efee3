#include "dictionary/api/nearest_name.hpp"

#include <algorithm>
#include <cstddef>

#include "base/api/ascii.hpp"
#include "base/api/edit_distance.hpp"

namespace nexusfix::dictionary {
namespace {

constexpr std::size_t kNameBytesMax = kEditDistanceBytesMax;
constexpr std::size_t kLettersForOneChange = 3;

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
    const std::size_t letters = edit_distance(name, candidate);
    if (letters >= least) continue;
    least = letters;
    nearest = candidate;
  }
  return nearest;
}

std::vector<const FieldDefinition::EnumValue*> nearest_values(const FieldDefinition& field,
                                                              std::string_view text) {
  const auto without_zeros = [](std::string_view digits) {
    return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
  };
  std::vector<const FieldDefinition::EnumValue*> near;
  if (text.empty()) return near;
  for (const FieldDefinition::EnumValue& value : field.values) {
    if (equals_ignoring_case(value.name, text) || equals_ignoring_case(value.value, text) ||
        without_zeros(value.value) == without_zeros(text)) {
      near.push_back(&value);
    }
  }
  if (!near.empty() || text.size() == 1) return near;
  std::vector<std::string_view> texts;
  std::vector<std::string_view> names;
  for (const FieldDefinition::EnumValue& value : field.values) {
    if (value.value.size() > 1) texts.push_back(value.value);
    names.push_back(value.name);
  }
  if (const auto name = nearest_name(text, names)) {
    near.push_back(&*std::ranges::find(field.values, *name, &FieldDefinition::EnumValue::name));
  } else if (const auto like = nearest_name(text, texts)) {
    near.push_back(&*std::ranges::find(field.values, *like, &FieldDefinition::EnumValue::value));
  }
  return near;
}

}  // namespace nexusfix::dictionary
