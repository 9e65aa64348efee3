// The concepts of a typed field and of a typed message. They connect the code that is generated
// from a dictionary with the code that sends (typed_write.hpp) or receives it (typed_read.hpp,
// dispatch.hpp).
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <type_traits>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed/field.hpp>

// A class that may keep a view of a text: clang warns of a variable of it whose text ends with the
// line. g++ has no such attribute, and would warn of an unknown one.
#ifdef __clang__
#define NEXUSFIX_VIEW [[gsl::Pointer(char)]]
#else
#define NEXUSFIX_VIEW
#endif

namespace nexusfix::wire {

namespace detail {

// The kinds of values, and what each of them takes: the errors of Field's constructor.
template <class Value>
inline constexpr bool kIsBool = std::same_as<Value, bool>;
template <class Value>
inline constexpr bool kIsPrice = std::same_as<Value, Decimal>;
template <class Value>
inline constexpr bool kIsText = std::same_as<Value, std::string_view>;
template <class Value>
inline constexpr bool kIsOther = !kIsBool<Value> && !kIsPrice<Value> && !kIsText<Value> &&
                                 !Character<Value> && !WholeNumber<Value>;

// A time whose zero is a moment of 1970: QuickFIX's FIX::TransactTime() is the present one.
template <class Value>
inline constexpr bool kIsTime = std::same_as<Value, WallTime> || std::same_as<Value, PicoTime>;

// The result of a getter, with a value of this type: the deleted conversion names the mistake.
template <class Value, class Other>
concept Optionally =
    requires { requires std::same_as<typename Other::value_type::ValueType, Value>; };
// Arguments that C++ would convert, or that would cost a page of candidates.
template <class Value, class Other>
[[nodiscard]] consteval bool is_mistaken() noexcept {
  if constexpr (Optionally<Value, Other>) {
    return false;
  } else if constexpr (kIsPrice<Value> || kIsBool<Value>) {
    return !(kIsPrice<Value> &&
             (std::is_array_v<Other> || nexusfix::detail::DecimalField<Other>)) &&
           !std::same_as<Other, Value>;
  } else if constexpr (WholeNumber<Value>) {
    return !std::convertible_to<const Other&, Value> || kIsBool<Other> || Character<Other> ||
           std::is_floating_point_v<Other>;
  } else {
    return !std::convertible_to<const Other&, Value> ||
           (Character<Value> && !std::same_as<Other, Value>);
  }
}
template <class Value, class Other>
concept MistakenValue = is_mistaken<Value, Other>();

// What a field converts to: a text to std::string_view, which lives as long as the message, and to
// std::string, which copies it; a price, a quantity, a time or a date to its value. One condition,
// and no concept: a compiler lists each step.
template <class Value, class Other>
inline constexpr bool kIsPlainValue =
    (std::is_class_v<Value> && std::same_as<Value, Other>) || (kIsText<Value> && requires {
      typename Other::allocator_type;
      requires std::same_as<typename Other::traits_type, typename Value::traits_type>;
    });
// The deleted conversion of numbers: std::to_string() and std::abs() have an overload of double, so
// the error is short. Not of texts: f(double) and f(std::string_view) would be ambiguous.
template <class Value, class Other>
inline constexpr bool kIsNoNumber =
    std::same_as<Other, double> && (kIsPrice<Value> || std::is_arithmetic_v<Value>);

// A text that is no field.
template <class Other>
concept TextOfOtherType =
    !kIsOptionalField<Other> && std::convertible_to<const Other&, std::string_view> &&
    !requires { Other::kTag; };
// A text that is added to a text field.
template <class Text>
concept AddedText =
    !kIsOptionalField<Text> &&
    (std::convertible_to<const Text&, std::string_view> || std::same_as<Text, char>);
[[nodiscard]] constexpr std::string_view added_text(const char& text) noexcept {
  return {&text, 1};
}
[[nodiscard]] constexpr std::string_view added_text(std::string_view text) noexcept { return text; }
[[nodiscard]] inline std::string joined(std::string_view a, std::string_view b) {
  std::string text;
  text.reserve(a.size() + b.size());
  return text.append(a).append(b);
}

// The number as a price or a quantity. Of anything else there is no value: the constructor has the
// error.
template <class Value, class Other>
[[nodiscard]] constexpr Value value_of(const Other& other) noexcept {
  if constexpr (kIsPrice<Value> && WholeNumber<Other>) {
    return Decimal::from_int(static_cast<std::int64_t>(other));
  } else {
    return {};
  }
}

// False. Read as the cause that a compiler prints: is_value_of_field<17, long, char[5]>.
template <Tag FieldTag, class Value, class Other>
inline constexpr bool is_value_of_field = false;

}  // namespace detail

// The time of sending as the value of a field, which no clock has been read for yet: see
// Field::now().
template <class FieldType>
struct AtSending {};

// A typed field: `using ClOrdID = wire::Field<11, std::string_view>;`, written ClOrdID{"A1"}.
template <Tag FieldTag, class Value>
struct NEXUSFIX_VIEW Field {
  static constexpr Tag kTag = FieldTag;  // of the field
  using ValueType = Value;               // the C++ type of the value
  Value value{};                         // a text is a view, which the caller keeps alive

