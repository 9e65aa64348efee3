// The concepts of a typed field and of a typed message. They connect the code that is generated
// from a dictionary with the code that sends (typed_write.hpp) or receives it (typed_read.hpp). And
// dispatch(), from a message to the handler for its type: one jump over the types that a program
// lists.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/decimal.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/digits.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/message_view.hpp>

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
                                 !nexusfix::detail::Character<Value> && !WholeNumber<Value>;

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
    return !std::convertible_to<const Other&, Value> || kIsBool<Other> ||
           nexusfix::detail::Character<Other> || std::is_floating_point_v<Other>;
  } else {
    return !std::convertible_to<const Other&, Value> ||
           (nexusfix::detail::Character<Value> && !std::same_as<Other, Value>);
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

// The time of sending as the value of a field, which no clock has been read for yet: see
// Field::now().
template <class FieldType>
struct AtSending {};

}  // namespace detail

// The time of sending, once it is known.
struct SendingTime {
  WallTime time{};                                  // SendingTime (52) of the message
  TimePrecision precision = TimePrecision::Millis;  // of SendingTime
};

// A typed field: `using ClOrdID = wire::Field<11, std::string_view>;`, written ClOrdID{"A1"}.
template <Tag FieldTag, class Value>
struct NEXUSFIX_VIEW Field {
  static constexpr Tag kTag = FieldTag;  // of the field
  using ValueType = Value;               // the C++ type of the value
  Value value{};                         // a text is a view, which the caller keeps alive

  Field()
    requires(!detail::kIsTime<Value>)
  = default;
  // Without moves and with few constructors: a compiler lists each of them after `Price p = 100;`.
  Field(const Field&) = default;
  Field& operator=(const Field&) & = default;  // copies the value, to a variable only
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
    static_assert(kTakes || !nexusfix::detail::Character<Value>,
                  "this field takes one character: write 'A'");
    static_assert(kTakes || !detail::kIsOther<Value>,
                  "this field takes a time or a date: session.now(), wire::Date{2026y / 11 / 24}; "
                  "wire::convert<WallTime>(text) reads a text at run time");
  }
  // For send(): the field with the time at which the message is sent, which is its SendingTime
  // (52), and with the same precision: session.send<...>(TransactTime::now(), ...). For
  // Draft::set(): the field with the time of that call.
  [[nodiscard]] static constexpr detail::AtSending<Field> now() noexcept {
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
// The text of a field as part of a longer one: "order " + report.order_id() + " filled". Allocates.
template <detail::AddedText Text, Tag FieldTag>
[[nodiscard]] std::string operator+(const Text& text,
                                    const Field<FieldTag, std::string_view>& field) {
  return detail::joined(detail::added_text(text), field.value);
}
// A text after a field.
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

// A data field. It may contain any byte, also SOH, because a Length field before it says where it
// ends: `using EncodedText = wire::DataField<355, 354>;`. Writing it writes both fields.
template <Tag FieldTag, Tag LengthTag>
struct DataField : Field<FieldTag, std::string_view> {
  static constexpr Tag kLengthTag = LengthTag;  // of the Length field before it
  using Field<FieldTag, std::string_view>::Field;
  DataField() = default;
  DataField(const DataField&) = default;               // copies the view
  DataField& operator=(const DataField&) & = default;  // as that of Field
};

// The Length field of a data field. It can be read, but only its data field can be written.
template <Tag FieldTag>
struct LengthField : Field<FieldTag, std::uint64_t> {
  using Field<FieldTag, std::uint64_t>::Field;
  LengthField() = default;
  LengthField(const LengthField&) = default;               // copies the number
  LengthField& operator=(const LengthField&) & = default;  // as that of Field
};

// The wire format of an enumeration. A generated header specialises it for each enum: `kTag`,
// `static std::string_view text(E)`, `static Converted<E> from(std::string_view)`.
template <class Enum>
struct EnumTraits;

namespace detail {

// An enumeration of a dictionary, such as fix44::Side.
template <class T>
concept DictionaryEnum = std::is_enum_v<T> && requires { EnumTraits<T>::kTag; };

// A DataField.
template <class T>
concept DataTypedField = requires { T::kLengthTag; };

template <class T>
struct IsField : std::false_type {};
template <Tag FieldTag, class Value>
struct IsField<Field<FieldTag, Value>> : std::true_type {};
template <Tag FieldTag, Tag LengthTag>
struct IsField<DataField<FieldTag, LengthTag>> : std::true_type {};
template <Tag FieldTag>
struct IsField<LengthField<FieldTag>> : std::true_type {};

// A Field, a DataField, a LengthField or an enumeration of a dictionary.
template <class T>
concept TypedField = IsField<T>::value || DictionaryEnum<T>;

}  // namespace detail

// The tag of a typed field.
template <detail::TypedField T>
[[nodiscard]] consteval Tag tag_of() {
  if constexpr (detail::DictionaryEnum<T>) {
    return EnumTraits<T>::kTag;
  } else {
    return T::kTag;
  }
}

// A message to keep, M::Draft; see draft.hpp, which each generated message includes.
template <class M>
class Draft;
class DraftFields;
// Writes fields: encoder.hpp. Its header: header_template.hpp.
class Encoder;
struct MessageHeader;
// Changes of a message before it is sent: edit.hpp.
class FieldEdits;

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

namespace detail {

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

// The message that send() takes if the call names none.
struct NoMessage;

// The rules of a message to send: typed_write.hpp has those of a typed message. Constants and
// variable part of a prepared message are parts.
template <class M, class... Parts>
struct MessageCheck {
  static_assert(kCompiles<M>,
                "name a message whose header is included: send<fix44::NewOrderSingle>(...); a "
                "draft is sent by send(draft), a received message by send(*M::Draft::from(m))");
  static constexpr bool kDone = true;
  static constexpr bool kIsWritten = false;
};
// Writes the parts of a message, which are valid: typed_write.hpp.
template <class M, class... Parts>
struct MessageWriter;

}  // namespace detail

}  // namespace nexusfix::wire

