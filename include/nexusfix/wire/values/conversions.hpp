// Conversions between the text of a value and a C++ type, exact and without floating point.
#pragma once

#include <string_view>

#include <nexusfix/wire/values/converted.hpp>
#include <nexusfix/wire/values/decimals.hpp>
#include <nexusfix/wire/values/integers.hpp>
#include <nexusfix/wire/values/times.hpp>

namespace nexusfix::wire {

// Y or N.
[[nodiscard]] inline Converted<bool> to_bool(std::string_view text) noexcept {
  if (text.empty()) return std::unexpected{FieldErrorCode::Empty};
  if (text.size() != 1 || (text[0] != 'Y' && text[0] != 'N')) {
    return std::unexpected{FieldErrorCode::Malformed};
  }
  return text[0] == 'Y';
}

// Exactly one byte.
[[nodiscard]] inline Converted<char> to_char(std::string_view text) noexcept {
  if (text.size() == 1) return text[0];
  return std::unexpected{text.empty() ? FieldErrorCode::Empty : FieldErrorCode::Malformed};
}

}  // namespace nexusfix::wire
