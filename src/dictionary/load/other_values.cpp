#include <algorithm>
#include <iterator>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {
namespace {

struct OtherValuesName {
  OtherValues others;
  std::string_view name;
  std::string_view words;
};

constexpr OtherValuesName kNames[] = {
    {OtherValues::None, "None", "no other values"},
    {OtherValues::Any, "Any", "other values"},
    {OtherValues::Country, "Country", "codes of countries"},
    {OtherValues::Qty, "Qty", "quantities"},
    {OtherValues::Reserved100Plus, "Reserved100Plus", "numbers from 100"},
    {OtherValues::Reserved1000Plus, "Reserved1000Plus", "numbers from 1000"},
    {OtherValues::Reserved4000Plus, "Reserved4000Plus", "numbers from 4000"},
    {OtherValues::Tenor, "Tenor", "tenors such as D5, W13, M3 and Y1"},
};

const OtherValuesName& name_of(OtherValues others) noexcept {
  return *std::ranges::find(kNames, others, &OtherValuesName::others);
}

}  // namespace

OtherValues other_values(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(kNames, name, &OtherValuesName::name);
  return found == std::end(kNames) ? OtherValues::Any : found->others;
}

std::string_view to_string(OtherValues others) noexcept { return name_of(others).name; }

std::string_view words_of(OtherValues others) noexcept { return name_of(others).words; }

}  // namespace nexusfix::dictionary
