// A field: a tag and the bytes of its value, and the errors of a read.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nexusfix/base/decimal.hpp>

namespace nexusfix::wire {

// The tag of a field, 1 to kTagMax. A plain integer, so that custom tags need no declaration.
using Tag = std::uint32_t;
// The largest tag.
inline constexpr Tag kTagMax = 0x7fff'ffff;
// Tags from this one on are defined by agreement between counterparties, and a dictionary need not
// have them: FIX 4.4 volume 1, "User Defined Fields".
inline constexpr Tag kUserDefinedTagMin = 5000;

// The byte that ends each field: start of heading.
inline constexpr char kSoh = '\x01';

// One field of a message. The view lives as long as the message's bytes.
struct FieldView {
  Tag tag = 0;               // of the field
  std::uint32_t offset = 0;  // of the value's first byte, from the start of the message
  std::string_view value;    // the bytes between `=` and SOH
};

// An enumeration of integers, such as fix44::OrdRejReason. Its enumerators have the numbers of FIX:
// OrdRejReason{3} is made of a number, and std::to_underlying(reason) is the number.
template <class T>
concept IntegerEnumeration =
    std::is_enum_v<T> && std::same_as<std::underlying_type_t<T>, std::int64_t>;

// Why a field cannot be read as the requested type.
enum class FieldErrorCode : std::uint8_t {
  Missing,     // the tag is not in the message
  Empty,       // `55=` and SOH
  Malformed,   // not of the requested type
  OutOfRange,  // of the type, but not representable in it
};

// Why a typed read has no value. Its text is made elsewhere, on the cold side.
struct FieldError {
  FieldErrorCode code = FieldErrorCode::Missing;  // the reason
  Tag tag = 0;                                    // of the field
  std::uint32_t offset = 0;                       // of the value, 0 if the field is missing
};

namespace detail {

// False, of any types: the condition of an assertion that an instantiation always fails.
template <class...>
inline constexpr bool kCompiles = false;

// Whether a value that was read compares with a value of the program. Arithmetic types compare only
// if no conversion changes their meaning: a character is no number, and 1.5 is no integer.
template <class Value, class Other>
inline constexpr bool kCompares =
    !std::is_floating_point_v<Other> && requires(const Value& value, const Other& other) {
      { value == other } -> std::same_as<bool>;
    };
template <class Value, class Other>
  requires std::is_arithmetic_v<Value> && std::is_arithmetic_v<Other>
inline constexpr bool kCompares<Value, Other> =
    std::same_as<Value, Other> || (WholeNumber<Value> && WholeNumber<Other>);
// An enumeration of integers compares with a number, and no other one with anything but itself.
template <class Value, class Other>
  requires std::is_enum_v<Value>
inline constexpr bool kCompares<Value, Other> =
    std::same_as<Value, Other> || (IntegerEnumeration<Value> && WholeNumber<Other>);
template <class T>
concept HasValueType = requires { typename T::ValueType; };

// A field compares with its value, with its own kind, and as a number with other numbers.
template <class T, class Other>
  requires HasValueType<T>
inline constexpr bool kCompares<T, Other> =
    std::same_as<T, Other> || kCompares<typename T::ValueType, Other>;
template <class T, class Other>
  requires(HasValueType<T> && HasValueType<Other>)
inline constexpr bool kCompares<T, Other> =
    std::same_as<T, Other> || (std::same_as<typename T::ValueType, Decimal> &&
                               std::same_as<typename Other::ValueType, Decimal>);
template <class Value, class Other>
concept ComparableWith = kCompares<Value, Other>;

template <class Value, class Other>
  requires ComparableWith<Value, Other>
[[nodiscard]] constexpr bool is_same(const Value& value, const Other& other) noexcept {
  if constexpr (WholeNumber<Value> && WholeNumber<Other>) {
    return std::cmp_equal(value, other);
  } else if constexpr (IntegerEnumeration<Value> && WholeNumber<Other>) {
    return std::cmp_equal(std::to_underlying(value), other);
  } else {
    return value == other;
  }
}

}  // namespace detail

namespace detail {

// What `Value value = order.price();` would convert to, with one condition: a compiler lists all.
// double: of the overloads of std::to_string() and std::abs() it takes one, so the error is short.
template <class T, class Value>
inline constexpr bool kIsValueOf = std::same_as<Value, T> || std::same_as<Value, double>;
template <class T, class Value>
  requires HasValueType<T>
inline constexpr bool kIsValueOf<T, Value> =
    std::same_as<Value, T> || std::same_as<Value, typename T::ValueType> ||
    std::same_as<Value, double> ||
    (std::same_as<typename T::ValueType, std::string_view> &&
     requires {  // std::string, too, but no std::wstring: std::stoi() takes both
       requires std::same_as<typename Value::traits_type, std::string_view::traits_type>;
     });
template <class T, class Value>
concept IsValueOf = kIsValueOf<T, Value>;

// Its instantiation gives the error of `order.price() = Price{"150.25"}`, which would change a copy
// and not the message.
template <class... Types>
struct NoAssignment {
  static_assert(
      kCompiles<Types...>,
      "a getter returns a copy: a draft is changed by order.set(Price{\"150.25\"}), and a "
      "received message as its Draft");
};

}  // namespace detail

// A value that was read from a message, or why there is none: test it, then use *field,
// field->value or value_or(). Getters of fields that the dictionary requires return the value
// itself.
//
//   if (order.price() == 150.25_d) ...        // also with Price{"150.25"}; false without a price
//   if (order.account() == last.account()) ...
//   const std::string_view account = order.account().value_or("");
template <class T>
class OptionalField : public std::expected<T, FieldError> {
 public:
  using std::expected<T, FieldError>::expected;
  OptionalField() = default;
  OptionalField(const OptionalField&) = default;  // copies the field or the error
  OptionalField(OptionalField&&) = default;       // the same
  // For a variable only.
  OptionalField& operator=(const OptionalField&) & = default;
  OptionalField& operator=(OptionalField&&) & = default;  // of a variable only
  // Does not compile: a getter's result is assigned to.
  template <class Other>
  constexpr void operator=(const Other&) const&& {
    static_assert(
        detail::kCompiles<Other>,
        "a getter returns a copy: a draft is changed by order.set(Price{\"150.25\"}), and a "
        "received message as its Draft");
  }
  // The value, which does not change: see operator=. The caller has tested that there is one.
  [[nodiscard]] constexpr const T& operator*() const noexcept {
    return std::expected<T, FieldError>::operator*();
  }
  // Its members; see operator*.
  [[nodiscard]] constexpr const T* operator->() const noexcept {
    return std::expected<T, FieldError>::operator->();
  }
  // The value, or other if the field is missing or cannot be read: cl_ord_id().value_or(""),
  // price().value_or(0_d), side().value_or(Side::Buy). A field's plain value gives the plain value,
  // and a field gives a field. A number gives that of an enumeration of integers:
  // ord_rej_reason().value_or(0) is a std::int64_t. A text that is returned lives as long as the
  // message, or as other.
  template <class Other>
  [[nodiscard]] constexpr auto value_or(const Other& other) const noexcept {
    if constexpr (std::convertible_to<const Other&, T>) {
      return this->has_value() ? **this : static_cast<T>(other);
    } else if constexpr (IntegerEnumeration<T> && WholeNumber<Other>) {
      return this->has_value() ? std::to_underlying(**this) : static_cast<std::int64_t>(other);
    } else if constexpr (!detail::HasValueType<T>) {
      static_assert(detail::kCompiles<Other>,
                    "the default has the type of the field: side_or(Side::Buy), not side_or('1')");
      return **this;
    } else {
      using Plain = typename T::ValueType;
      if constexpr (WholeNumber<Plain> && WholeNumber<Other>) {
        return this->has_value() ? (**this).value : static_cast<Plain>(other);
      } else {
        return this->has_value() ? (**this).value : T{other}.value;
      }
    }
  }
  // The value; throws std::bad_expected_access<FieldError> if there is none. Valid as long as this
  // object. One function in place of the four of std::expected, which clang would list after
  // `order.price().value`.
  [[nodiscard]] constexpr const T& value() const { return std::expected<T, FieldError>::value(); }
  // Does not compile: `Price price = order.price();` would forget that the field may be missing. A
  // deleted conversion would be an error of a page in emplace() of a container. That to double is
  // deleted, because a library may ask whether a std::ostream takes the field as a number.
  template <class Value>
    requires detail::IsValueOf<T, Value> && std::same_as<Value, double>
  operator Value() const = delete;  // test the field, and then use *field or field->value
  // Does not compile: test the field first.
  template <class Value>
    requires detail::IsValueOf<T, Value> && (!std::same_as<Value, double>)
  operator Value() const {  // NOLINT(google-explicit-constructor): its message is the error
    static_assert(detail::kCompiles<T, Value>,
                  "the field may be missing: test it, and then use *field or field->value, or "
                  "give a default: cl_ord_id_or(\"\")");
    std::unreachable();
  }
};

namespace detail {

template <class T>
inline constexpr bool kIsOptionalField = false;
template <class T>
inline constexpr bool kIsOptionalField<OptionalField<T>> = true;

template <class T, class Other>
concept ComparesWithField = !kIsOptionalField<Other> && ComparableWith<T, Other>;

}  // namespace detail

// Whether the field is in the message and has this value. A field that is missing or cannot be read
// equals no value. These operators win over those of std::expected, which clang would reverse, with
// a warning.
template <class T, class Other>
  requires detail::ComparesWithField<T, Other>
[[nodiscard]] constexpr bool operator==(const OptionalField<T>& field,
                                        const Other& other) noexcept {
  return field.has_value() && detail::is_same(*field, other);
}
// Whether both fields have the same value, or both are missing: also two prices or quantities with
// different tags. A field that cannot be read equals no field, also not another one that cannot be
// read: their texts may differ.
template <class T, class Other>
  requires detail::ComparableWith<T, Other>
[[nodiscard]] constexpr bool operator==(const OptionalField<T>& a,
                                        const OptionalField<Other>& b) noexcept {
  if (a.has_value() && b.has_value()) return detail::is_same(*a, *b);
  return !a.has_value() && !b.has_value() && a.error().code == FieldErrorCode::Missing &&
         b.error().code == FieldErrorCode::Missing;
}
// Does not compile: the field has a value of another type. A static assertion, because of a deleted
// operator a compiler would list all others.
template <class T, class Other>
  requires(!detail::ComparesWithField<T, Other>)
constexpr bool operator==(const OptionalField<T>&, const Other&) noexcept {
  static_assert(
      detail::kCompiles<T, Other>,
      "a field is compared with a value of its own type: Side::Buy, not '1'; \"A1\", 100, "
      "Price{\"150.25\"}, or 150.25_d with namespace nexusfix::literals");
  return false;
}
// Does not compile: the answer would be false for a field that is missing.
template <class T, class Other>
constexpr std::strong_ordering operator<=>(const OptionalField<T>&, const Other&) noexcept {
  static_assert(detail::kCompiles<T, Other>,
                "the field may be missing: test it, and then order its value: *field > 100");
  return std::strong_ordering::equal;
}

}  // namespace nexusfix::wire
