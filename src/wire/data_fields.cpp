#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>

#include <nexusfix/wire/field.hpp>

namespace nexusfix::wire {

namespace {

constexpr DataFieldTable::Pair kStandardPairs[] = {
    {90, 91},     {93, 89},     {95, 96},     {212, 213},   {348, 349},   {350, 351},
    {352, 353},   {354, 355},   {356, 357},   {358, 359},   {360, 361},   {362, 363},
    {364, 365},   {445, 446},   {618, 619},   {621, 622},   {1184, 1185}, {1277, 1278},
    {1280, 1281}, {1282, 1283}, {1397, 1398}, {1401, 1402}, {1403, 1404}, {1468, 1469},
};

constexpr bool by_length_tag(const DataFieldTable::Pair& a,
                             const DataFieldTable::Pair& b) noexcept {
  return a.length < b.length;
}
static_assert(std::is_sorted(std::begin(kStandardPairs), std::end(kStandardPairs), by_length_tag));

}  // namespace

Tag standard_data_tag(Tag length_tag) noexcept {
  constexpr Tag kLast = std::end(kStandardPairs)[-1].length;
  static constexpr auto kDataTags = [] {
    std::array<std::uint16_t, kLast + 1> tags{};
    for (const DataFieldTable::Pair pair : kStandardPairs) {
      tags[pair.length] = static_cast<std::uint16_t>(pair.data);
    }
    return tags;
  }();
  return length_tag <= kLast ? kDataTags[length_tag] : 0;
}

DataFieldTable DataFieldTable::standard() {
  DataFieldTable table;
  table.pairs_.assign(std::begin(kStandardPairs), std::end(kStandardPairs));
  return table;
}

void DataFieldTable::add(DataFieldTable::Pair pair) {
  add(std::span<const DataFieldTable::Pair>{&pair, 1});
}

void DataFieldTable::add(std::span<const DataFieldTable::Pair> pairs) {
  std::map<Tag, Tag> data_by_length;
  for (const DataFieldTable::Pair& pair : pairs_) data_by_length[pair.length] = pair.data;
  for (const DataFieldTable::Pair& pair : pairs) data_by_length[pair.length] = pair.data;
  pairs_.clear();
  for (const auto& [length, data] : data_by_length) pairs_.push_back({length, data});
}

std::optional<Tag> DataFieldTable::data_tag_for(Tag length_tag) const noexcept {
  const auto place = std::lower_bound(pairs_.begin(), pairs_.end(),
                                      DataFieldTable::Pair{length_tag, 0}, by_length_tag);
  if (place == pairs_.end() || place->length != length_tag) return std::nullopt;
  return place->data;
}

std::optional<Tag> DataFieldTable::length_tag_for(Tag data_tag) const noexcept {
  const auto place =
      std::find_if(pairs_.begin(), pairs_.end(),
                   [data_tag](DataFieldTable::Pair pair) { return pair.data == data_tag; });
  if (place == pairs_.end()) return std::nullopt;
  return place->length;
}

}  // namespace nexusfix::wire
