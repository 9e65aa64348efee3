// Values, messages and errors as text, for logs and people. Not for the wire, which Encoder writes,
// and not for the path of a message: each function allocates. A header of its own, so that only
// programs that print compile it. format.hpp has the same for std::format and fmt.
//
//   to_string(order.price())      150.25, or: field 44 is missing
//   to_string(report.side())      BUY (1)       with <nexusfix/fix44/enum_names.hpp>
//   to_string(report)             8=FIX.4.4|9=176|35=8|...|10=043|
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/base/fixed_price.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/wire/header_template.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/parser.hpp>
#include <nexusfix/wire/typed/field.hpp>
#include <nexusfix/wire/typed/field_text.hpp>
#include <nexusfix/wire/typed/typed.hpp>
#include <nexusfix/wire/typed/typed_read.hpp>
#include <nexusfix/wire/values/tag_prefix.hpp>
#include <nexusfix/wire/values/times.hpp>

namespace nexusfix {

// The digits without trailing zeros: 150.25.
[[nodiscard]] std::string to_string(FixedPrice value);
// As to_string(WallTime), with 12 digits if it has picoseconds.
[[nodiscard]] std::string to_string(const PicoTime& time);

namespace wire {

template <class M>
class Draft;
struct DraftError;

// "field 58: empty value".
[[nodiscard]] std::string to_string(const EncodeError& error);
// "CheckSum is wrong at byte 170".
[[nodiscard]] std::string to_string(const ParseError& error);

// The message in one line, as it was sent, with | for SOH: the form in which desks search logs
// (55=AAPL) and which they paste into FIX tools. It needs no dictionary and leaves out nothing but
// passwords, which become ***. Bytes that could steer a terminal or end the line are written as
// \x1B. dictionary::explain() has the names of the fields.
[[nodiscard]] std::string to_string(const MessageView& message);
// One field of a message with this MsgType (35) as to_string() of the message has it: "55=AAPL|".
void append_field(std::string& to, const FieldView& field, std::string_view msg_type);

// The whole message; see MessageView.
template <class Message>
[[nodiscard]] std::string to_string(const TypedMessageView<Message>& message) {
  return to_string(message.view());
}

}  // namespace wire

namespace detail {

template <class T, class... Types>
inline constexpr bool kIsOneOf = (std::same_as<T, Types> || ...);

}  // namespace detail

// Whether format.hpp formats the type, by its to_string().
template <class T>
inline constexpr bool kHasText =
    kIsPrinted<T> || wire::detail::IsField<T>::value || wire::NamedEnum<T> ||
    (wire::detail::kIsOptionalField<T> && !wire::detail::kIsNameless<T>) ||
    detail::kIsOneOf<T, Decimal, FixedPrice, CheckedDecimal, PicoTime, wire::MessageView,
                     wire::FieldErrorCode, wire::FieldError, wire::EncodeErrorCode,
                     wire::EncodeError, wire::GarbledReason, wire::ParseError, wire::DraftError>;
// Typed messages, too.
template <class T>
  requires std::derived_from<T, wire::TypedMessageView<T>>
inline constexpr bool kHasText<T> = true;
template <class M>
inline constexpr bool kHasText<wire::Draft<M>> = true;

namespace detail {

// to_string(), also where a library has a function of that name.
template <class T>
  requires kHasText<T>
[[nodiscard]] auto text_of(const T& value) {
  return to_string(value);
}

}  // namespace detail
}  // namespace nexusfix
