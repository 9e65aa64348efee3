#include <utility>

#include "dictionary/validate/known_date.hpp"
#include "dictionary/validate/validator_tables.hpp"
#include "dictionary/validate/value_checks.hpp"

namespace nexusfix::dictionary {
namespace {

[[gnu::always_inline]] inline bool is_plain(const MemberRule& rule, const ValueInMessage& value,
                                            const Enumeration* enumerations,
                                            KnownDate& date) noexcept {
  bool are_usual = true;
  switch (rule.check) {
    case Check::Text:
      return true;
    case Check::Char:
      return value.size() == 1;
    case Check::Boolean:
      return is_boolean(value.text());
    case Check::Integer:
    case Check::Digits:
      return is_short_digits(value);
    case Check::Decimal:
      return is_short_decimal(value);
    case Check::UtcTimestamp:
      return is_timestamp_near(value.text(), date, are_usual);
    case Check::Enumerated:
      return value.size() == 1 && enumerations[rule.detail].has_character(value.bytes[value.begin]);
    case Check::Group:
    case Check::Length:
    case Check::Data:
    case Check::Rare:
      return false;
  }
  __builtin_unreachable();
}

// For a message without a fault, so that no value is empty, and whose first field that no parser
// has verified does not end within the first kFrontBytes. It calls nothing, so that what it needs
// stays in registers. places: of the message; NarrowPlace or FieldPlace.
template <class Place>
[[gnu::noinline]] FieldPosition walk_fields(const ValidatorTables& tables,
                                            const wire::MessageView& message, const Place* places,
                                            const MemberContext& context, FieldPosition from,
                                            std::uint8_t* const seen) noexcept {
  const std::size_t end = message.field_count() - 1;
  const std::uint16_t* const keys = message.index().keys;
  const char* const bytes = message.bytes().data();
  const Enumeration* const enumerations = tables.enumerations.data();
  // Copies, because a store to seen could change what the compiler reads through a pointer.
  const std::uint16_t* const rows = context.rows;
  const MemberRule* const rules = context.rules;
  const std::uint32_t row_mask = context.row_mask;
  std::uint8_t section = std::to_underlying(from.section);
  KnownDate date;
  std::size_t i = from.next;
  for (; i < end; ++i) {
    const std::uint32_t key = keys[i];
    const MemberRule& rule = rules[rows[(key >> MemberContext::kRowBits) & row_mask] +
                                   (key & (MemberContext::kRowTags - 1))];
    if (rule.key != key) [[unlikely]]
      break;
    if (rule.place != section) [[unlikely]] {
      if (rule.place < section) break;
      section = rule.place;
    }
    const unsigned slot = rule.slot;
    if (seen[slot] != 0) [[unlikely]]
      break;
    if (!is_plain(rule, value_at(bytes, places[i]), enumerations, date)) [[unlikely]]
      break;
    seen[slot] = 1;
  }
  return {i, static_cast<Section>(section)};
}

}  // namespace

FieldPosition walk_plain_fields(const ValidatorTables& tables, const wire::MessageView& message,
                                const MemberContext& context, FieldPosition from,
                                std::uint8_t* seen) noexcept {
  if (message.fault()) [[unlikely]]
    return from;
  const wire::detail::FieldIndex& index = message.index();
  if (index.narrow_count != 0) {
    return walk_fields(tables, message, index.narrow_places, context, from, seen);
  }
  constexpr std::size_t kFirstUnverified = 3;
  if (index.places[kFirstUnverified].end < kFrontBytes) [[unlikely]]
    return from;
  return walk_fields(tables, message, index.places, context, from, seen);
}

}  // namespace nexusfix::dictionary
