// The bases of the generated EnumTraits: one for each form that enumeration values have on the
// wire. A generated specialisation adds kValues, the existing values.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nexusfix/wire/typed/field.hpp>
#include <nexusfix/wire/typed/typed.hpp>
#include <nexusfix/wire/values/conversions.hpp>

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

}  // namespace detail

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
    return {&detail::kBytes[static_cast<unsigned char>(value)], has(value) ? 1U : 0U};
  }
  // Four words: a bit for each character that is a value.
  [[nodiscard]] static constexpr const std::uint64_t* char_bits() noexcept {
    return detail::kCharBits<Enum>.data();
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
        small < 64 ? (detail::kSmallIntBits<Enum> >> small & 1U) != 0 : find(number) != nullptr;
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

// The enumerator with this number: wire::convert<fix44::OrdRejReason>(number). OutOfRange if the
// dictionary does not have it.
template <IntegerEnumeration Enum>
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
