// A text as a value of a type that the caller names.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include <nexusfix/wire/values/conversions.hpp>

namespace nexusfix::wire {

namespace detail {

template <class T, TextFront Front>
[[nodiscard, gnu::always_inline]] inline Converted<T> inlined_convert(
    std::string_view text) noexcept {
  if constexpr (std::is_same_v<T, std::string_view>) {
    if (text.empty()) return std::unexpected{FieldErrorCode::Empty};
    return text;
  } else if constexpr (std::is_same_v<T, char>) {
    return to_char(text);
  } else if constexpr (std::is_same_v<T, bool>) {
    return to_bool(text);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return to_int<Front>(text);
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return to_uint<Front>(text);
  } else if constexpr (std::is_same_v<T, Decimal>) {
    return inlined_decimal<Front>(text);
  } else if constexpr (std::is_same_v<T, FixedPrice>) {
    return to_fixed_price<Front>(text);
  } else if constexpr (std::is_same_v<T, WallTime>) {
    return to_utc_timestamp(text);
  } else if constexpr (std::is_same_v<T, PicoTime>) {
    return to_pico_time(text);
  } else if constexpr (std::is_same_v<T, Date>) {
    return to_date(text);
  } else {
    constexpr bool kIsRead = std::is_same_v<T, TimeOfDay>;
    static_assert(kIsRead,
                  "no FIX type is read as this C++ type: std::string_view, std::int64_t, "
                  "nexusfix::Decimal, char, bool, WallTime, Date are");
    if constexpr (kIsRead) {
      return to_time_of_day(text);
    } else {
      return std::unexpected{FieldErrorCode::Malformed};
    }
  }
}

}  // namespace detail

// Converts text to a T with the matching function of conversions.hpp.
template <class T, TextFront Front = TextFront::Unreadable>
[[nodiscard]] Converted<T> convert(std::string_view text) noexcept {
  return detail::inlined_convert<T, Front>(text);
}
// Converts a value within a message. Inlined, because its results are used at once.
template <class T, TextFront Front>
  requires(Front == TextFront::Readable)
[[nodiscard, gnu::always_inline]] inline Converted<T> convert(std::string_view text) noexcept {
  return detail::inlined_convert<T, Front>(text);
}

}  // namespace nexusfix::wire
