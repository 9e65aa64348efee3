// Fields, values, messages and errors in a std::ostream, for programs that print with std::cout.
// The text is that of to_string() (text.hpp), but an enumeration is its value on the wire: 1, and
// not "BUY (1)". Each call allocates. Includes no stream: the program does.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string_view>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/base/function_ref.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed/field.hpp>
#include <nexusfix/wire/typed/typed.hpp>
#include <nexusfix/wire/values/tag_prefix.hpp>

namespace nexusfix {

namespace wire {
enum class EncodeErrorCode : std::uint8_t;  // header_template.hpp
struct EncodeError;                         // likewise
}  // namespace wire
namespace wire::detail {

using TextSink = FunctionRef<void(std::string_view)>;

void print(TextSink sink, std::string_view value);
void print(TextSink sink, Decimal value);
void print(TextSink sink, WallTime value);
void print(TextSink sink, Date value);
void print(TextSink sink, TimeOfDay value);
void print(TextSink sink, std::int64_t value);
void print(TextSink sink, std::uint64_t value);
void print(TextSink sink, char value);
void print(TextSink sink, bool value);
void print(TextSink sink, const FieldError& error);
void print(TextSink sink, const EncodeError& error);
void print(TextSink sink, const MessageView& message);

template <class Traits, class Value>
std::basic_ostream<char, Traits>& print_to(std::basic_ostream<char, Traits>& out,
                                           const Value& value) {
  print([&out](std::string_view text) { out << text; }, value);
  return out;
}

}  // namespace wire::detail

// All digits, as they are sent: 150.250.
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, Decimal value) {
  return wire::detail::print_to(out, value);
}

namespace wire {

// The value, as on the wire; a password is ***.
template <class Traits, Tag FieldTag, class Value>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             const Field<FieldTag, Value>& field) {
  if constexpr (is_password(FieldTag)) {
    return out << std::string_view{"***"};
  } else {
    return detail::print_to(out, field.value);
  }
}
// The value, as on the wire. A generated header has it in the namespace of its enumerations, too.
template <class Traits, DictionaryEnum Enum>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, Enum value) {
  return detail::print_to(out, std::string_view{EnumTraits<Enum>::text(value)});
}
// "field 44 at byte 57 is not of its type".
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             const FieldError& error) {
  return detail::print_to(out, error);
}
// "field 58: empty value".
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             const EncodeError& error) {
  return detail::print_to(out, error);
}
// The reason alone: "not of its type".
template <class Traits, class Code>
  requires std::same_as<Code, FieldErrorCode> || std::same_as<Code, EncodeErrorCode>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, Code code) {
  return out << to_string(code);
}
// The value, or the error: "field 44 is missing".
template <class Traits, class T>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             const OptionalField<T>& field)
  requires requires { out << *field; }
{
  return field ? out << *field : out << field.error();
}
// The message in one line, with | for SOH; passwords are ***.
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             const MessageView& message) {
  return detail::print_to(out, message);
}
// Writes a typed message.
template <class Traits, TypedMessage Message>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             const Message& message) {
  return detail::print_to(out, message.view());
}

}  // namespace wire
}  // namespace nexusfix
