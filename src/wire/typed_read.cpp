#include <algorithm>

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
    case FieldCheck::Kind::Time:
    case FieldCheck::Kind::Other:
      break;
  }
  return check.fault(text);
}

// Whether to_decimal() reads the text, a vector before whose end may be read, as an ordinary
// number, without its value. False: to_decimal() must be asked.
[[gnu::always_inline]] inline bool is_ordinary_decimal(std::string_view text) noexcept {
#if defined(__SSE2__)
  if (text.size() - 1 >= detail::kVectorBytes) return false;
  constexpr unsigned kLastByte = 0x8000;
  const __m128i digits =
      detail::digits_of(detail::load_last_vector<TextFront::Readable>(text), text.size());
  const auto points =
      static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(digits, _mm_set1_epi8('.' - '0'))));
  return ((detail::digit_bits(digits) ^ points ^ detail::kAllBytes) |
          (points & ((points - 1) | kLastByte))) == 0;
#else
  return to_decimal(text).has_value();
#endif
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

// A UTCTimestamp of the years 2000 to 2099 in seconds or milliseconds: each one is a WallTime.
static bool is_ordinary_timestamp(std::string_view text) noexcept {
  constexpr std::size_t kSecondsBytes = 17;
  constexpr std::size_t kMillisBytes = 21;
  return (text.size() == kMillisBytes || text.size() == kSecondsBytes) && text[0] == '2' &&
         text[1] == '0';
}

// No value is empty: the sequence was learned from a message without a fault, as all are that are
// compared with it.
bool FieldProof::follows(std::size_t field, const FieldCheck& check) const noexcept {
  if (check.kind == FieldCheck::Kind::Text) return true;
  if (check.kind != FieldCheck::Kind::CharEnum) return false;
  const std::span known{characters_.data(), characters_count_};
  const auto found = std::ranges::find(known, field, &Characters::field);
  return found != known.end() && (found->allowed[0] & ~check.char_bits[0]) == 0 &&
         (found->allowed[1] & ~check.char_bits[1]) == 0;
}

void FieldProof::prove(const MessageView& message, std::span<const FieldCheck> checks) noexcept {
  checks_ = nullptr;
  open_count_ = 0;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const std::optional<std::size_t> field = message.find_index(checks[i].tag);
    constexpr std::size_t kFieldsMax = 64;
    if (!field || *field >= kFieldsMax) return;
    if (follows(*field, checks[i])) continue;
    if (open_count_ == kOpenMax) return;
    open_[open_count_++] = {
        .field = static_cast<std::uint8_t>(*field),
        .check = static_cast<std::uint8_t>(i),
        .is_timestamp = checks[i].kind == FieldCheck::Kind::Time && is_timestamp(*field)};
  }
  checks_ = checks.data();
}

bool FieldProof::are_open_right(const MessageView& message) const noexcept {
  const char* const bytes = message.bytes().data();
  for (std::size_t i = 0; i < open_count_; ++i) {
    const FieldPlace place = message.index().place(open_[i].field);
    const std::string_view text{bytes + place.begin, place.end - place.begin};
    if (open_[i].is_timestamp && is_ordinary_timestamp(text)) [[likely]]
      continue;
    if (fault_of(checks_[open_[i].check], text)) [[unlikely]]
      return false;
  }
  return true;
}

std::optional<FieldErrorCode> find_fault(const FieldCheck& check, std::string_view text) noexcept {
  return fault_of(check, text);
}

// As are_right(), without a view in an optional, which the compiler would keep in memory.
bool are_fields_right(const MessageView& view, std::span<const FieldCheck> checks) noexcept {
  const char* const bytes = view.bytes().data();
  for (const FieldCheck& check : checks) {
    const std::size_t index = view.find_index(check.tag).value_or(~std::size_t{0});
    if (index >= view.field_count()) [[unlikely]]
      return false;
    const FieldPlace place = view.index().place(index);
    const std::string_view text{bytes + place.begin, place.end - place.begin};
    if (check.kind == FieldCheck::Kind::Text) {
      if (text.empty()) [[unlikely]]
        return false;
    } else if (check.kind == FieldCheck::Kind::Decimal && place.begin >= kReadableFrontBytes &&
               is_ordinary_decimal(text)) {
      continue;
    } else if (fault_of(check, text)) [[unlikely]] {
      return false;
    }
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
