// Formatters for std::format and for fmt of every type that text.hpp writes as text, with the
// width and alignment of a text: {:>12}. Prices, quantities and other decimals have the precision
// of a number, too: {:.2f} and {:>10.2f} round to the nearest, a tie to the even digit. std::format
// needs a library that has it (not that of g++ 12). fmt is used where the program has included
// <fmt/format.h> before this header, which includes no other library.
//
//   fmt::print("{} {:>10} at {:.2f}\n", report.side(), report.cum_qty(), report.avg_px());
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <version>

#include <nexusfix/wire/text.hpp>
#include <nexusfix/wire/values/fixed_text.hpp>

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
// Does not compile: the names of the enumeration are not included. The assertion is in the first
// function that fmt calls at compile time, because fmt's own errors would fill a page. A format
// that is known at run time only gets no error, and writes no value.
template <class T>
  requires nexusfix::wire::detail::kIsNameless<T>
struct fmt::formatter<T, char> : fmt::formatter<fmt::string_view> {
  using fmt::formatter<fmt::string_view>::parse;
  template <class Context>
    requires(!std::same_as<Context, fmt::format_parse_context>)
  constexpr auto parse(Context& context) {
    static_assert(!nexusfix::wire::detail::kIsNameless<T>,
                  "include the header with the names of the enumerations, such as "
                  "<nexusfix/fix44/enum_names.hpp>");
    return context.begin();
  }
  template <class Context>
  auto format(const T&, Context& context) const {
    return fmt::formatter<fmt::string_view>::format("(no names)", context);
  }
};
#endif
