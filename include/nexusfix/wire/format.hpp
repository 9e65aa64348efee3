// Formatters for std::format and for fmt of every type that text.hpp writes as text, with the
// width, alignment and precision of a text: {:>12}. std::format needs a library that has it (not
// that of g++ 12). fmt is used where the program has included <fmt/format.h> before this header,
// which includes no other library.
//
//   fmt::print("{} {:>10} at {}\n", report.side(), report.cum_qty(), report.avg_px());
#pragma once

#include <concepts>
#include <version>

#include <nexusfix/wire/text.hpp>

#ifdef __cpp_lib_format
#include <format>

template <class T>
  requires nexusfix::kHasText<T>
struct std::formatter<T> : std::formatter<std::string_view> {
  // Writes to_string(value).
  template <class Context>
  auto format(const T& value, Context& context) const {
    return std::formatter<std::string_view>::format(nexusfix::detail::text_of(value), context);
  }
};
#endif

#ifdef FMT_VERSION
template <class T>
  requires nexusfix::kHasText<T>
struct fmt::formatter<T, char> : fmt::formatter<fmt::string_view> {
  // Writes to_string(value).
  template <class Context>
  auto format(const T& value, Context& context) const {
    const auto text = nexusfix::detail::text_of(value);
    return fmt::formatter<fmt::string_view>::format({text.data(), text.size()}, context);
  }
};
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