// Fields as keys of containers of the standard library: the hashes of prices, quantities and
// numbers, and the compile-time error of a text, which is a view of its message. The error of an
// ordered container is that of the fields' operator<=>.

// Equal values have one hash, whatever their scales: 1.50 and 1.5.
template <>
struct std::hash<nexusfix::Decimal> {
  [[nodiscard]] constexpr std::size_t operator()(nexusfix::Decimal value) const noexcept {
    std::int64_t mantissa = value.mantissa();
    unsigned scale = mantissa == 0 ? 0 : value.scale();
    for (; scale > 0 && mantissa % 10 == 0; --scale) mantissa /= 10;
    // Fibonacci hashing: neighbouring prices lie in different buckets of a table of 2^n, too.
    return (static_cast<std::size_t>(mantissa) + scale) * std::size_t{0x9e37'79b9'7f4a'7c15};
  }
};
// The hash of the value.
template <nexusfix::wire::Tag FieldTag, class Value>
  requires(!std::same_as<Value, std::string_view>) &&
          requires(const Value& value) { std::hash<Value>{}(value); }
struct std::hash<nexusfix::wire::Field<FieldTag, Value>> {
  [[nodiscard]] std::size_t operator()(
      const nexusfix::wire::Field<FieldTag, Value>& field) const noexcept {
    return std::hash<Value>{}(field.value);
  }
};

// Where a typed message's fields are, so that no getter searches for them.

namespace nexusfix::wire {

namespace detail {

// The index of each required field in the message, in the order of the type's checks.
class RequiredIndexes {
 public:
  // The first kCount fields have an index here; getters search for the others.
  static constexpr std::size_t kCount = 16;
  // The index of a field that getters search for. BeginString has this index, which no type
  // requires.
  static constexpr std::size_t kUnknown = 0;

