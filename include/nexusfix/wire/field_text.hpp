// Values and fields as text, for logs and people; text.hpp has messages and errors, too. Not for
// the path of a message: each function allocates.
//
//   to_string(order.price())      150.25, or: field 44 is missing
//   to_string(report.side())      BUY (1)       with <nexusfix/fix44/enum_names.hpp>
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/decimal.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/header_template.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed.hpp>

namespace nexusfix {

// All digits, as they are sent: 150.250.
[[nodiscard]] std::string to_string(Decimal value);
// The result, or "the result does not fit".
[[nodiscard]] std::string to_string(const CheckedDecimal& result);
// 20240115-10:30:00.123456789, with 0, 3, 6 or 9 digits after the second: as many as the value
// needs. Its type is one of std::chrono, so a call names the namespace: nexusfix::to_string(time).
[[nodiscard]] std::string to_string(WallTime time);

namespace wire {

// The names of an enumeration: a generated header, such as nexusfix/fix44/enum_names.hpp, has them.
template <class Enum>
struct EnumNames;

namespace detail {

// The name of an enumerator in the dictionary, and its value on the wire.
struct EnumName {
  std::string_view value;  // "1"
  std::string_view name;   // "BUY"
};

// An enumeration whose names are known.
template <class T>
concept NamedEnum = DictionaryEnum<T> && requires { EnumNames<T>::kNames; };

// Whether it is an enumeration, or an optional field of one, whose names are not included.
template <class T>
inline constexpr bool kIsNameless = DictionaryEnum<T> && !NamedEnum<T>;
template <class T>
inline constexpr bool kIsNameless<OptionalField<T>> = kIsNameless<T>;

}  // namespace detail

// "missing", "empty", "not of its type", "out of range". Lives as long as the program.
[[nodiscard]] std::string_view to_string(FieldErrorCode code) noexcept;
// "field 44 is missing", "field 44 at byte 57 is not of its type".
[[nodiscard]] std::string to_string(const FieldError& error);
namespace detail {

[[nodiscard]] std::string enum_text(std::string_view value, std::span<const EnumName> names);
[[nodiscard]] std::string value_text(std::string_view value);
[[nodiscard]] std::string value_text(Date value);
[[nodiscard]] std::string value_text(TimeOfDay value);
[[nodiscard]] inline std::string value_text(Decimal value) { return nexusfix::to_string(value); }
[[nodiscard]] inline std::string value_text(WallTime value) { return nexusfix::to_string(value); }
template <class T>
  requires std::is_arithmetic_v<T>
[[nodiscard]] std::string value_text(T value) {
  if constexpr (std::same_as<T, bool>) return value ? "Y" : "N";
  if constexpr (std::same_as<T, char>) return value_text(std::string_view{&value, 1});
  if constexpr (WholeNumber<T>) return std::to_string(value);
}

}  // namespace detail

// The enumerator's name in the dictionary and its value: "BUY (1)". A value that is no enumerator:
// "not in the enumeration".
template <detail::NamedEnum Enum>
[[nodiscard]] std::string to_string(Enum value) {
  return detail::enum_text(EnumTraits<Enum>::text(value), EnumNames<Enum>::kNames);
}

// The value, as on the wire; a password is ***. In a text, bytes that could steer a terminal are
// written as \x1B.
template <Tag FieldTag, class Value>
[[nodiscard]] std::string to_string(const Field<FieldTag, Value>& field) {
  if constexpr (is_password(FieldTag)) return "***";
  return detail::value_text(field.value);
}

// The value, or the error: "field 44 is missing".
template <class T>
[[nodiscard]] std::string to_string(const OptionalField<T>& field) {
  if (!field) return to_string(field.error());
  static_assert(!detail::kIsNameless<T>,
                "include the header with the names of the enumerations, such as "
                "<nexusfix/fix44/enum_names.hpp>");
  if constexpr (detail::kIsNameless<T>) {
    return {};
  } else if constexpr (detail::TypedField<T>) {
    return to_string(*field);
  } else {
    return detail::value_text(*field);
  }
}

}  // namespace wire

// Fields, values, messages and errors in a std::ostream, for programs that print with std::cout.
// The text is that of to_string() (text.hpp), but an enumeration is its value on the wire: 1, and
// not "BUY (1)". Each call allocates. Includes no stream: the program does.

namespace wire {
enum class EncodeErrorCode : std::uint8_t;  // header_template.hpp
struct EncodeError;                         // header_template.hpp
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
template <class Traits, detail::DictionaryEnum Enum>
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

// The bases of the generated EnumTraits: one for each form that enumeration values have on the
// wire. A generated specialisation adds kValues, the existing values.

namespace nexusfix::wire {
namespace detail {

// Every byte, so that the text of a char value can be a view of one of them.
inline constexpr std::array<char, 256> kBytes = [] {
  std::array<char, 256> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
  return bytes;
}();

// A bit for each character that is a value of Enum.
template <class Enum>
inline constexpr std::array<std::uint64_t, 4> kCharBits = [] {
  std::array<std::uint64_t, 4> bits{};
  for (const char c : EnumTraits<Enum>::kValues) {
    const auto byte = static_cast<unsigned char>(c);
    bits[byte / 64] |= std::uint64_t{1} << (byte % 64);
  }
  return bits;
}();

// Bits for the values 0 to 63 of an enumeration of ints. Most have no others.
template <class Enum>
inline constexpr std::uint64_t kSmallIntBits = [] {
  std::uint64_t bits = 0;
  for (const auto& entry : EnumTraits<Enum>::kValues) {
    if (entry.value >= 0 && entry.value < 64) bits |= std::uint64_t{1} << entry.value;
  }
  return bits;
}();

// std::lower_bound() of ascending values, without <algorithm>, which every program with generated
// messages would compile.
template <class Value, class IsBelow>
[[nodiscard]] const Value* first_not_below(const IsBelow& below, const Value* from,
                                           const Value* end) noexcept {
  while (from != end) {
    const Value* const middle = from + (end - from) / 2;
    if (below(*middle)) {
      from = middle + 1;
    } else {
      end = middle;
    }
  }
  return from;
}

// enum class Side : char { Buy = '1' }: kValues is a string of the characters.
template <class Enum, Tag FieldTag>
struct CharEnumTraits {
  static constexpr Tag kTag = FieldTag;  // of the field
  // Whether it is one of the enumerators. A cast can make other values.
  [[nodiscard]] static constexpr bool has(Enum value) noexcept {
    const auto byte = static_cast<unsigned char>(value);
    return (char_bits()[byte / 64] >> (byte % 64) & 1U) != 0;
  }
  // Empty for a value that is not an enumerator. The encoder refuses it.
  [[nodiscard]] static std::string_view text(Enum value) noexcept {
    return {&kBytes[static_cast<unsigned char>(value)], has(value) ? 1U : 0U};
  }
  // Four words: a bit for each character that is a value.
  [[nodiscard]] static constexpr const std::uint64_t* char_bits() noexcept {
    return kCharBits<Enum>.data();
  }
  // Malformed if the text is not one byte, OutOfRange if it is not in kValues.
  [[nodiscard]] static Converted<Enum> from(std::string_view text) noexcept {
    if (text.size() != 1) return std::unexpected{FieldErrorCode::Malformed};
    const auto value = static_cast<Enum>(text.front());
    if (!has(value)) return std::unexpected{FieldErrorCode::OutOfRange};
    return value;
  }
};

// An int of an enumeration and its text.
struct IntValue {
  std::int64_t value;     // of the enumerator
  std::string_view text;  // on the wire
};

// enum class CxlRejReason : std::int64_t { TooLate = 0 }: kValues is an array of IntValue,
// ascending.
template <class Enum, Tag FieldTag>
struct IntEnumTraits {
  static constexpr Tag kTag = FieldTag;  // of the field
  // Empty for a value that is not an enumerator. The encoder refuses it.
  [[nodiscard]] static std::string_view text(Enum value) noexcept {
    const IntValue* const found = find(static_cast<std::int64_t>(value));
    return found == nullptr ? std::string_view{} : found->text;
  }
  // Malformed if the text is not an int, OutOfRange if it is not in kValues.
  [[nodiscard]] static Converted<Enum> from(std::string_view text) noexcept {
    const Converted<std::int64_t> value = to_int(text);
    if (!value) return std::unexpected{value.error()};
    return from(*value);
  }
  // OutOfRange if the number is not in kValues.
  [[nodiscard]] static Converted<Enum> from(std::int64_t number) noexcept {
    const auto small = static_cast<std::uint64_t>(number);
    const bool is_value =
        small < 64 ? (kSmallIntBits<Enum> >> small & 1U) != 0 : find(number) != nullptr;
    if (!is_value) return std::unexpected{FieldErrorCode::OutOfRange};
    return static_cast<Enum>(number);
  }

