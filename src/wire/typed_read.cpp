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
  has_only_open_times_ = true;
  indexes_ = {};
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const std::optional<std::size_t> field = message.find_index(checks[i].tag);
    constexpr std::size_t kFieldsMax = 64;
    if (!field || *field >= kFieldsMax) return;
    if (i < RequiredIndexes::kCount) indexes_.set(i, *field);
    if (follows(*field, checks[i])) continue;
    if (open_count_ == kOpenMax) return;
    open_[open_count_++] = {
        .field = static_cast<std::uint8_t>(*field),
        .check = static_cast<std::uint8_t>(i),
        .is_timestamp = checks[i].kind == FieldCheck::Kind::Time && is_timestamp(*field)};
    has_only_open_times_ = has_only_open_times_ && open_[open_count_ - 1].is_timestamp;
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

// Whether the message begins with the tags of the slot, up to the last required field. Keys after
// the last field belong to an earlier message.
static bool begins_with(const FieldIndex& index, const detail::TagMemory::Slot& slot) noexcept {
  std::uint32_t equal = 0;
#if defined(__SSE2__)
  const auto equal_vector = [&](std::size_t from) noexcept {
    const void* const keys = index.keys + from;
    const void* const known = slot.keys.data() + from;
    return _mm_cmpeq_epi16(_mm_load_si128(static_cast<const __m128i*>(keys)),
                           _mm_load_si128(static_cast<const __m128i*>(known)));
  };
  equal = static_cast<std::uint32_t>(
              _mm_movemask_epi8(_mm_packs_epi16(equal_vector(0), equal_vector(8)))) |
          static_cast<std::uint32_t>(
              _mm_movemask_epi8(_mm_packs_epi16(equal_vector(16), equal_vector(24))))
              << 16U;
#else
  for (std::size_t i = 0; i < kKeysReadable; ++i) {
    equal |= (index.keys[i] == slot.keys[i] ? 1U : 0U) << i;
  }
#endif
  return (equal | slot.ignored) == ~std::uint32_t{0} && index.count > slot.last;
}

// Searches for each field, and keeps the indexes if the slot's keys will show them. Null: a field
// is missing.
[[gnu::noinline]] static const RequiredIndexes* search(const MessageView& view,
                                                       std::span<const FieldCheck> checks,
                                                       detail::TagMemory::Slot& slot,
                                                       RequiredIndexes& not_kept) noexcept {
  RequiredIndexes at;
  std::size_t last = 0;
  bool is_kept = checks.size() <= RequiredIndexes::kCount;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const std::size_t index = view.find_index(checks[i].tag).value_or(~std::size_t{0});
    if (index >= view.field_count()) return nullptr;
    last = std::max(last, index);
    is_kept = is_kept && checks[i].tag < kLargeTagKey;
    if (i < RequiredIndexes::kCount) at.set(i, index);
  }
  if (!is_kept || last >= kKeysReadable) {
    not_kept = at;
    return &not_kept;
  }
  std::copy_n(view.index().keys, kKeysReadable, slot.keys.begin());
  slot.at = at;
  slot.last = static_cast<std::uint32_t>(last);
  slot.ignored = static_cast<std::uint32_t>(~std::uint64_t{0} << (last + 1));
  return &slot.at;
}

// Out of line, so that the loop over the fields keeps its values in registers.
[[gnu::noinline]] static bool is_any_right(const FieldCheck& check,
                                           std::string_view text) noexcept {
  return !fault_of(check, text);
}

// Whether a value has its form. begin: its place in the message.
[[gnu::always_inline]] static inline bool is_right(const FieldCheck& check, std::string_view text,
                                                   std::uint32_t begin) noexcept {
  if (check.kind == FieldCheck::Kind::Text) return !text.empty();
  if (check.kind == FieldCheck::Kind::CharEnum && text.size() == 1) {
    const auto byte = static_cast<unsigned char>(text.front());
    return (check.char_bits[byte / 64] >> (byte % 64) & 1U) != 0;
  }
  if (check.kind == FieldCheck::Kind::Decimal && begin >= kReadableFrontBytes &&
      is_ordinary_decimal(text)) [[likely]] {
    return true;
  }
  return is_any_right(check, text);
}

// Checks the fields at these indexes, of which none is unknown.
template <bool kNarrow>
static bool are_right_at(const MessageView& view, std::span<const FieldCheck> checks,
                         const RequiredIndexes& at) noexcept {
  const char* const bytes = view.bytes().data();
  const FieldIndex& fields = view.index();
  for (std::size_t i = 0; i < checks.size(); ++i) {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    if constexpr (kNarrow) {
      begin = fields.narrow_places[at[i]].begin;
      size = fields.narrow_places[at[i]].size;
    } else {
      begin = fields.places[at[i]].begin;
      size = fields.places[at[i]].end - begin;
    }
    if (!is_right(checks[i], {bytes + begin, size}, begin)) [[unlikely]]
      return false;
  }
  return true;
}

const RequiredIndexes* find_right_fields(const MessageView& view,
                                         std::span<const FieldCheck> checks,
                                         detail::TagMemory& memory) noexcept {
  detail::TagMemory::Slot& slot = memory.slot_of(view.field_count());
  if (!begins_with(view.index(), slot)) {
    const RequiredIndexes* const at = search(view, checks, slot, memory.not_kept);
    return at != nullptr && are_right(view, checks) ? at : nullptr;
  }
  const bool right = view.index().narrow_count != 0 ? are_right_at<true>(view, checks, slot.at)
                                                    : are_right_at<false>(view, checks, slot.at);
  return right ? &slot.at : nullptr;
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