  // The index of the field with this number, which is below kCount.
  [[nodiscard]] constexpr std::size_t operator[](std::size_t number) const noexcept {
    return indexes_[number];
  }
  // Enters an index.
  constexpr void set(std::size_t number, std::size_t index) noexcept {
    indexes_[number] = static_cast<std::uint8_t>(index <= UINT8_MAX ? index : kUnknown);
  }

 private:
  alignas(16) std::array<std::uint8_t, kCount> indexes_{};
};

// Where the other fields of a message are, by a hash of their tags, for all messages with one
// sequence of tags. It never changes: typed messages point to it, on any thread.
class TagIndexes {
 public:
  // The index of tags that a search must find: nothing is known of them, or two fields share a
  // place.
  static constexpr std::size_t kUnknown = 0;
  // The message has no field with such a tag.
  static constexpr std::size_t kAbsent = 1;

  // The indexes of the messages with these keys, learned once in a process. Valid as long as that.
  // Nothing is known if there are too many sequences, or too many keys. No allocation.
  [[nodiscard]] static const TagIndexes& of(std::span<const std::uint16_t> keys) noexcept;

  // The index of the first field with this key, if the field there has the key; otherwise kAbsent,
  // kUnknown, or the index of a field with another key, which proves that the message has no such
  // field. kUnknown and kAbsent are the indexes of BeginString and BodyLength, so that one
  // comparison of keys is enough.
  [[nodiscard]] constexpr std::size_t operator[](std::uint16_t key) const noexcept {
    return indexes_[place_of(key)];
  }

 private:
  static constexpr unsigned kBits = 6;
  // With this factor, the usual fields of orders and reports rarely share a place.
  static constexpr std::uint16_t kFactor = 1'031;

  [[nodiscard]] static constexpr std::size_t place_of(std::uint16_t key) noexcept {
    return static_cast<std::uint16_t>(key * kFactor) >> (16U - kBits);
  }
  void learn(std::span<const std::uint16_t> keys) noexcept;

  std::array<std::uint8_t, std::size_t{1} << kBits> indexes_{};
};

// What a typed message knows of the places of its fields.
struct FieldIndexes {
  RequiredIndexes required;            // of the required fields
  const TagIndexes* others = nullptr;  // of the others; never null in a typed message
};

// The first tags of some messages of one type, and where their required fields are. A message that
// begins with the same tags has its fields at the same places, because each search finds the first
// field with a tag.
struct TagMemory {
  struct Slot {
    alignas(kKeysAlignment) std::array<std::uint16_t, kKeysReadable> keys{};
    FieldIndexes front;         // of messages with the keys up to the last required field
    FieldIndexes whole;         // of messages with all keys
    std::uint32_t ignored = 0;  // a bit for each key after the last required field
    std::uint32_t last = 0;     // the index of that field
    std::uint32_t beyond = 0;   // a bit for each key after the last field
    std::uint32_t count = 0;    // of the fields; 0: more than there are keys, or none
    bool is_repeated = false;   // a second message had all keys
    // The numbers of the checks of values: characters, decimals and others. Texts need none in a
    // message without a fault, because they are not empty.
    std::array<std::uint8_t, RequiredIndexes::kCount> checks{};
    std::uint8_t characters_end = 0;
    std::uint8_t decimals_end = 0;
    std::uint8_t others_end = 0;
  };
  // Messages of one type that differ usually have a different number of fields: a new order's
  // report and a fill's.
  static constexpr std::size_t kSlots = 8;

  std::array<Slot, kSlots> slots{};
  FieldIndexes not_kept;  // of the last message whose keys do not show its indexes

