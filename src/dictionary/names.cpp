#include <algorithm>
#include <map>
#include <utility>

#include <nexusfix/dictionary.hpp>

#include "dictionary/builtin/name_rows.hpp"

namespace nexusfix::dictionary {
namespace {

// Sorts copies instead of positions, because the pool's order is not that of the texts.
std::vector<FieldDefinition::EnumValue> by_value(std::vector<FieldDefinition::EnumValue> values) {
  std::ranges::sort(values, {}, &FieldDefinition::EnumValue::value);
  return values;
}

}  // namespace

detail::TextPlace TextPool::place(const std::string& text) {
  const detail::TextPlace next{static_cast<std::uint32_t>(text_.size()),
                               static_cast<std::uint32_t>(text.size())};
  const auto [entry, is_new] = places_.emplace(text, next);
  if (is_new) text_ += text;
  return entry->second;
}

NameRows make_name_rows(const Dictionary& dictionary, TextPool& pool) {
  NameRows rows;
  // Fields that have the same enumeration share its rows.
  std::map<std::vector<FieldDefinition::EnumValue>, std::uint32_t> places;
  for (const FieldDefinition& field : dictionary.fields) {
    const auto end = static_cast<std::uint32_t>(rows.values.size());
    const auto [values, is_new] = places.emplace(by_value(field.values), end);
    rows.fields.push_back({field.tag, pool.place(field.name), values->second,
                           static_cast<std::uint32_t>(field.values.size()), field.type});
    if (!is_new) continue;
    for (const FieldDefinition::EnumValue& value : values->first) {
      rows.values.push_back({pool.place(value.value), pool.place(value.name)});
    }
  }
  std::vector<FieldDefinition::EnumValue> messages;
  messages.reserve(dictionary.messages.size());
  for (const MessageDefinition& message : dictionary.messages) {
    messages.push_back({message.msg_type, message.name});
  }
  for (const FieldDefinition::EnumValue& message : by_value(std::move(messages))) {
    rows.messages.push_back({pool.place(message.value), pool.place(message.name)});
  }
  return rows;
}

const detail::FieldRow* NameTable::field(wire::Tag tag) const noexcept {
  const auto found = std::ranges::lower_bound(rows_.fields, tag, {}, &detail::FieldRow::tag);
  return found != rows_.fields.end() && found->tag == tag ? &*found : nullptr;
}

std::optional<std::string_view> NameTable::name_of(std::span<const detail::ValueRow> rows,
                                                   std::string_view value) const noexcept {
  const auto text_of = [this](const detail::ValueRow& row) { return text(row.value); };
  const auto found = std::ranges::lower_bound(rows, value, {}, text_of);
  if (found == rows.end() || text_of(*found) != value) return std::nullopt;
  return text(found->name);
}

std::optional<std::string_view> NameTable::field_name(wire::Tag tag) const noexcept {
  const detail::FieldRow* const row = field(tag);
  return row == nullptr ? std::nullopt : std::optional{text(row->name)};
}

std::optional<FieldType> NameTable::field_type(wire::Tag tag) const noexcept {
  const detail::FieldRow* const row = field(tag);
  return row == nullptr ? std::nullopt : std::optional{row->type};
}

std::optional<std::string_view> NameTable::value_name(wire::Tag tag,
                                                      std::string_view value) const noexcept {
  const detail::FieldRow* const row = field(tag);
  if (row == nullptr) return std::nullopt;
  const auto rows = rows_.values.subspan(row->values_begin, row->values_count);
  const auto name = name_of(rows, value);
  if (name || row->type != FieldType::Int || !value.starts_with('0')) return name;
  // As the validator, which accepts leading zeros.
  return name_of(rows, value.substr(std::min(value.find_first_not_of('0'), value.size() - 1)));
}

bool NameTable::has_values(wire::Tag tag) const noexcept {
  const detail::FieldRow* const row = field(tag);
  return row != nullptr && row->values_count > 0;
}

std::optional<std::string_view> NameTable::message_name(std::string_view msg_type) const noexcept {
  return name_of(rows_.messages, msg_type);
}

LoadedNames::LoadedNames(const Dictionary& dictionary) {
  TextPool pool;
  NameRows rows = make_name_rows(dictionary, pool);
  text_ = pool.text();
  fields_ = std::move(rows.fields);
  values_ = std::move(rows.values);
  messages_ = std::move(rows.messages);
}

NameTable LoadedNames::table() const noexcept {
  return NameTable{{text_, fields_, values_, messages_}};
}

}  // namespace nexusfix::dictionary
