// Fields: tags, the bytes of values, errors of a read, and the tags and versions of FIX that have a
// meaning for the session layer.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/base/language.hpp>

// A field: a tag and the bytes of its value, and the errors of a read, an encoder and a draft.

namespace nexusfix {

// Whether text.hpp formats a type of another layer, by its to_string(). Its header says so.
template <class T>
inline constexpr bool kIsPrinted = false;

}  // namespace nexusfix

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

namespace detail {

// An enumeration of integers, such as fix44::OrdRejReason. Its enumerators have the numbers of FIX:
// OrdRejReason{3} is made of a number, and std::to_underlying(reason) is the number.
template <class T>
concept IntegerEnumeration =
    std::is_enum_v<T> && std::same_as<std::underlying_type_t<T>, std::int64_t>;

}  // namespace detail

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

// Why a message cannot be encoded.
enum class EncodeErrorCode : std::uint8_t {
  BufferFull,        // the message does not fit into the buffer
  SohInValue,        // a value that is not a data field contains SOH
  EmptyValue,        // the value is empty, which FIX does not allow
  TagInvalid,        // 0 or above kTagMax, or a field that the encoder writes itself (8, 9, 10, 35)
  ValueOutOfRange,   // not a date, or a time of day beyond the day
  MessageMalformed,  // resend_copy: the message to copy was not made by an Encoder
  GroupCountWrong,   // the entries of a repeating group do not match its count, or one is empty
};

// The first error of a message that cannot be encoded.
struct EncodeError {
  EncodeErrorCode code = EncodeErrorCode::BufferFull;  // what is not possible
  Tag tag = 0;                                         // of the field that failed first
};

// The error as a text for a log. It lives as long as the program.
[[nodiscard]] std::string_view to_string(EncodeErrorCode code) noexcept;

// The error of an edit or of validate(). Trivially copyable.
struct DraftError {
  // Why a draft was not changed, or why it is not a valid message.
  enum class Code : std::uint8_t {
    FieldMissing,     // the dictionary requires the field
    EmptyValue,       // FIX has no field without a value
    SohInValue,       // SOH in a value that is not a data field
    ValueMalformed,   // not of the field's type
    ValueOutOfRange,  // not a value of the enumeration, not a date, or not a time of the day
    TagInvalid,  // not a tag, a field that the engine writes, or one that only its type can set
    FieldNotInMessage,  // the dictionary does not have the field here
    FieldTwice,         // the field is there twice
    NoEntry,            // the group has no entry of this number
    GroupCountWrong,    // the count field does not announce the entries that follow
    OtherType,          // a message of another type
    MessageMalformed,   // a fault that the parser found, or a Length field without its data field
    TooLong,            // longer than kDraftBytesMax
  };
  Code code = Code::FieldMissing;  // the error
  Tag tag = 0;                     // of the field; 0: of none
  std::string_view name{};         // of a required field; lives as long as the program
  Tag group = 0;                   // the count field of the group around the field; 0: none
  std::uint32_t entry = 0;         // the number of the entry in that group, from 0 on
  // One sentence for people, such as "OrdType (40): the required field is missing".
  [[nodiscard]] std::string what() const;
  // what() as a function.
  friend std::string to_string(const DraftError& error) { return error.what(); }
  // Writes what() to a std::ostream.
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const DraftError& error) {
    return out << std::string_view{error.what()};
  }
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

// What `Value value = order.price();` would convert to, with one condition: a compiler lists all.
template <class T, class Value>
inline constexpr bool kIsValueOf = std::same_as<Value, T>;
template <class T, class Value>
  requires HasValueType<T>
inline constexpr bool kIsValueOf<T, Value> =
    std::same_as<Value, T> || std::same_as<Value, typename T::ValueType> ||
    (std::same_as<typename T::ValueType, std::string_view> &&
     requires {  // std::string, too, but no std::wstring: std::stoi() takes both
       requires std::same_as<typename Value::traits_type, std::string_view::traits_type>;
     });
