#include "random/property/message_mutations.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <utility>

namespace nexusfix::testing {
namespace {

using dictionary::Dictionary;
using dictionary::FieldType;
using Context = MutationContext;
using Fields = std::vector<GeneratedField>;
using Reason = wire::SessionRejectReason;

// The first matching field, from a random one on.
template <class Fits>
std::optional<std::size_t> pick(const Fields& fields, MessageGenerator& random, Fits fits) {
  const std::size_t from = random.below(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::size_t at = (from + i) % fields.size();
    if (fits(at)) return at;
  }
  return std::nullopt;
}

std::optional<Expected> drop_required(Fields& fields, MessageGenerator& random,
                                      const Context& /*context*/) {
  const auto at = pick(fields, random, [&](std::size_t i) {
    const GeneratedField& field = fields[i];
    const bool stands_alone = !field.belongs_to_data && !field.is_count && !field.begins_entry;
    return field.is_required && stands_alone;
  });
  if (!at) return std::nullopt;
  const wire::Tag tag = fields[*at].tag;
  fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(*at));
  return Expected{Reason::RequiredTagMissing, tag};
}

std::optional<Expected> repeat_field(Fields& fields, MessageGenerator& random,
                                     const Context& /*context*/) {
  const auto at = pick(fields, random, [&](std::size_t i) {
    const GeneratedField& field = fields[i];
    return !field.begins_entry && !field.belongs_to_data && !field.is_count;
  });
  if (!at) return std::nullopt;
  const GeneratedField copy = fields[*at];
  fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(*at), copy);
  return Expected{Reason::TagAppearsMoreThanOnce, copy.tag};
}

std::optional<Expected> add_unknown(Fields& fields, MessageGenerator& random,
                                    const Context& /*context*/) {
  const std::size_t at = 1 + random.below(fields.size());
  if (at < fields.size() && fields[at].belongs_to_data) return std::nullopt;
  constexpr wire::Tag kUnknown[] = {4'998, 59'999};  // in the standard's range, and user-defined
  const wire::Tag tag = kUnknown[random.below(std::size(kUnknown))];
  fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(at),
                GeneratedField{.tag = tag, .value = "x"});
  return Expected{Reason::InvalidTagNumber, tag};
}

std::optional<Expected> spoil_value(Fields& fields, MessageGenerator& random,
                                    const Context& /*context*/) {
  const auto at = pick(fields, random, [&](std::size_t i) {
    const GeneratedField& field = fields[i];
    const bool is_text = field.type == FieldType::String || field.type == FieldType::Unknown ||
                         field.type == FieldType::Data || field.type == FieldType::XmlData ||
                         field.type == FieldType::Char;
    return !is_text && !field.belongs_to_data && i != 0;
  });
  if (!at) return std::nullopt;
  fields[*at].value = "?  \x02?";
  return Expected{Reason::IncorrectDataFormat, fields[*at].tag};
}

std::optional<Expected> leave_enumeration(Fields& fields, MessageGenerator& random,
                                          const Context& /*context*/) {
  const auto at = pick(fields, random, [&](std::size_t i) {
    const GeneratedField& field = fields[i];
    return field.is_enumerated &&
           (field.type == FieldType::Char || field.type == FieldType::String);
  });
  if (!at) return std::nullopt;
  fields[*at].value = "~";
  return Expected{Reason::ValueIncorrect, fields[*at].tag};
}

std::optional<Expected> change_count(Fields& fields, MessageGenerator& random, int by) {
  const auto at = pick(fields, random, [&](std::size_t i) { return fields[i].is_count; });
  if (!at) return std::nullopt;
  fields[*at].value = std::to_string(std::stoi(fields[*at].value) + by);
  return Expected{Reason::IncorrectNumInGroupCount, fields[*at].tag};
}

std::optional<Expected> count_too_high(Fields& fields, MessageGenerator& random,
                                       const Context& /*context*/) {
  return change_count(fields, random, 1);
}

std::optional<Expected> count_too_low(Fields& fields, MessageGenerator& random,
                                      const Context& /*context*/) {
  return change_count(fields, random, -1);
}

