// Between the text of a value and a C++ type, exactly and without floating point.
#pragma once

#include <string_view>

#include <nexusfix/wire/converted.hpp>
#include <nexusfix/wire/decimals.hpp>
#include <nexusfix/wire/integers.hpp>
#include <nexusfix/wire/times.hpp>

namespace nexusfix::wire {

[[nodiscard]] Converted<bool> to_bool(std::string_view text) noexcept;  // Y or N
[[nodiscard]] Converted<char> to_char(std::string_view text) noexcept;  // exactly one byte

}  // namespace nexusfix::wire
