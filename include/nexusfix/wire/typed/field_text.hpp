// Values and fields as text, for logs and people; text.hpp has messages and errors, too. Not for
// the path of a message: each function allocates.
//
//   to_string(order.price())      150.25, or: field 44 is missing
//   to_string(report.side())      BUY (1)       with <nexusfix/fix44/enum_names.hpp>
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/wire/typed/field.hpp>
#include <nexusfix/wire/typed/typed.hpp>
#include <nexusfix/wire/values/tag_prefix.hpp>
#include <nexusfix/wire/values/times.hpp>

namespace nexusfix {

// Whether format.hpp formats a type of another layer, by its to_string(). Its header says so.
template <class T>
inline constexpr bool kIsPrinted = false;

// All digits, as they are sent: 150.250.
[[nodiscard]] std::string to_string(Decimal value);
// The result, or "the result does not fit".
[[nodiscard]] std::string to_string(const CheckedDecimal& result);
// 20240115-10:30:00.123456789, with 0, 3, 6 or 9 digits after the second: as many as the value
// needs. Its type is one of std::chrono, so a call names the namespace: nexusfix::to_string(time).
[[nodiscard]] std::string to_string(WallTime time);

namespace wire {

// The name of an enumerator in the dictionary, and its value on the wire.
struct EnumName {
  std::string_view value;  // "1"
  std::string_view name;   // "BUY"
};

// The names of an enumeration: a generated header, such as nexusfix/fix44/enum_names.hpp, has them.
template <class Enum>
struct EnumNames;

// An enumeration whose names are known.
template <class T>
concept NamedEnum = DictionaryEnum<T> && requires { EnumNames<T>::kNames; };

namespace detail {

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
template <NamedEnum Enum>
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
  } else if constexpr (TypedField<T>) {
    return to_string(*field);
  } else {
    return detail::value_text(*field);
  }
}

}  // namespace wire

// Does not compile: the names of the enumeration are not included.
template <wire::DictionaryEnum Enum>
  requires(!wire::NamedEnum<Enum>)
std::string to_string(Enum) {
  static_assert(!wire::detail::kIsNameless<Enum>,
                "include the header with the names of the enumerations, such as "
                "<nexusfix/fix44/enum_names.hpp>");
  return {};
}

}  // namespace nexusfix