template <class T, class Value>
concept IsValueOf = kIsValueOf<T, Value>;

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
    } else if constexpr (detail::IntegerEnumeration<T> && WholeNumber<Other>) {
      return this->has_value() ? std::to_underlying(**this) : static_cast<std::int64_t>(other);
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
  // Does not compile: `Price price = order.price();` would forget that the field may be missing.
  template <class Value>
    requires detail::IsValueOf<T, Value>
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

// The tags that the session layer itself reads and writes: standard header, standard trailer and
// administrative messages of FIX 4.0 to FIXT 1.1. The generated headers define all other tags.
// First come the tags of the header, in their required order and then by number, then those of the
// trailer and of administrative messages.

namespace nexusfix::tag {

inline constexpr wire::Tag BeginString = 8;               // "FIX.4.4", "FIXT.1.1", ...
inline constexpr wire::Tag BodyLength = 9;                // bytes after it, before CheckSum
inline constexpr wire::Tag MsgType = 35;                  // A: Logon; D: NewOrderSingle; ...
inline constexpr wire::Tag MsgSeqNum = 34;                // 1 or higher
inline constexpr wire::Tag PossDupFlag = 43;              // Y: possible repeat of its MsgSeqNum
inline constexpr wire::Tag SenderCompID = 49;             // the firm that sends
inline constexpr wire::Tag SenderSubID = 50;              // a desk or trader of the sender
inline constexpr wire::Tag SendingTime = 52;              // when the message is sent, in UTC
inline constexpr wire::Tag TargetCompID = 56;             // the firm that receives
inline constexpr wire::Tag TargetSubID = 57;              // a desk or trader of the receiver
inline constexpr wire::Tag SecureDataLen = 90;            // bytes of SecureData
inline constexpr wire::Tag SecureData = 91;               // an encrypted part of the message
inline constexpr wire::Tag PossResend = 97;               // Y: perhaps sent with another MsgSeqNum
inline constexpr wire::Tag OnBehalfOfCompID = 115;        // the firm that a third party sends for
inline constexpr wire::Tag OnBehalfOfSubID = 116;         // a desk or trader of that firm
inline constexpr wire::Tag OrigSendingTime = 122;         // SendingTime of the first transmission
inline constexpr wire::Tag DeliverToCompID = 128;         // the firm that a third party sends to
inline constexpr wire::Tag DeliverToSubID = 129;          // a desk or trader of that firm
inline constexpr wire::Tag SenderLocationID = 142;        // a place of the sender
inline constexpr wire::Tag TargetLocationID = 143;        // a place of the receiver
inline constexpr wire::Tag OnBehalfOfLocationID = 144;    // a place of OnBehalfOfCompID
inline constexpr wire::Tag DeliverToLocationID = 145;     // a place of DeliverToCompID
inline constexpr wire::Tag XmlDataLen = 212;              // bytes of XmlData
inline constexpr wire::Tag XmlData = 213;                 // an XML document, such as FIXML
inline constexpr wire::Tag MessageEncoding = 347;         // character set of the Encoded fields
inline constexpr wire::Tag LastMsgSeqNumProcessed = 369;  // last MsgSeqNum that was processed
inline constexpr wire::Tag OnBehalfOfSendingTime = 370;   // when OnBehalfOfCompID sent it
inline constexpr wire::Tag NoHops = 627;                  // number of hops: third parties
inline constexpr wire::Tag HopCompID = 628;               // the third party that forwards it
inline constexpr wire::Tag HopSendingTime = 629;          // when the third party forwards it
inline constexpr wire::Tag HopRefID = 630;                // its MsgSeqNum at the third party
inline constexpr wire::Tag ApplVerID = 1128;              // on FIXT 1.1; 9: FIX 5.0 SP2
inline constexpr wire::Tag CstmApplVerID = 1129;          // a version by agreement
inline constexpr wire::Tag ApplExtID = 1156;              // an extension pack

inline constexpr wire::Tag CheckSum = 10;         // sum of all bytes before it, modulo 256
inline constexpr wire::Tag Signature = 89;        // an electronic signature
inline constexpr wire::Tag SignatureLength = 93;  // bytes of Signature

inline constexpr wire::Tag BeginSeqNo = 7;                  // first MsgSeqNum to resend
inline constexpr wire::Tag EndSeqNo = 16;                   // last one to resend; 0: no end
inline constexpr wire::Tag NewSeqNo = 36;                   // next MsgSeqNum after a SequenceReset
inline constexpr wire::Tag RefSeqNum = 45;                  // MsgSeqNum of the rejected message
inline constexpr wire::Tag Text = 58;                       // free text
inline constexpr wire::Tag RawDataLength = 95;              // bytes of RawData
inline constexpr wire::Tag RawData = 96;                    // data that authenticates a Logon
inline constexpr wire::Tag EncryptMethod = 98;              // 0: none
inline constexpr wire::Tag HeartBtInt = 108;                // heartbeat interval in seconds
inline constexpr wire::Tag TestReqID = 112;                 // text that the Heartbeat repeats
inline constexpr wire::Tag GapFillFlag = 123;               // Y: GapFill; N: Reset
inline constexpr wire::Tag ResetSeqNumFlag = 141;           // Y: sequence numbers become 1
inline constexpr wire::Tag EncodedTextLen = 354;            // bytes of EncodedText
inline constexpr wire::Tag EncodedText = 355;               // Text, in MessageEncoding
inline constexpr wire::Tag RefTagID = 371;                  // tag of the rejected field
inline constexpr wire::Tag RefMsgType = 372;                // MsgType that an entry refers to
inline constexpr wire::Tag SessionRejectReason = 373;       // why a Reject rejects
inline constexpr wire::Tag BusinessRejectRefID = 379;       // ID within the rejected message
inline constexpr wire::Tag BusinessRejectReason = 380;      // why a BusinessMessageReject rejects
inline constexpr wire::Tag MaxMessageSize = 383;            // in bytes
inline constexpr wire::Tag NoMsgTypes = 384;                // number of MsgTypes in a Logon
inline constexpr wire::Tag MsgDirection = 385;              // S: sent; R: received
inline constexpr wire::Tag TestMessageIndicator = 464;      // Y: a test session
inline constexpr wire::Tag Username = 553;                  // name that authenticates a Logon
inline constexpr wire::Tag Password = 554;                  // in plain text
inline constexpr wire::Tag NextExpectedMsgSeqNum = 789;     // next MsgSeqNum that is expected
inline constexpr wire::Tag NewPassword = 925;               // in plain text; replaces Password
inline constexpr wire::Tag RefApplVerID = 1130;             // ApplVerID of RefMsgType
inline constexpr wire::Tag RefCstmApplVerID = 1131;         // CstmApplVerID of RefMsgType
inline constexpr wire::Tag DefaultApplVerID = 1137;         // for messages without ApplVerID
inline constexpr wire::Tag EncryptedPasswordMethod = 1400;  // how the passwords are encrypted
inline constexpr wire::Tag EncryptedPasswordLen = 1401;     // bytes of EncryptedPassword
inline constexpr wire::Tag EncryptedPassword = 1402;        // replaces Password
inline constexpr wire::Tag EncryptedNewPasswordLen = 1403;  // bytes of EncryptedNewPassword
inline constexpr wire::Tag EncryptedNewPassword = 1404;     // replaces NewPassword
inline constexpr wire::Tag RefApplExtID = 1406;             // ApplExtID of RefMsgType
inline constexpr wire::Tag DefaultApplExtID = 1407;         // for messages without ApplExtID
inline constexpr wire::Tag DefaultCstmApplVerID = 1408;     // for messages without CstmApplVerID
inline constexpr wire::Tag SessionStatus = 1409;            // answer to a Logon, as a number

}  // namespace nexusfix::tag

// The versions that an ApplVerID can name.

namespace nexusfix::wire {

// The names as configurations write them. The first one is ApplVerID "2". Values: FIX 5.0 SP2,
// field 1128.
inline constexpr std::array<std::string_view, 8> kApplicationVersions{
    "FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4", "FIX.5.0", "FIX.5.0SP1", "FIX.5.0SP2"};
// The ApplVerID of the first of kApplicationVersions.
inline constexpr char kFirstApplVerID = '2';
// The ApplVerID of the last of kApplicationVersions: '9'.
inline constexpr char kLastApplVerID =
    static_cast<char>(kFirstApplVerID + kApplicationVersions.size() - 1);

// The version that an ApplVerID (1128) or DefaultApplVerID (1137) selects, as one digit: '2' to
// '9'. "10" is FIX Latest, which is FIX 5.0 SP2 with all extension packs; it selects the newest
// version here, as does any later version of two digits. 0: no version.
[[nodiscard]] constexpr char known_appl_ver_id(std::string_view appl_ver_id) noexcept {
  const auto is_digit = [](char c, char from) { return c >= from && c <= '9'; };
  if (appl_ver_id.size() == 1 && is_digit(appl_ver_id[0], kFirstApplVerID)) return appl_ver_id[0];
  const bool is_later =
      appl_ver_id.size() == 2 && is_digit(appl_ver_id[0], '1') && is_digit(appl_ver_id[1], '0');
  return is_later ? kLastApplVerID : '\0';
}

// The version that an ApplVerID or DefaultApplVerID selects: "FIX.5.0SP2" for "9" and for "10".
// Empty: no version.
[[nodiscard]] constexpr std::string_view application_version(
    std::string_view appl_ver_id) noexcept {
  const char known = known_appl_ver_id(appl_ver_id);
  if (known == 0) return {};
  return kApplicationVersions[static_cast<std::size_t>(known - kFirstApplVerID)];
}

// The reverse: '9' for "FIX.5.0SP2"; 0 for a text that is not an application version.
[[nodiscard]] constexpr char appl_ver_id(std::string_view application) noexcept {
  for (std::size_t i = 0; i < kApplicationVersions.size(); ++i) {
    if (kApplicationVersions[i] == application) return static_cast<char>(kFirstApplVerID + i);
  }
  return 0;
}

namespace detail {

// The name of a version with its ApplVerID, by which it is compared.
struct NamedVersion {
  std::string_view name;  // such as "FIX.4.4"; static lifetime
  char appl_ver_id = 0;   // 0: no ApplVerID selects it
};

}  // namespace detail

// The version of this name, which must have static lifetime.
[[nodiscard]] constexpr detail::NamedVersion named_version(std::string_view name) noexcept {
  return {name, appl_ver_id(name)};
}

// Which Length field announces which data field. The value of a data field may contain SOH and `=`,
// so a parser must know the pairs to find the end of such a field.

// The data field that a Length field of FIX 4.0 to 5.0 SP2 announces; 0: length_tag is none. One
// load, to be asked for each field of a message.
[[nodiscard]] Tag standard_data_tag(Tag length_tag) noexcept;

// The pairs that a parser knows. A dictionary can extend them. A value type: any number of threads
// may read it.
class DataFieldTable {
 public:
  // A Length field and the data field that follows it.
  struct Pair {
    Tag length = 0;  // tag of the Length field
    Tag data = 0;    // tag of the data field
  };
  // The pairs of FIX 4.0 to 5.0 SP2.
  [[nodiscard]] static DataFieldTable standard();
  // Replaces an earlier pair with the same Length field.
  void add(Pair pair);
  // Adds many pairs at once. Of several with the same Length field, the last one counts. O(n log
  // n).
  void add(std::span<const Pair> pairs);
  // All pairs, by ascending tag of the Length field. The span is valid until the next add().
  [[nodiscard]] std::span<const Pair> pairs() const noexcept { return pairs_; }
  // The data field that this Length field announces; nothing if length_tag is no Length field.
  [[nodiscard]] std::optional<Tag> data_tag_for(Tag length_tag) const noexcept;
  // The Length field that announces this data field; nothing if data_tag is no data field.
  [[nodiscard]] std::optional<Tag> length_tag_for(Tag data_tag) const noexcept;

 private:
  std::vector<Pair> pairs_;  // sorted by length tag
};

// SessionRejectReason (373). An enumerator's value is the number in the field.
enum class SessionRejectReason : std::uint8_t {
  InvalidTagNumber = 0,                // the tag is not a valid number
  RequiredTagMissing = 1,              // the message lacks a required field
  TagNotDefinedForMsgType = 2,         // the dictionary has the field, but not in this message
  UndefinedTag = 3,                    // the dictionary does not have the field
  TagWithoutValue = 4,                 // the value is empty
  ValueIncorrect = 5,                  // the value is not in the field's range or enumeration
  IncorrectDataFormat = 6,             // the value is not of the type of the field
  DecryptionProblem = 7,               // encrypted data cannot be read
  SignatureProblem = 8,                // the Signature (89) is invalid
  CompIdProblem = 9,                   // a CompID is not that of the session
  SendingTimeAccuracyProblem = 10,     // SendingTime (52) differs too much from the clock
  InvalidMsgType = 11,                 // MsgType (35) is not one of the dictionary
  XmlValidationError = 12,             // XmlData (213) is invalid
  TagAppearsMoreThanOnce = 13,         // a field is there twice outside of a group
  TagOutOfRequiredOrder = 14,          // a field of the header or trailer is in the wrong place
  GroupFieldsOutOfOrder = 15,          // the fields of a group's entry are in the wrong order
  IncorrectNumInGroupCount = 16,       // a count field is not the number of entries
  SohInValue = 17,                     // a value that is not a data field contains SOH
  UnsupportedApplicationVersion = 18,  // ApplVerID (1128) is not one of the session
  Other = 99,                          // see Text (58)
};

}  // namespace nexusfix::wire