std::optional<Expected> drop_delimiter(Fields& fields, MessageGenerator& random,
                                       const Context& /*context*/) {
  const auto at = pick(fields, random, [&](std::size_t i) {
    if (i + 1 >= fields.size() || !fields[i].begins_entry || fields[i].belongs_to_data)
      return false;
    const GeneratedField& next = fields[i + 1];
    // The first entry, if it has fields after its delimiter.
    return !fields[i].is_count && fields[i - 1].is_count && fields[i - 1].tag == fields[i].group &&
           next.group == fields[i].group && !next.begins_entry;
  });
  if (!at) return std::nullopt;
  fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(*at));
  return Expected{Reason::GroupFieldsOutOfOrder, fields[*at].tag};
}

std::optional<Expected> move_header_field_after_body(Fields& fields, MessageGenerator& random,
                                                     const Context& /*context*/) {
  const auto body = std::ranges::find(fields, Part::Body, &GeneratedField::part);
  if (body == fields.end()) return std::nullopt;
  const auto at = pick(fields, random, [&](std::size_t i) {
    const GeneratedField& field = fields[i];
    return i != 0 && field.part == Part::Header && field.depth == 0 && !field.is_count &&
           !field.belongs_to_data;
  });
  if (!at) return std::nullopt;
  const GeneratedField moved = fields[*at];
  fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(*at));
  fields.push_back(moved);
  return Expected{Reason::TagOutOfRequiredOrder, moved.tag};
}

std::optional<Expected> empty_value(Fields& fields, MessageGenerator& random,
                                    const Context& /*context*/) {
  const auto at =
      pick(fields, random, [&](std::size_t i) { return i != 0 && !fields[i].belongs_to_data; });
  if (!at) return std::nullopt;
  fields[*at].value.clear();
  return Expected{Reason::TagWithoutValue, fields[*at].tag};
}

std::optional<Expected> unknown_msg_type(Fields& fields, MessageGenerator& /*random*/,
                                         const Context& /*context*/) {
  fields.front().value = "~~";
  return Expected{Reason::InvalidMsgType, 0};  // RefMsgType (372) names it, and there is no tag
}

void collect_tags(const Dictionary& dictionary, const std::vector<dictionary::Member>& members,
                  std::set<wire::Tag>& tags) {
  for (const auto& member : flatten(dictionary, members)) {
    tags.insert(dictionary.fields[member.field].tag);
    if (member.group) collect_tags(dictionary, dictionary.groups[*member.group].members, tags);
  }
}

std::ptrdiff_t end_of_body(const Fields& fields) {
  return std::ranges::find(fields, Part::Trailer, &GeneratedField::part) - fields.begin();
}

std::optional<Expected> add_field_of_other_messages(Fields& fields, MessageGenerator& random,
                                                    const Context& context) {
  std::set<wire::Tag> taken;
  collect_tags(context.own, context.message.members, taken);
  for (const Dictionary* const dictionary : {&context.own, &context.transport}) {
    collect_tags(*dictionary, dictionary->header, taken);
    collect_tags(*dictionary, dictionary->trailer, taken);
  }
  // A Logon may have the session layer's own fields in every version.
  if (context.message.msg_type == "A") taken.insert({383, 464, 553, 554, 789, 925, 1137, 1409});
  const auto& all = context.own.fields;
  const std::size_t from = random.below(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const dictionary::FieldDefinition& field = all[(from + i) % all.size()];
    const bool is_of_data = field.type == FieldType::Length || field.type == FieldType::Data ||
                            field.type == FieldType::XmlData || field.length_tag != 0;
    if (is_of_data || taken.contains(field.tag)) continue;
    fields.insert(fields.begin() + end_of_body(fields),
                  GeneratedField{.tag = field.tag, .value = "1"});
    return Expected{Reason::TagNotDefinedForMsgType, field.tag};
  }
  return std::nullopt;
}

