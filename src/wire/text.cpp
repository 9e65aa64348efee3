#include <algorithm>

#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/field_text.hpp>
#include <nexusfix/wire/header_template.hpp>
#include <nexusfix/wire/text.hpp>

#include "base/api/printable_text.hpp"

namespace nexusfix {
namespace {

wire::TimePrecision precision_of(const PicoTime& time) noexcept {
  const auto nanos = time.time.time_since_epoch().count();
  if (time.picos != 0) return wire::TimePrecision::Picos;
  if (nanos % 1'000 != 0) return wire::TimePrecision::Nanos;
  if (nanos % 1'000'000 != 0) return wire::TimePrecision::Micros;
  return nanos % 1'000'000'000 != 0 ? wire::TimePrecision::Millis : wire::TimePrecision::Seconds;
}

}  // namespace

std::string to_string(Decimal value) {
  char text[wire::kDecimalBytesMax];
  return {text, wire::from_decimal(value, text)};
}

std::string to_string(FixedPrice value) {
  char text[wire::kDecimalBytesMax];
  return {text, wire::from_fixed_price(value, text)};
}

std::string to_string(const CheckedDecimal& result) {
  return result ? to_string(*result) : "the result does not fit";
}

std::string to_string(const PicoTime& time) {
  char text[wire::kUtcTimestampBytesMax];
  return {text, wire::from_utc_timestamp(time, precision_of(time), text)};
}

std::string to_string(WallTime time) { return to_string(PicoTime{time, 0}); }

namespace wire {
namespace {

// RawData (96) is a password in a Logon and in a UserRequest.
bool is_secret(Tag tag, std::string_view msg_type) noexcept {
  constexpr Tag kRawData = 96;
  return is_password(tag) || (tag == kRawData && (msg_type == "A" || msg_type == "BE"));
}

void append_shown(std::string& to, std::string_view bytes) {
  for (const char c : bytes) {
    if (c >= ' ' && c <= '~') {
      to += c;
    } else {
      append_escaped_byte(to, static_cast<unsigned char>(c), HexDigits::Upper);
    }
  }
}

}  // namespace

std::string_view to_string(FieldErrorCode code) noexcept {
  switch (code) {
    case FieldErrorCode::Missing:
      return "missing";
    case FieldErrorCode::Empty:
      return "empty";
    case FieldErrorCode::Malformed:
      return "not of its type";
    case FieldErrorCode::OutOfRange:
      break;
  }
  return "out of range";
}

std::string to_string(const FieldError& error) {
  std::string text = "field " + std::to_string(error.tag);
  if (error.code != FieldErrorCode::Missing) text += " at byte " + std::to_string(error.offset);
  return text.append(" is ").append(to_string(error.code));
}

std::string to_string(const EncodeError& error) {
  return "field " + std::to_string(error.tag) + ": " + std::string{to_string(error.code)};
}

std::string to_string(const ParseError& error) {
  return std::string{to_string(error.reason)} + " at byte " + std::to_string(error.offset);
}

void append_field(std::string& to, const FieldView& field, std::string_view msg_type) {
  to += std::to_string(field.tag) + '=';
  if (is_secret(field.tag, msg_type)) {
    to += "***";
  } else {
    append_shown(to, field.value);
  }
  to += '|';
}

std::string to_string(const MessageView& message) {
  const std::string_view msg_type = message.msg_type();
  std::string text;
  for (const FieldView field : message) append_field(text, field, msg_type);
  return text;
}

namespace detail {

std::string enum_text(std::string_view value, std::span<const EnumName> names) {
  const auto found = std::ranges::find(names, value, &EnumName::value);
  if (value.empty() || found == names.end()) return "not in the enumeration";
  return std::string{found->name} + " (" + std::string{value} + ')';
}

std::string value_text(std::string_view value) {
  std::string text;
  append_shown(text, value);
  return text;
}

std::string value_text(Date value) {
  char text[kDateBytes];
  return {text, from_date(value, text)};
}

std::string value_text(TimeOfDay value) {
  char text[kTimeOfDayBytesMax];
  const PicoTime time{WallTime{value}, 0};
  return {text, from_time_of_day(value, precision_of(time), text)};
}

void print(TextSink sink, std::string_view value) { sink(value_text(value)); }
void print(TextSink sink, Decimal value) { sink(value_text(value)); }
void print(TextSink sink, WallTime value) { sink(value_text(value)); }
void print(TextSink sink, Date value) { sink(value_text(value)); }
void print(TextSink sink, TimeOfDay value) { sink(value_text(value)); }
void print(TextSink sink, std::int64_t value) { sink(value_text(value)); }
void print(TextSink sink, std::uint64_t value) { sink(value_text(value)); }
void print(TextSink sink, char value) { sink(value_text(value)); }
void print(TextSink sink, bool value) { sink(value_text(value)); }
void print(TextSink sink, const FieldError& error) { sink(to_string(error)); }
void print(TextSink sink, const EncodeError& error) { sink(to_string(error)); }
void print(TextSink sink, const MessageView& message) { sink(to_string(message)); }

}  // namespace detail
}  // namespace wire
}  // namespace nexusfix
