#include "codegen/emit_fields.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <optional>

namespace nexusfix::codegen {
namespace {

using EnumValue = dictionary::FieldDefinition::EnumValue;
using dictionary::FieldDefinition;
using dictionary::FieldType;
using OtherValues = dictionary::FieldDefinition::OtherValues;

// The number in the text, if an encoder would write it the same way: "7", not "07".
std::optional<std::int64_t> as_int(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || stop != end || std::to_string(value) != text) return std::nullopt;
  return value;
}

struct Enumerator {
  std::string name;
  std::string value;  // on the wire
};

std::vector<Enumerator> enumerators(const FieldDefinition& field) {
  UniqueNames names;
  std::vector<Enumerator> result;
  for (const EnumValue& value : field.values) {
    const std::string name = identifier(pascal_case(value.name));
    result.push_back({names.take(name, '_' + identifier(value.value)), value.value});
  }
  return result;
}

FieldText emit_char_enum(const FieldDefinition& field, const std::string& name) {
  FieldText text{fmt::format("enum class {} : char {{\n", name), {}, {}};
  std::string values;
  for (const Enumerator& enumerator : enumerators(field)) {
    text.declaration +=
        fmt::format("  {} = {},\n", enumerator.name, char_literal(enumerator.value.front()));
    values += enumerator.value;
  }
  text.traits =
      fmt::format("  static constexpr std::string_view kValues = {};\n", string_literal(values));
  return text;
}

FieldText emit_int_enum(const FieldDefinition& field, const std::string& name) {
  FieldText text{fmt::format("enum class {} : std::int64_t {{\n", name), {}, {}};
  std::vector<Enumerator> all = enumerators(field);
  std::ranges::sort(all, {}, [](const Enumerator& e) { return *as_int(e.value); });
  text.traits = "  static constexpr detail::IntValue kValues[] = {\n";
  for (const Enumerator& enumerator : all) {
    text.declaration += fmt::format("  {} = {},\n", enumerator.name, enumerator.value);
    text.traits +=
        fmt::format("      {{{}, {}}},\n", enumerator.value, string_literal(enumerator.value));
  }
  text.traits += "  };\n";
  return text;
}

FieldText emit_string_enum(const FieldDefinition& field, const std::string& name) {
  FieldText text{fmt::format("enum class {} : std::uint16_t {{\n", name), {}, {}};
  std::vector<Enumerator> all = enumerators(field);
  std::ranges::sort(all, {}, &Enumerator::value);
  text.traits = "  static constexpr std::string_view kValues[] = {\n";
  for (const Enumerator& enumerator : all) {
    text.declaration +=
        fmt::format("  {},  // {}\n", enumerator.name, string_literal(enumerator.value));
    text.traits += fmt::format("      {},\n", string_literal(enumerator.value));
  }
  text.traits += "  };\n";
  return text;
}

FieldText emit_enum(const FieldDefinition& field, const std::string& name, EnumKind kind) {
  switch (kind) {
    case EnumKind::Char:
      return emit_char_enum(field, name);
    case EnumKind::Int:
      return emit_int_enum(field, name);
    default:
      return emit_string_enum(field, name);
  }
}

std::string_view traits_base(EnumKind kind) {
  switch (kind) {
    case EnumKind::Char:
      return "detail::CharEnumTraits";
    case EnumKind::Int:
      return "detail::IntEnumTraits";
    default:
      return "detail::StringEnumTraits";
  }
}

}  // namespace

EnumKind enum_kind(const FieldDefinition& field) {
  constexpr std::size_t kValuesMax = UINT16_MAX;  // what a string enumeration's type can hold
  const auto all = [&](auto predicate) {
    return std::ranges::all_of(field.values, predicate, &EnumValue::value);
  };
  if (field.values.empty() || field.values.size() > kValuesMax ||
      field.other_values != OtherValues::None) {
    return EnumKind::None;
  }
  switch (field.type) {
    case FieldType::Char:
      return all([](const std::string& value) { return value.size() == 1; }) ? EnumKind::Char
                                                                             : EnumKind::String;
    case FieldType::Int:
      return all([](const std::string& value) { return as_int(value).has_value(); })
                 ? EnumKind::Int
                 : EnumKind::String;
    case FieldType::String:
      return EnumKind::String;
    default:
      return EnumKind::None;
  }
}

