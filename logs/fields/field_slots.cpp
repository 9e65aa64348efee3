#include "logs/fields/field_slots.hpp"

#include <charconv>

#include <nexusfix/wire/field.hpp>

namespace nexusfix::logs {

FieldSlots::FieldSlots() {
  const wire::DataFieldTable standard = wire::DataFieldTable::standard();
  for (const wire::DataFieldTable::Pair& pair : standard.pairs()) {
    const auto length = static_cast<std::size_t>(pair.length);
    if (length < slots_.size()) slots_[length] = kIsLength;
    begins_.add(pair.length, FieldBegins::Kind::Length);
  }
}

void FieldSlots::want(wire::Tag tag, unsigned slot) {
  slots_[static_cast<std::size_t>(tag)] = static_cast<std::uint8_t>(slot);
  begins_.add(tag, FieldBegins::Kind::Value);
}

bool FieldSlots::can_want(wire::Tag tag) noexcept {
  return tag > 0 && tag < kTagsMax && wire::standard_data_tag(tag) == 0;
}

unsigned FieldSlots::slot_of_long(std::string_view field) noexcept {
  wire::Tag tag = 0;
  const char* const end = field.data() + field.size();
  const auto [stop, fault] = std::from_chars(field.data(), end, tag);
  if (fault != std::errc{} || stop == end || *stop != '=') return 0;
  return wire::standard_data_tag(tag) != 0 ? kIsLength : 0;
}

}  // namespace nexusfix::logs
