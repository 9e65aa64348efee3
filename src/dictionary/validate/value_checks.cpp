// The data types of "FIX TagValue Encoding", sec. 4 and of FIX 5.0 SP2 volume 1, "FIX Datatypes".
#include "dictionary/validate/value_checks.hpp"

#include <algorithm>

#include <nexusfix/wire/convert.hpp>

#include "base/api/ascii.hpp"

namespace nexusfix::dictionary {
namespace {

constexpr std::size_t kYearMonthBytes = 6;
constexpr std::size_t kDateBytes = 8;
constexpr std::size_t kHourMinuteBytes = 5;

// The number that one or two digits represent; 100 for any other text.
unsigned small_number(std::string_view text) noexcept {
  constexpr unsigned kNone = 100;
  if (text.empty() || text.size() > 2 || !is_digits(text)) return kNone;
  unsigned number = 0;
  for (const char c : text) number = number * 10 + static_cast<unsigned>(c - '0');
  return number;
}

bool is_date(std::string_view text) noexcept { return wire::to_date(text).has_value(); }

bool is_day_of_month(std::string_view text) noexcept {
  const unsigned day = small_number(text);
  return day >= 1 && day <= 31;
}

// HH:MM:SS, with a fraction or without.
bool is_time(std::string_view text) noexcept { return wire::to_time_of_day(text).has_value(); }

// YYYYMM, YYYYMMDD or YYYYMMWW, where WW is w1 to w5.
bool is_month_year(std::string_view text) noexcept {
  if (text.size() == kDateBytes && text[kYearMonthBytes] != 'w') return is_date(text);
  if (text.size() == kDateBytes) {
    const char week = text[kYearMonthBytes + 1];
    if (week < '1' || week > '5') return false;
  } else if (text.size() != kYearMonthBytes) {
    return false;
  }
  const unsigned month = small_number(text.substr(4, 2));
  return is_digits(text.substr(0, 4)) && month >= 1 && month <= 12;
}

// HH:MM[:SS[.f]][Z | (+|-)hh[:mm]]
bool is_tz_time(std::string_view text) noexcept {
  const std::size_t zone_at = text.find_first_of("Z+-");
  const std::string_view time = text.substr(0, zone_at);
  if (time.size() == kHourMinuteBytes) {
    if (time[2] != ':' || small_number(time.substr(0, 2)) > 23 || small_number(time.substr(3)) > 59)
      return false;
  } else if (!is_time(time)) {
    return false;
  }
  if (zone_at == std::string_view::npos) return true;
  const std::string_view zone = text.substr(zone_at + 1);
  if (text[zone_at] == 'Z') return zone.empty();
  if (zone.size() < 2 || small_number(zone.substr(0, 2)) > 23) return false;
  if (zone.size() == 2) return true;
  return zone.size() == kHourMinuteBytes && zone[2] == ':' && small_number(zone.substr(3)) <= 59;
}

bool is_tz_timestamp(std::string_view text) noexcept {
  return text.size() > kDateBytes && is_date(text.substr(0, kDateBytes)) &&
         text[kDateBytes] == '-' && is_tz_time(text.substr(kDateBytes + 1));
}

// One or more items, with one space between them.
template <class IsItem>
bool is_list(std::string_view text, IsItem is_item) noexcept {
  while (true) {
    const std::size_t space = text.find(' ');
    if (!is_item(text.substr(0, space))) return false;
    if (space == std::string_view::npos) return true;
    text.remove_prefix(space + 1);
  }
}

// Codes of other standards: any visible characters, because codes change more often than
// dictionaries.
bool is_code(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

// ISO 4217's three letters. Also the longer codes of venues for assets without one (USDT), the
// digits of its numeric codes, and the lower case that marks pence (GBp). Codes are not compared
// with a list.
bool is_currency(std::string_view text) noexcept {
  constexpr std::size_t kBytesMin = 3;
  constexpr std::size_t kBytesMax = 9;  // of a digital token, ISO 24165
  return text.size() >= kBytesMin && text.size() <= kBytesMax &&
         std::ranges::all_of(text, is_alphanumeric);
}

// Two letters, ISO 3166 alpha-2.
bool is_country(std::string_view text) noexcept {
  return text.size() == 2 && std::ranges::all_of(text, is_letter);
}

// Two letters of ISO 639-1, or three if it has none, with an optional region: en, de-CH.
bool is_language(std::string_view text) noexcept {
  const std::size_t letters = std::min(text.find('-'), text.size());
  return (letters == 2 || letters == 3) &&
         std::ranges::all_of(text.substr(0, letters), is_letter) &&
         (letters == text.size() || text.size() > letters + 1) && is_code(text);
}

// FIX 4.4 volume 1, "FIX Datatypes": a sequence number is positive.
bool is_positive(std::string_view text) noexcept {
  return is_digits(text) && text.find_first_not_of('0') != std::string_view::npos;
}

std::string_view without_zeros(std::string_view digits) noexcept {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

// least: without a leading zero. Numbers of any length.
bool is_number_from(std::string_view least, std::string_view text) noexcept {
  if (!is_digits(text)) return false;
  const std::string_view number = without_zeros(text);
  return number.size() != least.size() ? number.size() > least.size() : number >= least;
}

// FIX 5.0 SP2, data types: Dx, Wx, Mx or Yx, "where x is any integer > 0".
bool is_tenor(std::string_view text) noexcept {
  constexpr std::string_view kUnits = "DWMY";
  return kUnits.contains(text.front()) && is_digits(text.substr(1)) &&
         !without_zeros(text.substr(1)).empty();
}

}  // namespace

bool is_digits(std::string_view text) noexcept { return is_all_digits(text); }

std::string_view shortest_digits(std::string_view text) noexcept {
  if (!is_digits(text)) return text;
  return text.substr(std::min(text.find_first_not_of('0'), text.size() - 1));
}

bool is_integer(std::string_view text) noexcept {
  if (text.starts_with('-')) text.remove_prefix(1);
  return is_digits(text);
}

bool is_decimal(std::string_view text) noexcept {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return is_digits(text);
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = text.substr(point + 1);
  return (!whole.empty() || !fraction.empty()) && std::ranges::all_of(whole, is_digit) &&
         std::ranges::all_of(fraction, is_digit);
}

bool is_utc_timestamp_of_any_year(std::string_view text) noexcept {
  return text.size() > kDateBytes && is_date(text.substr(0, kDateBytes)) &&
         text[kDateBytes] == '-' && is_time(text.substr(kDateBytes + 1));
}

Check check_of(FieldType type) noexcept {
  switch (type) {
    case FieldType::Unknown:
    case FieldType::String:
    case FieldType::Data:
    case FieldType::XmlData:
      return Check::Text;
    case FieldType::Char:
      return Check::Char;
    case FieldType::Boolean:
      return Check::Boolean;
    case FieldType::Int:
    case FieldType::TagNum:
      return Check::Integer;
    case FieldType::Length:
    case FieldType::NumInGroup:
      return Check::Digits;
    case FieldType::Amt:
    case FieldType::Float:
    case FieldType::Percentage:
    case FieldType::Price:
    case FieldType::PriceOffset:
    case FieldType::Qty:
      return Check::Decimal;
    case FieldType::Time:  // of FIX 4.0 and 4.1
    case FieldType::UtcTimestamp:
      return Check::UtcTimestamp;
    default:
      return Check::Rare;
  }
}

bool is_of_type(FieldType type, std::string_view text) noexcept {
  switch (type) {
    case FieldType::Country:
      return is_country(text);
    case FieldType::Currency:
      return is_currency(text);
    case FieldType::Exchange:
      return is_code(text);
    case FieldType::Language:
      return is_language(text);
    case FieldType::SeqNum:
      return is_positive(text);
    case FieldType::Date:
    case FieldType::LocalMktDate:
    case FieldType::UtcDateOnly:
      return is_date(text);
    case FieldType::DayOfMonth:
      return is_day_of_month(text);
    case FieldType::MonthYear:
      return is_month_year(text);
    case FieldType::MultipleCharValue:
      return is_list(text, [](std::string_view item) { return item.size() == 1; });
    case FieldType::MultipleStringValue:
    case FieldType::MultipleValueString:
      return is_list(text, [](std::string_view item) { return !item.empty(); });
    case FieldType::TzTimeOnly:
      return is_tz_time(text);
    case FieldType::TzTimestamp:
      return is_tz_timestamp(text);
    case FieldType::UtcTimeOnly:
      return is_time(text);
    default:
      break;
  }
  switch (check_of(type)) {
    case Check::Char:
      return text.size() == 1;
    case Check::Boolean:
      return is_boolean(text);
    case Check::Integer:
      return is_integer(text);
    case Check::Digits:
      return is_digits(text);
    case Check::Decimal:
      return is_decimal(text);
    case Check::UtcTimestamp:
      return is_utc_timestamp(text);
    default:
      return true;
  }
}

bool is_other_value(FieldDefinition::OtherValues others, std::string_view text) noexcept {
  switch (others) {
    case FieldDefinition::OtherValues::None:
      return false;
    case FieldDefinition::OtherValues::Any:
      return true;
    case FieldDefinition::OtherValues::Country:
      return is_of_type(FieldType::Country, text);
    case FieldDefinition::OtherValues::Qty:
      return is_decimal(text);
    case FieldDefinition::OtherValues::Reserved100Plus:
      return is_number_from("100", text);
    case FieldDefinition::OtherValues::Reserved1000Plus:
      return is_number_from("1000", text);
    case FieldDefinition::OtherValues::Reserved4000Plus:
      return is_number_from("4000", text);
    case FieldDefinition::OtherValues::Tenor:
      return is_tenor(text);
  }
  return false;
}

}  // namespace nexusfix::dictionary
