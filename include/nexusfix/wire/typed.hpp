// The protocol between typed messages (generated from a dictionary) and whoever sends or receives
// them. A typed field is a value with its tag in its type; a typed message is a checked
// MessageView.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <expected>
#include <string_view>
#include <type_traits>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/tag_prefix.hpp>

namespace nexusfix::wire {

// A typed field: `using ClOrdID = wire::Field<11, std::string_view>;`, written ClOrdID{"A1"}.
template <Tag FieldTag, class Value>
struct Field {
  static constexpr Tag kTag = FieldTag;
  using ValueType = Value;
  Value value{};

  Field() = default;
  constexpr explicit Field(Value v) noexcept : value{v} {}
  friend bool operator==(const Field&, const Field&) = default;
};

// How an enumeration of a dictionary stands on the wire. A generated header specialises it for each
// enum: `kTag`, `static std::string_view text(E)`, `static Converted<E> from(std::string_view)`.
template <class Enum>
struct EnumTraits;

template <class T>
concept DictionaryEnum = std::is_enum_v<T> && requires { EnumTraits<T>::kTag; };

template <class T>
struct IsField : std::false_type {};
template <Tag FieldTag, class Value>
struct IsField<Field<FieldTag, Value>> : std::true_type {};

template <class T>
concept TypedField = IsField<T>::value || DictionaryEnum<T>;

template <TypedField T>
[[nodiscard]] consteval Tag tag_of() {
  if constexpr (DictionaryEnum<T>) {
    return EnumTraits<T>::kTag;
  } else {
    return T::kTag;
  }
}

template <TypedField T>
NEXUSFIX_ALWAYS_INLINE void write_field(Encoder& encoder, const T& field) noexcept {
  if constexpr (!DictionaryEnum<T>) {
    encoder.field<T::kTag>(field.value);
  } else if constexpr (std::same_as<std::underlying_type_t<T>, char>) {
    encoder.field<EnumTraits<T>::kTag>(static_cast<char>(field));
  } else {
    encoder.field<EnumTraits<T>::kTag>(EnumTraits<T>::text(field));
  }
}

// Those of fields that belong to the standard header, in the order given; and all others.
template <TypedField... Fields>
NEXUSFIX_ALWAYS_INLINE void write_header_fields(Encoder& encoder,
                                                const Fields&... fields) noexcept {
  const auto write = [&encoder](const auto& field) {
    if constexpr (is_header_tag(tag_of<std::remove_cvref_t<decltype(field)>>())) {
      write_field(encoder, field);
    }
  };
  (write(fields), ...);
}
template <TypedField... Fields>
NEXUSFIX_ALWAYS_INLINE void write_body_fields(Encoder& encoder, const Fields&... fields) noexcept {
  const auto write = [&encoder](const auto& field) {
    if constexpr (!is_header_tag(tag_of<std::remove_cvref_t<decltype(field)>>())) {
      write_field(encoder, field);
    }
  };
  (write(fields), ...);
}

// Fields of the header first, wherever among the others they were given.
template <TypedField... Fields>
NEXUSFIX_ALWAYS_INLINE void write_fields(Encoder& encoder, const Fields&... fields) noexcept {
  write_header_fields(encoder, fields...);
  write_body_fields(encoder, fields...);
}

// Whether no tag is given twice.
template <TypedField... Fields>
[[nodiscard]] consteval bool tags_are_distinct() {
  const std::array<Tag, sizeof...(Fields)> tags{tag_of<Fields>()...};
  for (std::size_t i = 0; i < tags.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (tags[i] == tags[j]) return false;
    }
  }
  return true;
}

// The tags that a message cannot do without, header and trailer apart.
template <Tag... Tags>
struct TagList {};

template <class List, TypedField... Fields>
struct HasAll;
template <Tag... Tags, TypedField... Fields>
struct HasAll<TagList<Tags...>, Fields...> {
  template <Tag Wanted>
  static constexpr bool has = ((tag_of<Fields>() == Wanted) || ...);
  static constexpr bool value = (has<Tags> && ...);
};

// M::kMsgType, M::kBeginString, M::Required (a TagList), and M::from(view), which checks once that
// the required fields are there and convertible.
template <class M>
concept TypedMessage = requires(const MessageView& view) {
  { M::kMsgType } -> std::convertible_to<std::string_view>;
  { M::kBeginString } -> std::convertible_to<std::string_view>;
  typename M::Required;
  { M::from(view) } -> std::same_as<std::expected<M, FieldError>>;
};

}  // namespace nexusfix::wire
