#include "support/message_generator.hpp"

#include <nexusfix/dictionary.hpp>
#include <nexusfix/wire/field.hpp>

namespace nexusfix::testing {

using dictionary::FieldDefinition;
using dictionary::FieldType;
using dictionary::FlatMember;

namespace {

// Added by testing::fix(), or first.
bool is_framing(wire::Tag tag) {
  return tag == tag::BeginString || tag == tag::BodyLength || tag == tag::CheckSum ||
         tag == tag::MsgType;
}

constexpr std::string_view kData = "d=ta";

}  // namespace

// SplitMix64.
std::uint64_t MessageGenerator::next() {
  std::uint64_t value = state_ += 0x9e37'79b9'7f4a'7c15;
  value = (value ^ (value >> 30U)) * 0xbf58'476d'1ce4'e5b9;
  value = (value ^ (value >> 27U)) * 0x94d0'49bb'1331'11eb;
  return value ^ (value >> 31U);
}

std::string MessageGenerator::value_of(const FieldDefinition& field) {
  const bool is_list = field.type == FieldType::MultipleCharValue ||
                       field.type == FieldType::MultipleStringValue ||
                       field.type == FieldType::MultipleValueString;
  if (!field.values.empty()) {
    std::string value = field.values[below(field.values.size())].value;
    if (is_list && below(2) == 0) value += ' ' + field.values[below(field.values.size())].value;
    return value;
  }
  const auto one_of = [this](std::initializer_list<const char*> values) {
    return std::string{values.begin()[below(values.size())]};
  };
  switch (field.type) {
    case FieldType::Boolean:
      return one_of({"Y", "N"});
    case FieldType::Char:
      return one_of({"A", "z", "7"});
    case FieldType::TagNum:
      if (numbers_ == Numbers::OfTypedFields) return std::to_string(below(100'000));
      [[fallthrough]];
    case FieldType::Int:
      return one_of({"0", "-12", "000123", "987654321012345678"});
    case FieldType::Length:
    case FieldType::NumInGroup:
      return std::to_string(below(1'000'000));
    case FieldType::SeqNum:
      return std::to_string(1 + below(1'000'000));
    case FieldType::DayOfMonth:
      return std::to_string(1 + below(31));
    case FieldType::Amt:
    case FieldType::Float:
    case FieldType::Percentage:
    case FieldType::Price:
    case FieldType::PriceOffset:
    case FieldType::Qty:
      if (numbers_ == Numbers::OfTypedFields && below(4) == 0) return "1234567890123456.25";
      return numbers_ == Numbers::OfTypedFields
                 ? one_of({"0", "-1.5", "100.25", "00012.", ".5"})
                 : one_of({"0", "-1.5", "100.25", "00012.", ".5", "123456789012345678.25"});
    case FieldType::Date:
    case FieldType::LocalMktDate:
    case FieldType::UtcDateOnly:
      return one_of({"20240115", "20240229", "19991231"});
    case FieldType::MonthYear:
      return one_of({"202401", "20240131", "202412w3"});
    case FieldType::Time:
    case FieldType::UtcTimestamp:
      return one_of({"20240115-10:30:00", "20240229-23:59:60.123", "19991231-00:00:00.123456789"});
    case FieldType::UtcTimeOnly:
      return one_of({"10:30:00", "23:59:59.999"});
    case FieldType::TzTimeOnly:
      return one_of({"10:30", "10:30:00Z", "10:30+05:30"});
    case FieldType::TzTimestamp:
      return one_of({"20240115-10:30Z", "20240115-10:30:00-05"});
    case FieldType::Country:
    case FieldType::Language:
      return one_of({"CH", "en"});
    case FieldType::Exchange:
      return one_of({"N", "XNYS"});
    case FieldType::Currency:
      return one_of({"USD", "CHF"});
    case FieldType::MultipleCharValue:
      return one_of({"A", "A B"});
    case FieldType::Data:
    case FieldType::XmlData:
      return "data";
    default:
      return one_of({"X", "some text", "a=b", "0123456789012345678901234567890"});
  }
}

void MessageGenerator::add_group(const Place& place, const FlatMember& member, Fullness fullness) {
  constexpr std::uint64_t kEntriesMax = 3;
  // Entries in entries multiply.
  const std::uint64_t entries = place.depth == 0 ? 1 + below(kEntriesMax) : 1;
  const dictionary::GroupDefinition& group = place.dictionary.groups[*member.group];
  const FieldDefinition& count = place.dictionary.fields[member.field];
  fields_.back().value = std::to_string(entries);
  fields_.back().is_count = true;
  fields_.back().is_enumerated = false;
  const Place inner{place.dictionary, place.part, place.depth + 1, count.tag};
  for (std::uint64_t i = 0; i < entries; ++i) add(inner, group.members, fullness, true);
}

void MessageGenerator::add(const Place& place, const std::vector<dictionary::Member>& members,
                           Fullness fullness, bool is_entry) {
  const wire::DataFieldTable pairs = data_fields(place.dictionary);
  bool is_first = is_entry;
  wire::Tag data = 0;  // that the Length field before it has announced
  std::size_t number = 0;
  for (const FlatMember& member : flatten(place.dictionary, members)) {
    ++number;
    const FieldDefinition& field = place.dictionary.fields[member.field];
    if (is_framing(field.tag)) continue;
    const bool is_announced = data == field.tag;
    const bool is_data = pairs.length_tag_for(field.tag).has_value();
    data = 0;
    if (is_data && !is_announced) continue;
    const bool is_wanted = fullness == Fullness::All ||
                           (fullness == Fullness::Some && below(4) == 0) || member.required ||
                           is_first || is_announced;
    if (!is_wanted) continue;
    if (const auto announced = pairs.data_tag_for(field.tag)) {
      // Each of them without the other is malformed.
      const FieldDefinition* const other = place.dictionary.field(*announced);
      if (other == nullptr) continue;
      data = *announced;
    }
    GeneratedField made{.tag = field.tag, .value = value_of(field), .type = field.type};
    made.part = place.part;
    made.place = number;
    made.depth = place.depth;
    made.group = place.group;
    made.begins_entry = is_first;
    made.is_required = member.required;
    made.is_enumerated = !field.values.empty() &&
                         field.other_values == dictionary::FieldDefinition::OtherValues::None;
    made.belongs_to_data = data != 0 || is_announced;
    if (data != 0) made.value = std::to_string(kData.size());
    if (is_announced) made.value = kData;
    is_first = false;
    fields_.push_back(std::move(made));
    if (member.group) add_group(place, member, fullness);
  }
}

std::vector<GeneratedField> MessageGenerator::message(
    const dictionary::MessageDefinition& definition, bool is_transports, Fullness fullness) {
  fields_.clear();
  GeneratedField msg_type{.tag = tag::MsgType, .value = definition.msg_type};
  msg_type.part = Part::Header;
  fields_.push_back(std::move(msg_type));
  const dictionary::Dictionary& own = is_transports ? transport_ : application_;
  add({transport_, Part::Header, 0, 0}, transport_.header, fullness, false);
  add({own, Part::Body, 0, 0}, definition.members, fullness, false);
  add({transport_, Part::Trailer, 0, 0}, transport_.trailer, fullness, false);
  return std::move(fields_);
}

std::string body_of(const std::vector<GeneratedField>& fields) {
  std::string body;
  for (const GeneratedField& field : fields) {
    body += std::to_string(field.tag) + '=' + field.value + '|';
  }
  return body;
}

}  // namespace nexusfix::testing