  Field()
    requires(!detail::kIsTime<Value>)
  = default;
  // Does not compile: a time without a value would be the first moment of 1970.
  template <class Same = Field>
    requires detail::kIsTime<typename Same::ValueType>
  Field() noexcept {
    static_assert(detail::kCompiles<Same>,
                  "a time has a value: TransactTime::now() is that of sending, "
                  "TransactTime{session.now()} that of this event");
  }
  // Without moves and with few constructors: a compiler lists each of them after `Price p = 100;`.
  Field(const Field&) = default;
  Field& operator=(const Field&) & = default;  // copies the value, to a variable only
  // Does not compile: a getter's result is assigned to.
  template <class Other>
  constexpr void operator=(const Other&) const&& {
    static_cast<void>(detail::NoAssignment<Field, Other>{});
  }
  // Does not compile: a value is assigned to a field.
  template <class Other>
  constexpr void operator=(const Other&) & {
    static_assert(detail::kCompiles<Other>,
                  "a field is assigned a field of its own type: id = ClOrdID{\"A1\"}");
  }
  // A field with this value.
  constexpr explicit Field(Value v) noexcept : value{v} {}
  // A price or a quantity from a literal: Price{"150.25"}; see Decimal::from_literal().
  template <std::size_t Size>
    requires std::same_as<Value, Decimal>
  consteval explicit Field(const char (&text)[Size]) : value{Decimal::from_literal(text)} {}
  // A price or a quantity from an integer, up to 2^63 - 1. A value of another type does not
  // compile: `'1'` would convert to 49, and "N" to true.
  template <class Other>
    requires detail::MistakenValue<Value, Other>
  constexpr explicit Field(const Other& other) : value{detail::value_of<Value>(other)} {
    constexpr bool kTakes = detail::is_value_of_field<FieldTag, Value, Other> ||
                            (detail::kIsPrice<Value> && WholeNumber<Other>);
    constexpr bool kIsChecked = std::same_as<Other, CheckedDecimal>;
    constexpr bool kIsDouble = std::is_floating_point_v<Other>;
    static_assert(kTakes || !detail::kIsBool<Value>, "a Boolean field takes true or false");
    static_assert(kTakes || !detail::kIsPrice<Value> || !kIsChecked,
                  "the result of + - or * may not fit: test it, and then write Price{*result}");
    static_assert(kTakes || !detail::kIsPrice<Value> || !kIsDouble,
                  "a price or a quantity is exact: write Price{\"150.25\"}, or Price{150.25_d} "
                  "with namespace nexusfix::literals; round_to(value, 2) rounds a double");
    static_assert(kTakes || !detail::kIsPrice<Value> || kIsChecked || kIsDouble,
                  "a price or a quantity takes an integer, a literal such as \"150.25\", or a "
                  "Decimal: wire::convert<Decimal>(text) reads a text at run time");
    static_assert(kTakes || !detail::kIsText<Value>,
                  "a text field takes a text, which must live until the message is sent");
    static_assert(kTakes || !WholeNumber<Value>,
                  "this field is an integer in this FIX version: write 5, not \"5\" or '5'; "
                  "wire::convert<std::int64_t>(text) reads a text at run time");
    static_assert(kTakes || !Character<Value>, "this field takes one character: write 'A'");
    static_assert(kTakes || !detail::kIsOther<Value>,
                  "this field takes a time or a date: session.now(), wire::Date{2026y / 11 / 24}; "
                  "wire::convert<WallTime>(text) reads a text at run time");
  }
  // For send(): the field with the time at which the message is sent, which is its SendingTime
  // (52), and with the same precision: session.send<...>(TransactTime::now(), ...). For
  // Draft::set(): the field with the time of that call.
  [[nodiscard]] static constexpr AtSending<Field> now() noexcept {
    static_assert(std::same_as<Value, WallTime>,
                  "now() is a date with a time: a field of a date takes wire::Date{...}");
    return {};
  }
  // The value: `const std::string_view id = order.cl_ord_id();` lives as long as the message, a
  // std::string is a copy. A number, a bool and a char are field.value.
  template <class Other>
    requires detail::kIsPlainValue<Value, Other>
  // NOLINTNEXTLINE(google-explicit-constructor): a field is used as its value.
  constexpr operator Other() const noexcept(std::same_as<Other, Value>) {
    return Other(value);
  }
  // Deleted: see kIsNoNumber.
  template <class Other>
    requires detail::kIsNoNumber<Value, Other>
  operator Other() const = delete;  // no double: field.value; to_string(), abs() without std::
  // Whether the values are equal.
  friend bool operator==(const Field&, const Field&) = default;
};

namespace detail {

// Whether a field's value compares with a value that is no field.
template <class Value, class Other>
concept ComparesWithValue =
    !requires { Other::kTag; } && !kIsOptionalField<Other> && ComparableWith<Value, Other>;

}  // namespace detail

// Whether the field has this value: report.cl_ord_id() == "A1", order.order_qty() == 100.
template <Tag FieldTag, class Value, class Other>
  requires detail::ComparesWithValue<Value, Other>
[[nodiscard]] constexpr bool operator==(const Field<FieldTag, Value>& field,
                                        const Other& other) noexcept {
  return detail::is_same(field.value, other);
}
// Does not compile: a text is not compared with a number, nor a price with a floating-point number.
template <Tag FieldTag, class Value, class Other>
  requires(!detail::ComparesWithValue<Value, Other> && !requires { Other::kTag; } &&
           !detail::kIsOptionalField<Other>)
constexpr bool operator==(const Field<FieldTag, Value>&, const Other&) noexcept {
  static_assert(detail::kCompiles<Value, Other>,
                "a field is compared with a value of its own type: Side::Buy, \"A1\", 100, "
                "Price{\"150.25\"}, or 150.25_d with namespace nexusfix::literals");
  return false;
}
// The order of a price or a quantity and a number: report.leaves_qty() > 100.
template <Tag FieldTag, class Other>
  requires std::same_as<Other, Decimal> || WholeNumber<Other>
[[nodiscard]] constexpr std::strong_ordering operator<=>(const Field<FieldTag, Decimal>& field,
                                                         const Other& other) noexcept {
  return field.value <=> other;
}
// The order of a text field and a text, for containers that look up keys of another type.
template <Tag FieldTag, class Other>
  requires detail::TextOfOtherType<Other>
[[nodiscard]] constexpr std::strong_ordering operator<=>(
    const Field<FieldTag, std::string_view>& field, const Other& other) noexcept {
  return field.value <=> std::string_view{other};
}
// Does not compile: a price or a quantity is ordered with exact numbers.
template <Tag FieldTag, class Value, class Other>
  requires(!(detail::kIsPrice<Value> && (detail::kIsPrice<Other> || WholeNumber<Other>)) &&
           !(detail::kIsText<Value> && detail::TextOfOtherType<Other>) &&
           !requires { Other::kTag; } && !detail::kIsOptionalField<Other>)
constexpr std::strong_ordering operator<=>(const Field<FieldTag, Value>&, const Other&) noexcept {
  static_assert(detail::kCompiles<Value, Other>,
                "a price or a quantity is ordered with an exact number: 100, or 150.25_d with "
                "namespace nexusfix::literals; other fields by their .value");
  return std::strong_ordering::equal;
}
// Does not compile: only prices and quantities are ordered, and a map whose key is a text field
// would keep a view of a message.
template <Tag First, class Value, Tag Second, class Other>
  requires(!(detail::kIsPrice<Value> && detail::kIsPrice<Other>))
constexpr std::strong_ordering operator<=>(const Field<First, Value>&,
                                           const Field<Second, Other>&) noexcept {
  static_assert(detail::kCompiles<Value>,
                "fields are ordered by their .value; the key of a map is std::string{field.value}, "
                "because a text field is a view of its message");
  return std::strong_ordering::equal;
}
// Does not compile: two texts or two numbers of different fields; by mistake, mostly.
template <Tag First, class Value, Tag Second, class Other>
  requires(First != Second && !(detail::kIsPrice<Value> && detail::kIsPrice<Other>))
constexpr bool operator==(const Field<First, Value>&, const Field<Second, Other>&) noexcept {
  static_assert(detail::kCompiles<Value>,
                "fields of different tags are compared by their values: a.value == b.value");
  return false;
}
// The text of a field as part of a longer one: "order " + report.order_id() + " filled". Allocates.
template <detail::AddedText Text, Tag FieldTag>
[[nodiscard]] std::string operator+(const Text& text,
                                    const Field<FieldTag, std::string_view>& field) {
  return detail::joined(detail::added_text(text), field.value);
}
// The same with the field first.
template <Tag FieldTag, detail::AddedText Text>
[[nodiscard]] std::string operator+(const Field<FieldTag, std::string_view>& field,
                                    const Text& text) {
  return detail::joined(field.value, detail::added_text(text));
}
// Two fields.
template <Tag First, Tag Second>
[[nodiscard]] std::string operator+(const Field<First, std::string_view>& a,
                                    const Field<Second, std::string_view>& b) {
  return detail::joined(a.value, b.value);
}
// The order of prices and quantities, also of different fields: cum_qty() < order_qty().
template <Tag First, Tag Second>
[[nodiscard]] constexpr std::strong_ordering operator<=>(const Field<First, Decimal>& a,
                                                         const Field<Second, Decimal>& b) noexcept {
  return a.value <=> b.value;
}
// Whether prices or quantities of different fields are equal: cum_qty() == order_qty().
template <Tag First, Tag Second>
  requires(First != Second)
[[nodiscard]] constexpr bool operator==(const Field<First, Decimal>& a,
                                        const Field<Second, Decimal>& b) noexcept {
  return a.value == b.value;
}
// Does not compile: there may be no text to add.
template <class Text, Tag FieldTag>
std::string operator+(const Text&, const OptionalField<Field<FieldTag, std::string_view>>&) {
  static_assert(detail::kCompiles<Text>, "the field may be missing: test it, and then add *field");
  return {};
}
// The same with the field first.
template <Tag FieldTag, class Text>
std::string operator+(const OptionalField<Field<FieldTag, std::string_view>>&, const Text&) {
  static_assert(detail::kCompiles<Text>, "the field may be missing: test it, and then add *field");
  return {};
}

// Does not compile: a number or a date is no text.
template <detail::AddedText Text, Tag FieldTag, class Value>
  requires(!detail::kIsText<Value>)
std::string operator+(const Text&, const Field<FieldTag, Value>&) {
  static_assert(detail::kCompiles<Text>,
                "this field is no text: add to_string(field), of <nexusfix/wire/text.hpp>");
  return {};
}
// The same with the field first.
template <Tag FieldTag, class Value, detail::AddedText Text>
  requires(!detail::kIsText<Value>)
std::string operator+(const Field<FieldTag, Value>&, const Text&) {
  static_assert(detail::kCompiles<Text>,
                "this field is no text: add to_string(field), of <nexusfix/wire/text.hpp>");
  return {};
}

// A data field. It may contain any byte, also SOH, because a Length field before it says where it
// ends: `using EncodedText = wire::DataField<355, 354>;`. Writing it writes both fields.
template <Tag FieldTag, Tag LengthTag>
struct DataField : Field<FieldTag, std::string_view> {
  static constexpr Tag kLengthTag = LengthTag;  // of the Length field before it
  using Field<FieldTag, std::string_view>::Field;
  DataField() = default;
  DataField(const DataField&) = default;               // copies the view
  DataField& operator=(const DataField&) & = default;  // as that of Field
  // Does not compile: a getter's result is assigned to.
  template <class Other>
  constexpr void operator=(const Other&) const&& {
    static_cast<void>(detail::NoAssignment<DataField, Other>{});
  }
};

// The Length field of a data field. It can be read, but only its data field can be written.
template <Tag FieldTag>
struct LengthField : Field<FieldTag, std::uint64_t> {
  using Field<FieldTag, std::uint64_t>::Field;
  LengthField() = default;
  LengthField(const LengthField&) = default;               // copies the number
  LengthField& operator=(const LengthField&) & = default;  // as that of Field
  // Does not compile: a getter's result is assigned to.
  template <class Other>
  constexpr void operator=(const Other&) const&& {
    static_cast<void>(detail::NoAssignment<LengthField, Other>{});
  }
};

// The wire format of an enumeration. A generated header specialises it for each enum: `kTag`,
// `static std::string_view text(E)`, `static Converted<E> from(std::string_view)`.
template <class Enum>
struct EnumTraits;

// An enumeration of a dictionary, such as fix44::Side.
template <class T>
concept DictionaryEnum = std::is_enum_v<T> && requires { EnumTraits<T>::kTag; };

// A DataField.
template <class T>
concept DataTypedField = requires { T::kLengthTag; };

namespace detail {

template <class T>
struct IsField : std::false_type {};
template <Tag FieldTag, class Value>
struct IsField<Field<FieldTag, Value>> : std::true_type {};
template <Tag FieldTag, Tag LengthTag>
struct IsField<DataField<FieldTag, LengthTag>> : std::true_type {};
template <Tag FieldTag>
struct IsField<LengthField<FieldTag>> : std::true_type {};

}  // namespace detail

// A Field, a DataField, a LengthField or an enumeration of a dictionary.
template <class T>
concept TypedField = detail::IsField<T>::value || DictionaryEnum<T>;

// The tag of a typed field.
template <TypedField T>
[[nodiscard]] consteval Tag tag_of() {
  if constexpr (DictionaryEnum<T>) {
    return EnumTraits<T>::kTag;
  } else {
    return T::kTag;
  }
}

// The tags that are required in a message or in a group's entry, without header and trailer.
template <Tag... Tags>
struct TagList {};
// The fields as types, for code that converts the values.
template <class... Fields>
struct FieldList {};
// The fields as names, which have no definition: a compiler shows them in its errors.
template <class... Names>
struct FieldNames {};

// The entries of the groups of a message or of an entry, as types.
template <class... Entries>
struct EntryList {};

// A message to keep, M::Draft; see draft.hpp.
template <class M>
class Draft;

// A generated message. It has M::kMsgType; M::kBeginString, the value of tag 8 in such a message;
// M::kApplicationVersion, the version of its dictionary as configurations write it ("FIX.4.4",
// "FIX.5.0SP2"); M::Required (a TagList); and M::from(view), which checks once that the required
// fields are present and convertible.
template <class M>
concept TypedMessage = requires(const MessageView& view) {
  { M::kMsgType } -> std::convertible_to<std::string_view>;
  { M::kBeginString } -> std::convertible_to<std::string_view>;
  { M::kApplicationVersion } -> std::convertible_to<std::string_view>;
  typename M::Required;
  { M::from(view) } -> std::same_as<std::expected<M, FieldError>>;
};

}  // namespace nexusfix::wire
