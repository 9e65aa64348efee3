// Whether a draft is a message that the dictionary allows, and the texts of its errors.
#include <algorithm>
#include <cstddef>

#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/draft_fields.hpp>
#include <nexusfix/wire/header_template.hpp>

namespace nexusfix::wire {
namespace {

[[nodiscard]] DraftError::Code code_of(FieldErrorCode fault) noexcept {
  switch (fault) {
    case FieldErrorCode::Missing:
      return DraftError::Code::FieldMissing;
    case FieldErrorCode::Empty:
      return DraftError::Code::EmptyValue;
    case FieldErrorCode::Malformed:
      return DraftError::Code::ValueMalformed;
    case FieldErrorCode::OutOfRange:
      break;
  }
  return DraftError::Code::ValueOutOfRange;
}

[[nodiscard]] std::string_view text_of(DraftError::Code code) noexcept {
  switch (code) {
    case DraftError::Code::FieldMissing:
      return "the required field is missing";
    case DraftError::Code::EmptyValue:
      return "the value is empty";
    case DraftError::Code::SohInValue:
      return "the value contains SOH, which would end it";
    case DraftError::Code::ValueMalformed:
      return "the value is not of the field's type";
    case DraftError::Code::ValueOutOfRange:
      return "the dictionary does not have this value, or no date or time has it";
    case DraftError::Code::TagInvalid:
      return "the session writes this field, or only its type can set it";
    case DraftError::Code::FieldNotInMessage:
      return "the dictionary does not have the field here";
    case DraftError::Code::FieldTwice:
      return "the field is there twice";
    case DraftError::Code::NoEntry:
      return "the group has no such entry";
    case DraftError::Code::GroupCountWrong:
      return "the count does not announce the entries that follow";
    case DraftError::Code::OtherType:
      return "the message is of another type or version";
    case DraftError::Code::MessageMalformed:
      return "the message has a malformed field";
    case DraftError::Code::TooLong:
      return "the draft would be longer than 1 MiB";
  }
  return "unknown";
}

}  // namespace

std::string DraftError::what() const {
  std::string text;
  if (tag != 0) {
    const std::string number = std::to_string(tag);
    text = name.empty() ? "field " + number : std::string{name} + " (" + number + ")";
  }
  if (group != 0) {
    text += text.empty() ? "" : " in ";
    text += "entry " + std::to_string(entry) + " of group " + std::to_string(group);
  }
  if (!text.empty()) text += ": ";
  return text += text_of(code);
}

DraftResult DraftFields::validate(const detail::DraftRules& rules) const noexcept {
  const Range range{std::min(kFrontFields, count_), count_};
  const auto fault = fault_in(range, rules, true);
  if (fault) return std::unexpected{*fault};
  return {};
}

std::optional<DraftError> DraftFields::fault_in(Range range, const detail::DraftRules& rules,
                                                bool in_message) const noexcept {
  for (std::size_t i = 0; i < rules.required.size(); ++i) {
    if (find_item(range, rules, rules.required[i]) != range.end) continue;
    return DraftError{.code = DraftError::Code::FieldMissing,
                      .tag = rules.required[i],
                      .name = rules.required_names[i]};
  }
  for (std::uint32_t at = range.begin; at < range.end; at = item_end(at, rules, range.end)) {
    if (const auto fault = fault_at(at, range, rules, in_message)) return fault;
  }
  return std::nullopt;
}

std::optional<DraftError> DraftFields::fault_at(std::uint32_t field, Range range,
                                                const detail::DraftRules& rules,
                                                bool in_message) const noexcept {
  const Tag tag = tag_at(field);
  const auto fault = [tag](DraftError::Code code) { return DraftError{.code = code, .tag = tag}; };
  if (find_item(range, rules, tag) != field) return fault(DraftError::Code::FieldTwice);
  const auto member = std::ranges::find(rules.members, tag);
  if (member == rules.members.end()) {
    if (in_message && (tag >= kUserDefinedTagMin || is_header_tag(tag))) return std::nullopt;
    return fault(DraftError::Code::FieldNotInMessage);
  }
  const detail::FieldCheck& check =
      rules.checks[static_cast<std::size_t>(member - rules.members.begin())];
  if (const auto wrong = find_fault(check, value_at(field))) return fault(code_of(*wrong));
  for (const detail::DraftRules::DataPair& pair : rules.data_pairs) {
    if (pair.length == tag) {
      const bool is_valid = field + 1 < range.end && tag_at(field + 1) == pair.data &&
                            to_uint(value_at(field)) == value_at(field + 1).size();
      if (!is_valid) return fault(DraftError::Code::ValueOutOfRange);
    } else if (pair.data == tag && (field == range.begin || tag_at(field - 1) != pair.length)) {
      return DraftError{.code = DraftError::Code::FieldMissing, .tag = pair.length};
    }
  }
  const detail::DraftRules* const group = group_of(rules, tag);
  return group == nullptr ? std::nullopt : fault_of_group(field, *group);
}

std::optional<DraftError> DraftFields::fault_of_group(
    std::uint32_t field, const detail::DraftRules& group) const noexcept {
  const GroupView entries = group_at(field, group);
  if (entries.empty() || !entries.count_is_valid()) {
    return DraftError{.code = DraftError::Code::GroupCountWrong, .tag = tag_at(field)};
  }
  std::uint32_t number = 0;
  for (const GroupEntry entry : entries) {
    const auto begin = static_cast<std::uint32_t>(entry.first_index());
    const Range range{begin, static_cast<std::uint32_t>(begin + entry.field_count())};
    if (auto fault = fault_in(range, group, false)) {
      if (fault->group == 0) {
        fault->group = group.shape->count_tag();
        fault->entry = number;
      }
      return fault;
    }
    ++number;
  }
  return std::nullopt;
}

}  // namespace nexusfix::wire
