#include "tester/script/received_fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace nexusfix::tester {
namespace {

struct DataField {
  unsigned tag;
  unsigned length_tag;
};
// By ascending tag. The fields of type data and XMLData of FIX 4.0 to 5.0 SP2.
constexpr auto kDataFields = std::to_array<DataField>({
    {89, 93},       {91, 90},       {96, 95},       {213, 212},     {349, 348},     {351, 350},
    {353, 352},     {355, 354},     {357, 356},     {359, 358},     {361, 360},     {363, 362},
    {365, 364},     {446, 445},     {619, 618},     {622, 621},     {1185, 1184},   {1278, 1277},
    {1281, 1280},   {1283, 1282},   {1398, 1397},   {1402, 1401},   {1404, 1403},   {1469, 1468},
    {1527, 1525},   {1579, 1578},   {1621, 1620},   {1665, 1664},   {1697, 1678},   {1734, 1733},
    {1872, 1871},   {1875, 1874},   {2073, 2072},   {2075, 2074},   {2112, 2111},   {2180, 2179},
    {2288, 2287},   {2352, 2351},   {2371, 2372},   {2482, 2481},   {2493, 2494},   {2521, 2522},
    {2638, 2637},   {2652, 2651},   {2666, 2665},   {2716, 2715},   {2719, 2718},   {2722, 2721},
    {2798, 2797},   {2801, 2802},   {2808, 2809},   {2814, 2815},   {40005, 40004}, {40009, 40008},
    {40979, 40978}, {40981, 40980}, {40983, 40982}, {40985, 40984}, {40987, 40986}, {40989, 40988},
    {41084, 41083}, {41102, 41101}, {41108, 41107}, {41257, 41256}, {41321, 41320}, {41325, 41324},
    {41459, 41458}, {41477, 41476}, {41483, 41482}, {41654, 41653}, {41711, 41710}, {41807, 41806},
    {41812, 41811}, {41874, 41873}, {41970, 41969}, {42026, 42025}, {42172, 42171}, {42452, 42451},
    {42486, 43110}, {42653, 42652}, {42684, 43109}, {42948, 42947}, {42982, 43111},
});

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

// How many bytes the value of this field has, by the field before it. Nothing: it ends at SOH.
std::optional<std::uint64_t> data_size(const ReceivedField& before, std::string_view tag) {
  const auto number = number_of(tag);
  if (!number) return std::nullopt;
  const auto found = std::ranges::lower_bound(kDataFields, *number, {}, &DataField::tag);
  if (found == kDataFields.end() || found->tag != *number) return std::nullopt;
  if (number_of(before.tag) != found->length_tag) return std::nullopt;
  return number_of(before.value);
}

// The first field of the bytes: up to an SOH or their end.
ReceivedField first_field(std::string_view bytes, const ReceivedField& before) {
  const std::string_view field = bytes.substr(0, bytes.find(kSoh));
  const std::size_t equals = std::min(field.find('='), field.size());
  const std::string_view tag = field.substr(0, equals);
  const std::size_t begin = std::min(equals + 1, field.size());
  if (const auto size = data_size(before, tag)) {
    const std::string_view rest = bytes.substr(begin);
    if (*size < rest.size() && rest[*size] == kSoh) return {tag, rest.substr(0, *size)};
  }
  return {tag, field.substr(begin)};
}

std::size_t end_of(const ReceivedField& field, std::string_view bytes) {
  return static_cast<std::size_t>(field.value.data() + field.value.size() - bytes.data());
}

}  // namespace

std::vector<ReceivedField> fields_of(std::string_view bytes) {
  std::vector<ReceivedField> fields;
  ReceivedField field;
  while (!bytes.empty()) {
    field = first_field(bytes, field);
    fields.push_back(field);
    bytes.remove_prefix(std::min(end_of(field, bytes) + 1, bytes.size()));
  }
  return fields;
}

std::optional<std::string_view> value_of(const std::vector<ReceivedField>& fields,
                                         std::string_view tag, std::uint64_t occurrence) {
  for (const ReceivedField& field : fields) {
    if (field.tag == tag && --occurrence == 0) return field.value;
  }
  return std::nullopt;
}

std::optional<std::size_t> message_size(std::string_view bytes) {
  constexpr std::size_t kCheckSumBytes = 7;  // 10=ddd and SOH
  std::size_t at = 0;
  std::size_t size_by_length = 0;  // by BodyLength; 0: it does not say it
  ReceivedField field;
  while (at < bytes.size()) {
    const std::string_view rest = bytes.substr(at);
    const ReceivedField before = field;
    field = first_field(rest, before);
    const std::size_t size = end_of(field, rest);
    const auto data = data_size(before, field.tag);
    if (data && field.value.data() + *data >= bytes.data() + bytes.size()) {
      // The rest of the value has not come, unless its length is a lie: then BodyLength ends it.
      const bool is_whole = size_by_length > 0 && size_by_length <= bytes.size();
      if (!is_whole) return std::nullopt;
    }
    if (size == rest.size()) return std::nullopt;  // no SOH yet
    if (field.tag == "10" && at > 0) return at + size + 1;
    at += size + 1;
    if (const auto length = field.tag == "9" ? number_of(field.value) : std::nullopt) {
      const bool is_possible = size_by_length == 0 && *length < bytes.max_size() / 2;
      if (is_possible) size_by_length = at + *length + kCheckSumBytes;
    }
  }
  return std::nullopt;
}

}  // namespace nexusfix::tester