std::string_view value_type(FieldType type) {
  switch (type) {
    case FieldType::Boolean:
      return "bool";
    case FieldType::Char:
      return "char";
    case FieldType::Int:
    case FieldType::DayOfMonth:
      return "std::int64_t";
    case FieldType::Length:
    case FieldType::NumInGroup:
    case FieldType::SeqNum:
    case FieldType::TagNum:
      return "std::uint64_t";
    case FieldType::Amt:
    case FieldType::Float:
    case FieldType::Percentage:
    case FieldType::Price:
    case FieldType::PriceOffset:
    case FieldType::Qty:
      return "Decimal";
    case FieldType::Time:  // FIX 4.0 and 4.1: what later versions call UTCTimestamp
    case FieldType::UtcTimestamp:
      return "WallTime";
    case FieldType::Date:
    case FieldType::LocalMktDate:
    case FieldType::UtcDateOnly:
      return "wire::Date";
    case FieldType::UtcTimeOnly:
      return "wire::TimeOfDay";
    default:
      return "std::string_view";
  }
}

std::vector<std::string> field_identifiers(const dictionary::Dictionary& dictionary,
                                           UniqueNames& names) {
  std::vector<std::string> result;
  for (const FieldDefinition& field : dictionary.fields) {
    result.push_back(names.take(identifier(field.name), std::to_string(field.tag)));
  }
  return result;
}

DataPairs data_pairs(const dictionary::Dictionary& dictionary) {
  DataPairs pairs;
  for (const FieldDefinition& field : dictionary.fields) {
    if (field.length_tag == 0) continue;
    pairs.length_of_data.emplace(field.tag, field.length_tag);
    pairs.lengths.insert(field.length_tag);
  }
  return pairs;
}

bool is_enumeration(const FieldDefinition& field) { return enum_kind(field) != EnumKind::None; }

std::string emit_plain_field(const FieldDefinition& field, const std::string& name,
                             const DataPairs& pairs) {
  if (const auto length = pairs.length_of_data.find(field.tag);
      length != pairs.length_of_data.end()) {
    return fmt::format("using {} = wire::DataField<{}, {}>;\n", name, field.tag, length->second);
  }
  if (pairs.lengths.contains(field.tag)) {
    return fmt::format("using {} = wire::LengthField<{}>;\n", name, field.tag);
  }
  return fmt::format("using {} = wire::Field<{}, {}>;\n", name, field.tag, value_type(field.type));
}

std::string emit_enum_names(const FieldDefinition& field, const std::string& type) {
  std::string text = fmt::format(
      "template <>\nstruct EnumNames<{}> {{\n  static constexpr detail::EnumName kNames[] = {{\n",
      type);
  for (const EnumValue& value : field.values) {
    text +=
        fmt::format("      {{{}, {}}},\n", string_literal(value.value), string_literal(value.name));
  }
  return text + "  };\n};\n";
}

FieldText emit_enum_field(const FieldDefinition& field, const std::string& name,
                          std::string_view name_space, std::string_view version) {
  const EnumKind kind = enum_kind(field);
  FieldText text = emit_enum(field, name, kind);
  for (const Enumerator& enumerator : enumerators(field)) {
    text.enumerators.push_back(enumerator.name);
  }
  text.declaration += "};\n";
  const std::string type = fmt::format("{}::{}", name_space, name);
  text.traits = fmt::format(
      "template <>\nstruct EnumTraits<{0}> : {1}<{0}, {2}> {{\n"
      "  static constexpr std::string_view kApplicationVersion = {4};\n{3}}};\n",
      type, traits_base(kind), field.tag, text.traits, string_literal(version));
  return text;
}

}  // namespace nexusfix::codegen
