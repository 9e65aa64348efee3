// What a conversion from text gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>

#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::wire {

// The value, or Empty, Malformed or OutOfRange.
template <class T>
using Converted = std::expected<T, FieldErrorCode>;

// What a conversion may read beside the text itself. Readable: 16 bytes in front of the text's end,
// as is true of every value of a whole message but the first two. Such a text is one load, however
// short it is. Nothing behind a text is ever read.
enum class TextFront : std::uint8_t { Unreadable, Readable };
inline constexpr std::size_t kReadableFrontBytes = 16;

}  // namespace nexusfix::wire