  [[nodiscard]] Slot& slot_of(std::size_t field_count) noexcept {
    return slots[field_count % kSlots];
  }
};

// One of each thread, so that none waits for another one's cache line.
template <class M>
inline thread_local constinit TagMemory tag_memory;

}  // namespace detail

// For messages whose other fields are searched for.
inline constexpr detail::TagIndexes kNoTagIndexes;

// What a validator knows about a sequence of tags, so that M::from() does not find it out again.

class MessageView;

namespace detail {

struct FieldCheck;

// A proof for all valid messages with one sequence of tags. Which fields such a message has, and
// where, is the same for each of them, and a validator has checked each value against its
// dictionary. So most checks of a typed message are done once for the sequence: prove() remembers
// those that are left.
//
// The memory of a validator owns it. Only the thread of that memory calls functions that are not
// const.
class FieldProof {
 public:
  // Forgets everything: another sequence of tags.
  void begin() noexcept { *this = {}; }
  // The validator checks that the field with this index, below 64, is a UTCTimestamp.
  void add_timestamp(std::size_t field) noexcept { timestamps_ |= std::uint64_t{1} << field; }
  // The validator checks that the field is one of these ASCII characters, a bit each. Ignored if
  // there are too many such fields.
  void add_characters(std::size_t field, const std::array<std::uint64_t, 2>& allowed) noexcept {
    if (characters_count_ == kCharactersMax) return;
    characters_[characters_count_++] = {static_cast<std::uint8_t>(field), allowed};
  }

  // A valid message of the sequence has passed all of the checks. Remembers those that do not
  // follow from its sequence and its validity. checks: lives as long as the program.
  void prove(const MessageView& message, std::span<const FieldCheck> checks) noexcept;
  // Whether the last valid message of the sequence passes the checks. False: that is not known.
  [[nodiscard]] bool shows(const MessageView& message,
                           std::span<const FieldCheck> checks) const noexcept {
    return checks_ == checks.data() &&
           ((has_only_open_times_ && has_usual_times_) || are_open_valid(message));
  }
  // Whether each timestamp of the last valid message is known to be of the years 2000 to 2099, in
  // milliseconds, microseconds or nanoseconds: then it is a WallTime.
  void set_usual_times(bool are_usual) noexcept { has_usual_times_ = are_usual; }
  // As set_usual_times() has set it.
  [[nodiscard]] bool has_usual_times() const noexcept { return has_usual_times_; }
  // The messages have PossDupFlag or PossResend.
  void set_flagged(bool is_flagged) noexcept { is_flagged_ = is_flagged; }
  // Whether they have.
  [[nodiscard]] bool is_flagged() const noexcept { return is_flagged_; }
  // The messages are application messages: known of their MsgType. False: ask.
  void set_application() noexcept { is_application_ = true; }
  // Whether that is known.
  [[nodiscard]] bool is_application() const noexcept { return is_application_; }
  // Where the fields of a message are that shows() is true for.
  [[nodiscard]] const FieldIndexes& indexes() const noexcept { return indexes_; }

 private:
  // A check that is made for each message.
  struct Open {
    std::uint8_t field = 0;
    std::uint8_t check = 0;  // its index
    bool is_timestamp = false;
  };
  struct Characters {
    std::uint8_t field = 0;
    std::array<std::uint64_t, 2> allowed{};
  };
  static constexpr std::size_t kCharactersMax = 6;
  static constexpr std::size_t kOpenMax = 8;

  [[nodiscard]] bool are_open_valid(const MessageView& message) const noexcept;
  [[nodiscard]] bool follows(std::size_t field, const FieldCheck& check) const noexcept;
  [[nodiscard]] bool is_timestamp(std::size_t field) const noexcept {
    return (timestamps_ >> field & 1U) != 0;
  }

