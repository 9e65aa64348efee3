// The result of a conversion from text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>

#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::wire {

// The value, or Empty, Malformed or OutOfRange.
template <class T>
using Converted = std::expected<T, FieldErrorCode>;

// What a conversion may read besides the text. Readable: the 16 bytes that end with the text are
// readable, which holds for every value of a complete message except the first two. Such a text is
// one load, even if it is short. Bytes after a text are never read.
enum class TextFront : std::uint8_t { Unreadable, Readable };
inline constexpr std::size_t kReadableFrontBytes = 16;

}  // namespace nexusfix::wire
