#include "nexusfix/logs/fields/field_slots.hpp"

#include <charconv>

#include <nexusfix/wire/data_fields.hpp>

namespace nexusfix::logs {

FieldSlots::FieldSlots() {
  const wire::DataFieldTable standard = wire::DataFieldTable::standard();
  for (const wire::DataFieldPair& pair : standard.pairs()) {
    const auto length = static_cast<std::size_t>(pair.length);
    if (length < slots_.size()) slots_[length] = kIsLength;
  }
}

bool FieldSlots::can_want(wire::Tag tag) noexcept {
  return tag > 0 && tag < static_cast<wire::Tag>(kTagsMax) && wire::standard_data_tag(tag) == 0;
}

bool FieldSlots::is_length(std::string_view field, int tag) noexcept {
  auto number = static_cast<wire::Tag>(tag);
  if (tag == 0) {
    const char* const end = field.data() + field.size();
    const auto [stop, fault] = std::from_chars(field.data(), end, number);
    if (fault != std::errc{} || stop == end || *stop != '=') return true;
  }
  return wire::standard_data_tag(number) != 0;
}

}  // namespace nexusfix::logs
