// A JSON text of another program, as a tree, within limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace nexusfix::gateway {

// The bytes of a text, at most: a message of 1 MiB fits, also with its separators escaped.
inline constexpr std::size_t kJsonBytesMax = 2U << 20U;
// Objects and arrays in one another: groups in groups.
inline constexpr std::size_t kJsonDepthMax = 16;
inline constexpr std::size_t kJsonValuesMax = 100'000;

// A value of the text.
struct JsonValue {
  enum class Kind : std::uint8_t { Null, Boolean, Integer, Text, Array, Object };

  Kind kind = Kind::Null;
  bool is_true = false;          // of a Boolean
  std::string key;               // in the object around it; empty in an array
  std::string text;              // of a Text; the digits of an Integer
  std::vector<JsonValue> items;  // of an Array or an Object, in their order
};

// Reads a whole text (RFC 8259). An error of one line, without any of the text: it is no JSON in
// UTF-8, a key comes twice in an object, a number has a fraction or an exponent or needs more than
// 64 bits, or a limit above is reached. Any thread.
[[nodiscard]] std::expected<JsonValue, std::string> read_json(std::string_view text);

}  // namespace nexusfix::gateway
