#include <nexusfix/base/assert.hpp>
#include <nexusfix/wire/session_tags.hpp>
#include <nexusfix/wire/typed/typed_read.hpp>

namespace nexusfix::wire {

namespace {

[[gnu::always_inline]] inline std::optional<FieldErrorCode> fault_of(
    const FieldCheck& check, std::string_view text) noexcept {
  if (text.empty()) return FieldErrorCode::Empty;
  switch (check.kind) {
    case FieldCheck::Kind::Text:
      return std::nullopt;
    case FieldCheck::Kind::Decimal: {
      const auto value = to_decimal(text);
      return value ? std::nullopt : std::optional{value.error()};
    }
    case FieldCheck::Kind::CharEnum: {
      if (text.size() != 1) return FieldErrorCode::Malformed;
      const auto byte = static_cast<unsigned char>(text.front());
      const bool is_value = (check.char_bits[byte / 64] >> (byte % 64) & 1U) != 0;
      return is_value ? std::nullopt : std::optional{FieldErrorCode::OutOfRange};
    }
    case FieldCheck::Kind::Other:
      break;
  }
  return check.fault(text);
}

template <class View>
bool are_right(const View& view, std::span<const FieldCheck> checks) noexcept {
  for (const FieldCheck& check : checks) {
    const std::optional<std::string_view> value = view[check.tag];
    if (!value || fault_of(check, *value)) [[unlikely]]
      return false;
  }
  return true;
}

template <class View>
[[gnu::cold]] FieldError fault_of_first(const View& view,
                                        std::span<const FieldCheck> checks) noexcept {
  for (const FieldCheck& check : checks) {
    const std::optional<FieldView> field = view.find(check.tag);
    if (!field) return {FieldErrorCode::Missing, check.tag, 0};
    const std::optional<FieldErrorCode> fault = find_fault(check, field->value);
    if (fault) return {*fault, check.tag, field->offset};
  }
  NEXUSFIX_ASSERT(false);  // callers only pass values that have an error
  return {};
}

}  // namespace

std::optional<FieldErrorCode> find_fault(const FieldCheck& check, std::string_view text) noexcept {
  return fault_of(check, text);
}

// As are_right(), without a view in an optional, which the compiler would keep in memory.
bool are_fields_right(const MessageView& view, std::span<const FieldCheck> checks) noexcept {
  for (const FieldCheck& check : checks) {
    const std::optional<std::size_t> index = view.find_index(check.tag);
    if (!index) [[unlikely]]
      return false;
    const FieldPlace place = view.index().place(*index);
    const std::string_view text{view.bytes().data() + place.begin, place.end - place.begin};
    if (check.kind == FieldCheck::Kind::Text ? text.empty() : fault_of(check, text).has_value())
        [[unlikely]]
      return false;
  }
  return true;
}

bool are_fields_right(const GroupEntry& view, std::span<const FieldCheck> checks) noexcept {
  return are_right(view, checks);
}

FieldError first_fault(const MessageView& view, std::span<const FieldCheck> checks) noexcept {
  return fault_of_first(view, checks);
}

FieldError first_fault(const GroupEntry& view, std::span<const FieldCheck> checks) noexcept {
  return fault_of_first(view, checks);
}

FieldError other_type(const MessageView& view) noexcept {
  const std::optional<FieldView> field = view.find(tag::MsgType);
  return {FieldErrorCode::OutOfRange, tag::MsgType, field ? field->offset : 0};
}

}  // namespace nexusfix::wire
