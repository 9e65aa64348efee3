// Values, messages and errors as text, for logs and people. Not for the wire, which Encoder writes,
// and not for the path of a message: each function allocates. A header of its own, so that only
// programs that print compile it. std::format and fmt print the same texts.
//
//   to_string(order.price())      150.25, or: field 44 is missing
//   to_string(report.side())      BUY (1)       with <nexusfix/fix44/enum_names.hpp>
//   to_string(report)             8=FIX.4.4|9=176|35=8|...|10=043|
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <version>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/decimal.hpp>
#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/field_text.hpp>
#include <nexusfix/wire/header_template.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/parser.hpp>
#include <nexusfix/wire/typed.hpp>
#include <nexusfix/wire/typed_read.hpp>

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
// \x1B. `nexusfix decode` shows the names of the fields.
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

// Whether std::format and fmt print the type, by its to_string().
template <class T>
inline constexpr bool kHasText =
    kIsPrinted<T> || wire::detail::IsField<T>::value || wire::detail::NamedEnum<T> ||
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

// Decimals with a fixed number of digits after the point, for people: {:.2f} and {:10.2f}.

namespace nexusfix::wire {

// The value with this number of digits after the point, at most kFixedDigitsMax. Rounds to the
// nearest; a tie goes to the even digit, as in printf(): 0.125 is 0.12. Allocates. Not for the
// wire, where a price has its own digits.
[[nodiscard]] std::string to_fixed(Decimal value, unsigned digits);
// The most digits of to_fixed(): more are not written.
inline constexpr unsigned kFixedDigitsMax = 64;

namespace detail {

// What a format says of a decimal: [[fill]align][sign][0][width][.precision][f].
struct FixedFormat {
  bool is_fixed = false;  // otherwise it is the format of a text
  bool has_digits = false;
  char fill = ' ';
  char align = '>';
  char sign = '-';
  unsigned width = 0;
  unsigned digits = 0;
};

[[nodiscard]] constexpr bool is_alignment(char c) noexcept {
  return c == '<' || c == '>' || c == '^';
}

// A number of at most three digits.
template <class Iterator>
[[nodiscard]] constexpr unsigned read_number(Iterator& at, Iterator end) noexcept {
  unsigned number = 0;
  for (int i = 0; i < 3 && at != end && *at >= '0' && *at <= '9'; ++i, ++at) {
    number = number * 10 + static_cast<unsigned>(*at - '0');
  }
  return number;
}

// Reads a format with a precision or with f. Of any other one the result is begin, and the format
// is that of a text.
template <class Iterator>
[[nodiscard]] constexpr Iterator read_fixed_format(Iterator begin, Iterator end,
                                                   FixedFormat& format) noexcept {
  FixedFormat read;
  Iterator at = begin;
  if (end - at >= 2 && is_alignment(at[1]) && at[0] != '{') {
    read.fill = at[0];
    read.align = at[1];
    at += 2;
  } else if (at != end && is_alignment(*at)) {
    read.align = *at++;
  }
  if (at != end && (*at == '+' || *at == '-' || *at == ' ')) read.sign = *at++;
  if (at != end && *at == '0') {
    read.fill = '0';
    ++at;
  }
  read.width = read_number(at, end);
  if (at != end && *at == '.') {
    if (++at == end || *at < '0' || *at > '9') return begin;
    read.has_digits = true;
    read.digits = read_number(at, end);
  }
  read.is_fixed = read.has_digits;
  if (at != end && (*at == 'f' || *at == 'F')) {
    read.is_fixed = true;
    ++at;
  }
  if (!read.is_fixed || (at != end && *at != '}')) return begin;
  format = read;
  return at;
}

// The value in this format, with its width.
[[nodiscard]] std::string fixed_text(Decimal value, const FixedFormat& format);
// A text in place of a value, with the width of the format.
[[nodiscard]] std::string fixed_text(std::string text, const FixedFormat& format);

}  // namespace detail
}  // namespace nexusfix::wire

// Formatters for std::format and for fmt of every type that text.hpp writes as text, with the
// width and alignment of a text: {:>12}. Prices, quantities and other decimals have the precision
// of a number, too: {:.2f} and {:>10.2f} round to the nearest, a tie to the even digit. std::format
// needs a library that has it (not that of g++ 12). fmt is used where the program has included
// <fmt/format.h> before this header, which includes no other library.
//
//   fmt::print("{} {:>10} at {:.2f}\n", report.side(), report.cum_qty(), report.avg_px());

namespace nexusfix::detail {

template <class T>
inline constexpr bool kIsDecimalText =
    DecimalField<T> || kIsOneOf<T, Decimal, FixedPrice, CheckedDecimal>;
template <class T>
inline constexpr bool kIsDecimalText<wire::OptionalField<T>> = kIsDecimalText<T>;

// The text of a decimal in a format; of an error, its own text.
template <class T>
[[nodiscard]] std::string fixed_text_of(const T& value, const wire::detail::FixedFormat& format) {
  if constexpr (wire::detail::kIsOptionalField<T>) {
    return value ? fixed_text_of(*value, format) : wire::detail::fixed_text(text_of(value), format);
  } else if constexpr (std::same_as<T, CheckedDecimal>) {
    return value ? fixed_text_of(*value, format) : wire::detail::fixed_text(text_of(value), format);
  } else if constexpr (std::same_as<T, FixedPrice>) {
    return wire::detail::fixed_text(value.to_decimal(), format);
  } else {
    return wire::detail::fixed_text(Decimal{value}, format);
  }
}

// A formatter of values by that of texts.
template <class T, class TextFormatter>
struct ValueFormatter : TextFormatter {
  // Writes to_string(value).
  template <class Context>
  auto format(const T& value, Context& context) const {
    const auto text = text_of(value);
    return TextFormatter::format({text.data(), text.size()}, context);
  }
};
template <class T, class TextFormatter>
  requires kIsDecimalText<T>
struct ValueFormatter<T, TextFormatter> : TextFormatter {
  // Reads a format with a precision; any other one is that of a text.
  template <class Context>
  constexpr auto parse(Context& context) {
    const auto end = wire::detail::read_fixed_format(context.begin(), context.end(), format_);
    return format_.is_fixed ? end : TextFormatter::parse(context);
  }
  // Writes to_string(value), or its digits in the format.
  template <class Context>
  auto format(const T& value, Context& context) const {
    const auto text = format_.is_fixed ? fixed_text_of(value, format_) : text_of(value);
    return TextFormatter::format({text.data(), text.size()}, context);
  }

 private:
  wire::detail::FixedFormat format_;
};

}  // namespace nexusfix::detail

#ifdef __cpp_lib_format
#include <format>

template <class T>
  requires nexusfix::kHasText<T>
struct std::formatter<T> : nexusfix::detail::ValueFormatter<T, std::formatter<std::string_view>> {};
#endif

#ifdef FMT_VERSION
template <class T>
  requires nexusfix::kHasText<T>
struct fmt::formatter<T, char>
    : nexusfix::detail::ValueFormatter<T, fmt::formatter<fmt::string_view>> {};
#endif
