// How a generated message reads typed fields out of its MessageView.
#pragma once

#include <concepts>
#include <optional>
#include <string_view>
#include <utility>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed.hpp>

namespace nexusfix::wire {

// The first field with F's tag: Missing, Malformed, or of an enumeration that lacks the value
// (OutOfRange). No allocation; O(fields).
template <TypedField F>
[[nodiscard]] FieldResult<F> read_field(const MessageView& view) noexcept {
  if constexpr (DictionaryEnum<F>) {
    constexpr Tag kTag = EnumTraits<F>::kTag;
    const std::optional<FieldView> field = view.find(kTag);
    if (!field) return std::unexpected{FieldError{FieldErrorCode::Missing, kTag, 0}};
    if (field->value.empty()) {
      return std::unexpected{FieldError{FieldErrorCode::Empty, kTag, field->offset}};
    }
    const auto value = EnumTraits<F>::from(field->value);
    if (!value) return std::unexpected{FieldError{value.error(), kTag, field->offset}};
    return *value;
  } else {
    const auto value = view.template get<typename F::ValueType>(F::kTag);
    if (!value) return std::unexpected{value.error()};
    return F{*value};
  }
}

// A field that check_fields() has found good.
template <TypedField F>
[[nodiscard]] F checked_field(const MessageView& view) noexcept {
  const FieldResult<F> field = read_field<F>(view);
  NEXUSFIX_DEBUG_ASSERT(field.has_value());
  return *field;
}

namespace detail {

template <TypedField F>
[[nodiscard]] bool field_fails(const MessageView& view, std::optional<FieldError>& error) noexcept {
  const FieldResult<F> field = read_field<F>(view);
  if (!field) error = field.error();
  return !field;
}

}  // namespace detail

// Nothing if the message is of this type and each of Fields is there and convertible; else what is
// wrong with the first that is not, in the order of Fields. A message of another type is
// OutOfRange at tag 35.
template <TypedField... Fields>
[[nodiscard]] std::optional<FieldError> check_fields(const MessageView& view,
                                                     std::string_view msg_type) noexcept {
  constexpr Tag kMsgTypeTag = 35;
  std::optional<FieldError> error;
  if (view.msg_type() != msg_type) {
    const std::optional<FieldView> field = view.find(kMsgTypeTag);
    return FieldError{FieldErrorCode::OutOfRange, kMsgTypeTag, field ? field->offset : 0};
  }
  static_cast<void>((detail::field_fails<Fields>(view, error) || ...));
  return error;
}

}  // namespace nexusfix::wire
