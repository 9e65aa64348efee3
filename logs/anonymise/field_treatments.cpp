#include "logs/anonymise/field_treatments.hpp"

#include <algorithm>
#include <array>

#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/header_template.hpp>

#include "base/api/ascii.hpp"

namespace nexusfix::logs {
namespace {

using dictionary::FieldType;

// Instruments: Symbol, SecurityID, SymbolSfx, SecurityType, CFICode and SecuritySubType, also of
// legs and underlyings.
constexpr std::array<wire::Tag, 19> kInstrument{48,  55,  65,  167, 305, 309, 310, 311, 312, 454,
                                                455, 461, 463, 600, 601, 602, 608, 609, 762};

bool consists_of(std::string_view text, auto is_one) {
  return !text.empty() && std::ranges::all_of(text, is_one);
}

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return consists_of(text, [](char c) { return is_digit(c) || c == '.'; }) &&
         std::ranges::count(text, '.') <= 1;
}

bool is_time(std::string_view text) {
  constexpr std::string_view kMarks = "-:.+wTZ";
  return consists_of(text, [&](char c) { return is_digit(c) || kMarks.find(c) != kMarks.npos; }) &&
         is_digit(text.front()) && std::ranges::count_if(text, is_letter) <= 1;
}

bool is_code(std::string_view text, std::size_t size_max) {
  return text.size() <= size_max &&
         consists_of(text, [](char c) { return (c >= 'A' && c <= 'Z') || is_digit(c); });
}

bool is_msg_type(std::string_view text) {
  constexpr std::size_t kBytesMax = 3;
  return text.size() <= kBytesMax && consists_of(text, is_alphanumeric);
}

}  // namespace

FieldTreatments::FieldTreatments(const command::FieldNames& names,
                                 const std::vector<wire::Tag>& kept,
                                 const std::vector<wire::Tag>& hidden)
    : names_{names} {
  for (const wire::Tag tag : kInstrument) rule_of(tag).is_kept = true;
  for (const wire::Tag tag : kept) rule_of(tag).is_kept = true;
  for (const wire::Tag tag : hidden) rule_of(tag).is_hidden = true;
}

FieldTreatments::Rule& FieldTreatments::rule_of(wire::Tag tag) {
  constexpr std::size_t kUsualTags = 4096;
  const auto index = static_cast<std::size_t>(tag);
  if (index < by_tag_.size() && by_tag_[index] != nullptr) return *by_tag_[index];
  const auto [found, is_new] = rules_.try_emplace(tag);
  Rule& rule = found->second;
  if (is_new) {
    if (const auto* const field = names_.field(tag); field != nullptr) {
      rule.type = field->type;
      rule.has_values = !field->values.empty();
    }
  }
  if (index < kUsualTags) {
    if (index >= by_tag_.size()) by_tag_.resize(index + 1);
    by_tag_[index] = &rule;  // a map of nodes: it stays where it is
  }
  return rule;
}

bool FieldTreatments::is_enumerated(Rule& rule, wire::Tag tag, std::string_view value) const {
  constexpr std::size_t kValuesMax = 1000;
  if (rule.values.size() >= kValuesMax) rule.values.clear();
  const auto [found, is_new] = rule.values.try_emplace(std::string{value});
  if (is_new) found->second = names_.has_value(tag, value);
  return found->second;
}

bool FieldTreatments::are_enumerated(Rule& rule, wire::Tag tag, std::string_view values) const {
  while (!values.empty()) {
    const std::size_t space = std::min(values.find(' '), values.size());
    if (!is_enumerated(rule, tag, values.substr(0, space))) return false;
    values.remove_prefix(std::min(space + 1, values.size()));
  }
  return true;
}

Treatment FieldTreatments::by_type(Rule& rule, wire::Tag tag, std::string_view value) const {
  using enum FieldType;
  constexpr std::size_t kCurrency = 3;
  constexpr std::size_t kExchange = 4;
  const auto keep_if = [](bool holds) { return holds ? Treatment::Keep : Treatment::Pseudonym; };
  switch (rule.type) {
    case Int:
    case Length:
    case NumInGroup:
    case SeqNum:
    case TagNum:
    case DayOfMonth:
    case Qty:
    case Float:
    case Percentage:
      if (is_number(value)) return Treatment::Keep;
      break;
    case Amt:
    case Price:
    case PriceOffset:
      if (is_number(value)) return Treatment::Price;
      break;
    case Date:
    case LocalMktDate:
    case MonthYear:
    case Time:
    case TzTimeOnly:
    case TzTimestamp:
    case UtcDateOnly:
    case UtcTimeOnly:
    case UtcTimestamp:
      return keep_if(is_time(value));
    case Boolean:
      return keep_if(value == "Y" || value == "N");
    case Country:
    case Currency:
    case Language:
      return keep_if(is_code(value, kCurrency));
    case Exchange:
      return keep_if(is_code(value, kExchange));
    case Data:
    case XmlData:
      return Treatment::Mask;
    case MultipleCharValue:
    case MultipleStringValue:
    case MultipleValueString:
      return keep_if(rule.has_values && are_enumerated(rule, tag, value));
    case Char:
    case String:
    case Unknown:
      break;
  }
  return keep_if(rule.has_values && is_enumerated(rule, tag, value));
}

Treatment FieldTreatments::of(wire::Tag tag, std::string_view value) {
  if (wire::is_password(tag) || tag == tag::RawData || tag == tag::SecureData ||
      tag == tag::Signature) {
    return Treatment::Secret;
  }
  if (tag == tag::MsgType || tag == tag::RefMsgType) {
    return is_msg_type(value) ? Treatment::Keep : Treatment::Pseudonym;
  }
  Rule& rule = rule_of(tag);
  if (rule.is_hidden) {
    const bool is_data = rule.type == FieldType::Data || rule.type == FieldType::XmlData;
    return is_data ? Treatment::Mask : Treatment::Pseudonym;
  }
  return rule.is_kept ? Treatment::Keep : by_type(rule, tag, value);
}

}  // namespace nexusfix::logs