  const FieldCheck* checks_ = nullptr;  // null: prove() was not called
  FieldIndexes indexes_;
  std::uint64_t timestamps_ = 0;
  std::array<Open, kOpenMax> open_{};
  std::uint8_t open_count_ = 0;
  std::uint8_t characters_count_ = 0;
  bool is_flagged_ = false;
  bool is_application_ = false;
  bool has_usual_times_ = false;
  bool has_only_open_times_ = false;  // no check is open but for those of timestamps
  std::array<Characters, kCharactersMax> characters_{};
};

}  // namespace detail

// The typed messages that a program handles: Messages<fix44::ExecutionReport, fix44::News>.
template <TypedMessage... Types>
struct Messages {};

namespace detail {

// A MsgType of one or two bytes, as all standard ones are, as a number: those bytes, and the SOH
// after a single one. 0 for all others, which are compared as text.
[[nodiscard]] constexpr std::uint32_t msg_type_key(std::string_view msg_type) noexcept {
  if (msg_type.size() - 1 >= 2) return 0;
  const char second = msg_type.size() == 2 ? msg_type[1] : kSoh;
  return static_cast<unsigned char>(msg_type[0]) | std::uint32_t{static_cast<unsigned char>(second)}
                                                       << 8U;
}

template <class M>
inline constexpr std::uint32_t kTypeKey = msg_type_key(M::kMsgType);

template <class M>
[[nodiscard]] bool is_type(std::string_view msg_type) noexcept {
  return kTypeKey<M> != 0 || msg_type == M::kMsgType;
}

// The typed view of a message that is_proven(): typed_read.hpp.
template <class M>
[[nodiscard]] M proven_message(const MessageView& message) noexcept;

template <class R, class M, class Visitor>
NEXUSFIX_ALWAYS_INLINE R visit_typed(const MessageView& message, Visitor& visitor) {
  constexpr bool kHasProof = requires { typename M::RequiredFields; };
  if constexpr (kHasProof) {
    if (M::is_proven(message)) [[likely]]
      return visitor(proven_message<M>(message));
  }
  const auto typed = M::from(message);
  if (!typed) [[unlikely]]
    return visitor(message, typed.error());
  if constexpr (kHasProof) M::prove(message);
  return visitor(*typed);
}

// The first of Candidates that has this key and this version.
template <std::uint32_t Key, class R, class IsVersion, class Visitor>
R visit_key(Messages<>, const MessageView& message, const IsVersion&, Visitor& visitor) {
  return visitor(message);
}
template <std::uint32_t Key, class R, class M, class... Others, class IsVersion, class Visitor>
R visit_key(Messages<M, Others...>, const MessageView& message, const IsVersion& is_version,
            Visitor& visitor) {
  if constexpr (kTypeKey<M> == Key) {
    if (is_type<M>(message.msg_type()) && is_version.template operator()<M>()) {
      return visit_typed<R, M>(message, visitor);
    }
  }
  return visit_key<Key, R>(Messages<Others...>{}, message, is_version, visitor);
}

// Comparisons of one number with constants, which compilers turn into a switch. For 8 and for 32
// types that was faster than a jump through a perfect hash table of functions, and than a
// std::variant of the types.
template <class R, class All, class IsVersion, class Visitor>
NEXUSFIX_ALWAYS_INLINE R jump(Messages<>, All, std::uint32_t, const MessageView& message,
                              const IsVersion&, Visitor& visitor) {
  return visitor(message);
}
template <class R, class M, class... Others, class All, class IsVersion, class Visitor>
NEXUSFIX_ALWAYS_INLINE R jump(Messages<M, Others...>, All all, std::uint32_t key,
                              const MessageView& message, const IsVersion& is_version,
                              Visitor& visitor) {
  if (key == kTypeKey<M>) return visit_key<kTypeKey<M>, R>(all, message, is_version, visitor);
  return jump<R>(Messages<Others...>{}, all, key, message, is_version, visitor);
}

inline constexpr std::string_view kTransportVersion = "FIXT.1.1";

// For a message of FIXT 1.1 with an ApplVerID (1128): whether it names M's version.
template <class M>
[[nodiscard]] std::optional<bool> names_version(const MessageView& message) noexcept {
  const auto appl_ver_id = message[tag::ApplVerID];
  if (!appl_ver_id) return std::nullopt;
  return application_version(*appl_ver_id) == std::string_view{M::kApplicationVersion};
}

// The version that the message itself names.
struct OwnVersion {
  const MessageView& message;

