#include "explanation/explain_value.hpp"

#include <algorithm>

#include <nexusfix/explanation.hpp>

#include "base/api/ascii.hpp"
#include "dictionary/api/nearest_name.hpp"
#include "dictionary/api/value_type.hpp"
#include "explanation/clipped.hpp"

namespace nexusfix::dictionary {
namespace {

struct TypeExample {
  FieldType type;
  std::string_view what;
  std::string_view example;
};

constexpr TypeExample kExamples[] = {
    {FieldType::Amt, "an amount", "1250.75"},
    {FieldType::Boolean, "Y or N", "Y"},
    {FieldType::Char, "one character", "A"},
    {FieldType::Country, "two letters of ISO 3166", "US"},
    {FieldType::Currency, "three letters of ISO 4217", "USD"},
    {FieldType::Data, "bytes; the field before it gives their number", "abc"},
    {FieldType::Date, "a date", "20240115"},
    {FieldType::DayOfMonth, "a day of the month", "15"},
    {FieldType::Exchange, "a market's code", "XNYS"},
    {FieldType::Float, "a decimal number without exponent", "12.5"},
    {FieldType::Int, "a whole number", "100"},
    {FieldType::Language, "two letters of ISO 639", "en"},
    {FieldType::Length, "a number of bytes", "12"},
    {FieldType::LocalMktDate, "a date", "20240115"},
    {FieldType::MonthYear, "a month", "202401"},
    {FieldType::MultipleCharValue, "characters with spaces between them", "A B"},
    {FieldType::MultipleStringValue, "words with spaces between them", "AB CD"},
    {FieldType::MultipleValueString, "words with spaces between them", "A B"},
    {FieldType::NumInGroup, "a number of entries", "2"},
    {FieldType::Percentage, "a decimal number, 0.05 for 5 %", "0.05"},
    {FieldType::Price, "a decimal number without exponent", "150.25"},
    {FieldType::PriceOffset, "a decimal number without exponent", "-0.25"},
    {FieldType::Qty, "a decimal number without exponent", "100"},
    {FieldType::SeqNum, "a number from 1", "12"},
    {FieldType::String, "text", "text"},
    {FieldType::TagNum, "a tag", "55"},
    {FieldType::Time, "a UTC time", "20240115-10:30:00"},
    {FieldType::TzTimeOnly, "a time with its zone", "10:30:00+01"},
    {FieldType::TzTimestamp, "a time with its zone", "20240115-10:30:00+01"},
    {FieldType::UtcDateOnly, "a UTC date", "20240115"},
    {FieldType::UtcTimeOnly, "a UTC time of day", "10:30:00.123"},
    {FieldType::UtcTimestamp, "a UTC time", "20240115-10:30:00.123"},
    {FieldType::XmlData, "XML; the field before it gives its size in bytes", "<a/>"},
};

const TypeExample* example_of(FieldType type) {
  const auto* const found = std::ranges::find(kExamples, type, &TypeExample::type);
  return found == std::end(kExamples) ? nullptr : found;
}

// A number as people write it: 1,000 or 1 000.50, +12. Only forms with one possible meaning,
// because a wrong guess would suggest another price.
std::string plain_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  constexpr std::size_t kGroupDigits = 3;
  const std::size_t whole_size = std::min(text.find('.'), text.size());
  std::string_view whole = text.substr(0, whole_size);
  const std::size_t first = whole.find_first_of(", _");
  if (first == whole.npos) return std::string{text};
  if (first == 0 || first > kGroupDigits) return {};
  const char separator = whole[first];
  std::string kept{whole.substr(0, first)};
  for (whole.remove_prefix(first); !whole.empty(); whole.remove_prefix(kGroupDigits + 1)) {
    const std::string_view group = whole.substr(1, kGroupDigits);
    if (whole.front() != separator || group.size() < kGroupDigits || !is_all_digits(group))
      return {};
    kept += group;
  }
  // 1,234 may be a fraction in other countries, unless the rest of the number excludes that.
  const bool is_certain = separator != ',' || whole_size != text.size() ||
                          std::ranges::count(text, separator) > 1 || kept.ends_with("000");
  return is_certain ? kept + std::string{text.substr(whole_size)} : std::string{};
}

bool is_time(FieldType type) {
  constexpr FieldType kTimes[] = {FieldType::Date,        FieldType::LocalMktDate,
                                  FieldType::Time,        FieldType::TzTimeOnly,
                                  FieldType::TzTimestamp, FieldType::UtcDateOnly,
                                  FieldType::UtcTimeOnly, FieldType::UtcTimestamp};
  return std::ranges::find(kTimes, type) != std::end(kTimes);
}

// 2024-01-15T10:30:00.123Z
std::string without_iso_signs(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    if (c == 'T' || (c == ' ' && !kept.empty())) {
      kept += '-';
    } else if (c != '-' && c != 'Z' && c != '/') {
      kept += c;
    }
  }
  return kept;
}

}  // namespace

std::string example_value(const FieldDefinition& field) {
  if (!field.values.empty()) {
    const FieldDefinition::EnumValue& first = field.values.front();
    return clipped(first.value) + " (" + clipped(first.name) + ")";
  }
  const TypeExample* const example = example_of(field.type);
  return example == nullptr ? "text" : std::string{example->example};
}

std::string right_value(const FieldDefinition& field, std::string_view text) {
  const std::string tag = std::to_string(field.tag) + "=";
  const auto near = nearest_values(field, text);
  if (!near.empty()) {
    return tag + clipped(near.front()->value) + " (" + clipped(near.front()->name) + ")";
  }
  if (!field.values.empty() && field.other_values != FieldDefinition::OtherValues::Any) {
    const bool has_others = field.other_values != FieldDefinition::OtherValues::None;
    return "one of its values, such as " + tag + example_value(field) +
           (has_others ? ", and " + std::string{words_of(field.other_values)} : std::string{});
  }
  const std::string corrected = is_time(field.type) ? without_iso_signs(text) : plain_number(text);
  const bool is_short = corrected.size() <= kClippedBytesMax;  // part of a number is another number
  if (!corrected.empty() && is_short && corrected != text && is_of_type(field.type, corrected)) {
    return tag + clipped(corrected);
  }
  const TypeExample* const example = example_of(field.type);
  if (example == nullptr) return {};
  return std::string{example->what} + ", such as " + tag + std::string{example->example};
}

std::string field_summary(const FieldDefinition& field, std::size_t columns_max) {
  std::string summary = std::to_string(field.tag) + " " + clipped(field.name) + ", " +
                        std::string{to_string(field.type)};
  std::string_view separator = ": ";
  for (const FieldDefinition::EnumValue& value : field.values) {
    const std::string one = clipped(value.value) + " " + clipped(value.name);
    if (summary.size() + one.size() > columns_max) {
      summary += ", ... (" + std::to_string(field.values.size()) + " values)";
      break;
    }
    summary += std::string{separator} + one;
    separator = ", ";
  }
  return summary;
}

}  // namespace nexusfix::dictionary