std::optional<Expected> move_body_field_into_trailer(Fields& fields, MessageGenerator& random,
                                                     const Context& /*context*/) {
  if (fields.back().part != Part::Trailer) return std::nullopt;
  const auto at = pick(fields, random, [&](std::size_t i) {
    const GeneratedField& field = fields[i];
    return field.part == Part::Body && field.depth == 0 && !field.is_count &&
           !field.belongs_to_data;
  });
  if (!at) return std::nullopt;
  const GeneratedField moved = fields[*at];
  fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(*at));
  fields.push_back(moved);
  return Expected{Reason::TagOutOfRequiredOrder, moved.tag};
}

bool stands_alone(const GeneratedField& field) {
  return !field.is_count && !field.belongs_to_data && !field.begins_entry;
}

std::optional<Expected> swap_in_entry(Fields& fields, MessageGenerator& random,
                                      const Context& context) {
  if (!context.rules.validate_unordered_group_fields) return std::nullopt;
  const wire::Tag tag = swap_neighbours(fields, random);
  if (tag == 0) return std::nullopt;
  return Expected{Reason::GroupFieldsOutOfOrder, tag};
}

// A later entry without its first field becomes a part of the entry before it, until a field occurs
// that this one already has: then the count shows that an entry begins. A field that comes too late
// in the merged entry is reported first. Otherwise an entry is missing.
std::optional<Expected> drop_later_delimiter(Fields& fields, MessageGenerator& random,
                                             const Context& context) {
  const auto at = pick(fields, random, [&](std::size_t i) {
    if (i == 0 || i + 1 >= fields.size() || !fields[i].begins_entry) return false;
    if (fields[i].is_count || fields[i].belongs_to_data) return false;
    return !(fields[i - 1].is_count && fields[i - 1].tag == fields[i].group);
  });
  if (!at) return std::nullopt;
  const GeneratedField gone = fields[*at];
  std::set<wire::Tag> seen;
  std::size_t place = 0;
  for (std::size_t i = *at; i-- > 0;) {
    if (fields[i].depth > gone.depth) continue;  // of a nested group
    seen.insert(fields[i].tag);
    place = std::max(place, fields[i].place);
    if (fields[i].begins_entry) break;
  }
  fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(*at));
  for (std::size_t i = *at; i < fields.size() && fields[i].depth >= gone.depth; ++i) {
    const GeneratedField& field = fields[i];
    if (field.depth > gone.depth) continue;
    if (field.begins_entry || field.group != gone.group) break;
    if (field.belongs_to_data) return std::nullopt;
    if (!seen.insert(field.tag).second) return Expected{Reason::GroupFieldsOutOfOrder, field.tag};
    if (field.place < place && context.rules.validate_unordered_group_fields) {
      return Expected{Reason::GroupFieldsOutOfOrder, field.tag};
    }
    place = std::max(place, field.place);
  }
  return Expected{Reason::IncorrectNumInGroupCount, gone.group};
}

constexpr Mutation kMutations[] = {
    {"drop_required", drop_required},
    {"repeat_field", repeat_field},
    {"add_unknown", add_unknown},
    {"spoil_value", spoil_value},
    {"leave_enumeration", leave_enumeration},
    {"count_too_high", count_too_high},
    {"count_too_low", count_too_low},
    {"drop_delimiter", drop_delimiter},
    {"move_header_field_after_body", move_header_field_after_body},
    {"empty_value", empty_value},
    {"unknown_msg_type", unknown_msg_type},
    {"add_field_of_other_messages", add_field_of_other_messages},
    {"move_body_field_into_trailer", move_body_field_into_trailer},
    {"swap_in_entry", swap_in_entry},
    {"drop_later_delimiter", drop_later_delimiter},
};

}  // namespace

std::span<const Mutation> all_mutations() { return kMutations; }

wire::Tag swap_neighbours(std::vector<GeneratedField>& fields, MessageGenerator& random) {
  const auto at = pick(fields, random, [&](std::size_t i) {
    return i + 1 < fields.size() && fields[i].depth > 0 && fields[i].group == fields[i + 1].group &&
           fields[i].depth == fields[i + 1].depth && stands_alone(fields[i]) &&
           stands_alone(fields[i + 1]);
  });
  if (!at) return 0;
  std::swap(fields[*at], fields[*at + 1]);
  return fields[*at + 1].tag;
}

}  // namespace nexusfix::testing
