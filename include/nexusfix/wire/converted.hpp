// What a conversion from text gives.
#pragma once

#include <expected>

#include <nexusfix/wire/field.hpp>

namespace nexusfix::wire {

// The value, or Empty, Malformed or OutOfRange.
template <class T>
using Converted = std::expected<T, FieldErrorCode>;

}  // namespace nexusfix::wire