 private:
  [[nodiscard]] static const IntValue* find(std::int64_t value) noexcept {
    const auto& values = EnumTraits<Enum>::kValues;
    const IntValue* const end = std::end(values);
    const IntValue* const found = detail::first_not_below(
        [value](const IntValue& entry) { return entry.value < value; }, std::begin(values), end);
    return found != end && found->value == value ? found : nullptr;
  }
};

// enum class SecurityType : std::uint16_t { Bond }: an enumerator is the position of its text in
// kValues, an ascending array of texts.
template <class Enum, Tag FieldTag>
struct StringEnumTraits {
  static constexpr Tag kTag = FieldTag;  // of the field
  // Empty for a value that is not an enumerator. The encoder refuses it.
  [[nodiscard]] static std::string_view text(Enum value) noexcept {
    const auto& values = EnumTraits<Enum>::kValues;
    const auto position = static_cast<std::size_t>(value);
    return position < std::size(values) ? values[position] : std::string_view{};
  }
  // OutOfRange if the text is not in kValues.
  [[nodiscard]] static Converted<Enum> from(std::string_view text) noexcept {
    const auto& values = EnumTraits<Enum>::kValues;
    const std::string_view* const end = std::end(values);
    const std::string_view* const found = detail::first_not_below(
        [text](std::string_view entry) { return entry < text; }, std::begin(values), end);
    if (found == end || *found != text) return std::unexpected{FieldErrorCode::OutOfRange};
    return static_cast<Enum>(found - std::begin(values));
  }
};

}  // namespace detail

// The enumerator with this number: wire::convert<fix44::OrdRejReason>(number). OutOfRange if the
// dictionary does not have it.
template <detail::IntegerEnumeration Enum>
[[nodiscard]] Converted<Enum> convert(std::int64_t number) noexcept {
  return EnumTraits<Enum>::from(number);
}

// The generated namespaces declare it, too, so that a compiler finds it for their enumerations.
namespace enum_operators {

// Whether an enumeration of integers has this number: report.ord_rej_reason() == 3. Does not
// compile for another enumeration or value: '1' is a value on the wire, Side::Buy its name.
template <class Enum, class Other>
  requires std::is_enum_v<Enum> &&
           (std::is_arithmetic_v<Other> || std::convertible_to<const Other&, std::string_view>) &&
           (!detail::kIsOptionalField<Other> && !detail::HasValueType<Other>)
[[nodiscard]] constexpr bool operator==(const Enum& value, const Other& other) noexcept {
  if constexpr (detail::ComparableWith<Enum, Other>) {
    return detail::is_same(value, other);
  } else {
    static_assert(detail::kCompiles<Enum, Other>,
                  "an enumeration is compared with a name: order.side() == Side::Buy, not '1'; "
                  "only an enumeration of integers is compared with a number, too");
    return false;
  }
}

}  // namespace enum_operators

}  // namespace nexusfix::wire
