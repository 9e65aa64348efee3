#include <algorithm>
#include <iterator>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {
namespace {

struct OtherValuesName {
  FieldDefinition::OtherValues others;
  std::string_view name;
  std::string_view words;
};

constexpr OtherValuesName kNames[] = {
    {FieldDefinition::OtherValues::None, "None", "no other values"},
    {FieldDefinition::OtherValues::Any, "Any", "other values"},
    {FieldDefinition::OtherValues::Country, "Country", "codes of countries"},
    {FieldDefinition::OtherValues::Qty, "Qty", "quantities"},
    {FieldDefinition::OtherValues::Reserved100Plus, "Reserved100Plus", "numbers from 100"},
    {FieldDefinition::OtherValues::Reserved1000Plus, "Reserved1000Plus", "numbers from 1000"},
    {FieldDefinition::OtherValues::Reserved4000Plus, "Reserved4000Plus", "numbers from 4000"},
    {FieldDefinition::OtherValues::Tenor, "Tenor", "tenors such as D5, W13, M3 and Y1"},
};

const OtherValuesName& name_of(FieldDefinition::OtherValues others) noexcept {
  return *std::ranges::find(kNames, others, &OtherValuesName::others);
}

}  // namespace

FieldDefinition::OtherValues other_values(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(kNames, name, &OtherValuesName::name);
  return found == std::end(kNames) ? FieldDefinition::OtherValues::Any : found->others;
}

std::string_view to_string(FieldDefinition::OtherValues others) noexcept {
  return name_of(others).name;
}

std::string_view words_of(FieldDefinition::OtherValues others) noexcept {
  return name_of(others).words;
}

}  // namespace nexusfix::dictionary
