// A field: a tag and the bytes of its value, and the errors of a read.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix::wire {

// The tag of a field, 1 to kTagMax. A plain integer, so that custom tags need no declaration.
using Tag = std::uint32_t;
// The largest tag.
inline constexpr Tag kTagMax = 0x7fff'ffff;
// Tags from this one on are defined by agreement between counterparties, and a dictionary need not
// have them: FIX 4.4 volume 1, "User Defined Fields".
inline constexpr Tag kUserDefinedTagMin = 5000;

// The byte that ends each field: start of heading.
inline constexpr char kSoh = '\x01';

// One field of a message. The view lives as long as the message's bytes.
struct FieldView {
  Tag tag = 0;               // of the field
  std::uint32_t offset = 0;  // of the value's first byte, from the start of the message
  std::string_view value;    // the bytes between `=` and SOH
};

// Why a field cannot be read as the requested type.
enum class FieldErrorCode : std::uint8_t {
  Missing,     // the tag is not in the message
  Empty,       // `55=` and SOH
  Malformed,   // not of the requested type
  OutOfRange,  // of the type, but not representable in it
};

// Why a typed read has no value. Its text is made elsewhere, on the cold side.
struct FieldError {
  FieldErrorCode code = FieldErrorCode::Missing;  // the reason
  Tag tag = 0;                                    // of the field
  std::uint32_t offset = 0;                       // of the value, 0 if the field is missing
};

// A value that was read from a message, or why there is none: test it, then use *field,
// field->value or value_or(). Getters of fields that the dictionary requires return the value
// itself.
template <class T>
class OptionalField : public std::expected<T, FieldError> {
 public:
  using std::expected<T, FieldError>::expected;
  // Deleted: `Price price = order.price();` would forget that the field may be missing.
  template <class Value>
    requires std::same_as<Value, T> || std::same_as<Value, typename T::ValueType>
  operator Value() const = delete;
};

}  // namespace nexusfix::wire