  template <class M>
  [[nodiscard]] bool operator()() const noexcept {
    if (message.begin_string() != std::string_view{M::kBeginString}) return false;
    if constexpr (M::kBeginString != kTransportVersion) return true;
    return names_version<M>(message).value_or(true);
  }
};

// Whether it is the version of M's dictionary, compared as a character if it can be.
template <class M>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE bool is_version_of(const NamedVersion& version) noexcept {
  constexpr char kApplVerID = appl_ver_id(M::kApplicationVersion);
  if constexpr (kApplVerID != 0) return version.appl_ver_id == kApplVerID;
  return version.name == std::string_view{M::kApplicationVersion};
}
template <class M>
[[nodiscard]] bool is_version_of(std::string_view version) noexcept {
  return version == std::string_view{M::kApplicationVersion};
}

// The version of the session, unless the message names another one. Version: a std::string_view or
// a NamedVersion.
template <class Version>
struct GivenVersion {
  const MessageView& message;
  const Version& version;

  template <class M>
  [[nodiscard]] bool operator()() const noexcept {
    const bool given = is_version_of<M>(version);
    if constexpr (M::kBeginString != kTransportVersion) return given;
    return names_version<M>(message).value_or(given);
  }
};

template <class... Types, class IsVersion, class Visitor>
decltype(auto) dispatch(Messages<Types...> types, const MessageView& message,
                        const IsVersion& is_version, Visitor& visitor) {
  static_assert(std::invocable<Visitor&, const MessageView&>,
                "the visitor lacks a function (view) for the other messages");
  if constexpr (std::invocable<Visitor&, const MessageView&>) {
    using R = std::invoke_result_t<Visitor&, const MessageView&>;
    constexpr bool kTakesTypes = (std::is_invocable_r_v<R, Visitor&, const Types&> && ...);
    constexpr bool kTakesErrors =
        std::is_invocable_r_v<R, Visitor&, const MessageView&, const FieldError&>;
    static_assert(kTakesTypes, "the visitor lacks a function for one of the listed messages");
    static_assert(kTakesErrors,
                  "the visitor lacks a function (view, error) for a listed message with an error");
    if constexpr (kTakesTypes && kTakesErrors) {
      return jump<R>(types, types, msg_type_key(message.msg_type()), message, is_version, visitor);
    }
  }
}

}  // namespace detail

// Calls one function of the visitor and returns its result:
//   visitor(const M&)                                M of Types, if the message is one
//   visitor(const MessageView&, const FieldError&)   it is one, but M::from() has this error
//   visitor(const MessageView&)                      every other message
// A listed type matches only if the message has its version, too: BeginString, and ApplVerID (1128)
// on sessions of FIXT 1.1. No allocation. Exceptions of the visitor pass through.
template <TypedMessage... Types, class Visitor>
decltype(auto) dispatch(const MessageView& message, Visitor&& visitor) {
  return detail::dispatch(Messages<Types...>{}, message, detail::OwnVersion{message}, visitor);
}

// For a session whose version is known: "FIX.4.4", "FIX.5.0SP2". In a message of FIXT 1.1,
// an ApplVerID (1128) overrides it.
template <TypedMessage... Types, class Visitor>
decltype(auto) dispatch(Messages<Types...> types, std::string_view version,
                        const MessageView& message, Visitor&& visitor) {
  return detail::dispatch(types, message, detail::GivenVersion<std::string_view>{message, version},
                          visitor);
}

// For a session that has the ApplVerID of its version.
template <TypedMessage... Types, class Visitor>
decltype(auto) dispatch(Messages<Types...> types, const detail::NamedVersion& version,
                        const MessageView& message, Visitor&& visitor) {
  return detail::dispatch(types, message,
                          detail::GivenVersion<detail::NamedVersion>{message, version}, visitor);
}

}  // namespace nexusfix::wire
