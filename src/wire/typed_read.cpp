#include <algorithm>
#include <array>

#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/typed_read.hpp>

#include "base/api/write_once.hpp"

namespace nexusfix::wire {

namespace {

[[gnu::always_inline]] inline std::optional<FieldErrorCode> fault_of(
    const detail::FieldCheck& check, std::string_view text) noexcept {
  if (text.empty()) return FieldErrorCode::Empty;
  switch (check.kind) {
    case detail::FieldCheck::Kind::Text:
      return std::nullopt;
    case detail::FieldCheck::Kind::Decimal: {
      const auto value = to_decimal(text);
      return value ? std::nullopt : std::optional{value.error()};
    }
    case detail::FieldCheck::Kind::CharEnum: {
      if (text.size() != 1) return FieldErrorCode::Malformed;
      const auto byte = static_cast<unsigned char>(text.front());
      const bool is_value = (check.char_bits[byte / 64] >> (byte % 64) & 1U) != 0;
      return is_value ? std::nullopt : std::optional{FieldErrorCode::OutOfRange};
    }
    case detail::FieldCheck::Kind::Time:
    case detail::FieldCheck::Kind::Other:
      break;
  }
  return check.fault(text);
}

template <class View>
bool are_valid(const View& view, std::span<const detail::FieldCheck> checks) noexcept {
  for (const detail::FieldCheck& check : checks) {
    const std::optional<std::string_view> value = view[check.tag];
    if (!value || fault_of(check, *value)) [[unlikely]]
      return false;
  }
  return true;
}

template <class View>
[[gnu::cold]] FieldError fault_of_first(const View& view,
                                        std::span<const detail::FieldCheck> checks) noexcept {
  for (const detail::FieldCheck& check : checks) {
    const std::optional<FieldView> field = view.find(check.tag);
    if (!field) return {FieldErrorCode::Missing, check.tag, 0};
    const std::optional<FieldErrorCode> fault = find_fault(check, field->value);
    if (fault) return {*fault, check.tag, field->offset};
  }
  NEXUSFIX_ASSERT(false);  // callers only pass values that have an error
  return {};
}

}  // namespace

// A UTCTimestamp of the years 2000 to 2099 in seconds or smaller units, down to nanoseconds: each
// one is a WallTime.
static bool is_ordinary_timestamp(std::string_view text) noexcept {
  constexpr std::size_t kNanosBytes = 27;
  return text.size() <= kNanosBytes && text.starts_with("20");
}

// No value is empty: the sequence was learned from a message without a fault, as all are that are
// compared with it.
[[gnu::cold]] bool detail::FieldProof::follows(std::size_t field,
                                               const detail::FieldCheck& check) const noexcept {
  if (check.kind == detail::FieldCheck::Kind::Text) return true;
  if (check.kind != detail::FieldCheck::Kind::CharEnum) return false;
  const std::span known{characters_.data(), characters_count_};
  const auto found = std::ranges::find(known, field, &Characters::field);
  return found != known.end() && (found->allowed[0] & ~check.char_bits[0]) == 0 &&
         (found->allowed[1] & ~check.char_bits[1]) == 0;
}

[[gnu::cold]] void detail::FieldProof::prove(const MessageView& message,
                                             std::span<const detail::FieldCheck> checks) noexcept {
  checks_ = nullptr;
  open_count_ = 0;
  has_only_open_times_ = true;
  indexes_ = {};
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const std::optional<std::size_t> field = message.find_index(checks[i].tag);
    constexpr std::size_t kFieldsMax = 64;
    if (!field || *field >= kFieldsMax) return;
    if (i < detail::RequiredIndexes::kCount) indexes_.required.set(i, *field);
    if (follows(*field, checks[i])) continue;
    if (open_count_ == kOpenMax) return;
    open_[open_count_++] = {
        .field = static_cast<std::uint8_t>(*field),
        .check = static_cast<std::uint8_t>(i),
        .is_timestamp = checks[i].kind == detail::FieldCheck::Kind::Time && is_timestamp(*field)};
    has_only_open_times_ = has_only_open_times_ && open_[open_count_ - 1].is_timestamp;
  }
  indexes_.others = &detail::TagIndexes::of({message.index().keys, message.field_count()});
  checks_ = checks.data();
}

bool detail::FieldProof::are_open_valid(const MessageView& message) const noexcept {
  const char* const bytes = message.bytes().data();
  for (std::size_t i = 0; i < open_count_; ++i) {
    const detail::FieldPlace place = message.index().place(open_[i].field);
    const std::string_view text{bytes + place.begin, place.end - place.begin};
    if (open_[i].is_timestamp && is_ordinary_timestamp(text)) [[likely]]
      continue;
    if (fault_of(checks_[open_[i].check], text)) [[unlikely]]
      return false;
  }
  return true;
}

std::optional<FieldErrorCode> find_fault(const detail::FieldCheck& check,
                                         std::string_view text) noexcept {
  return fault_of(check, text);
}

[[gnu::cold]] void detail::TagIndexes::learn(std::span<const std::uint16_t> keys) noexcept {
  indexes_.fill(kAbsent);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == kLargeTagKey) continue;  // getters search for such tags
    std::uint8_t& index = indexes_[place_of(keys[i])];
    if (index == kAbsent) {
      index = static_cast<std::uint8_t>(i);
    } else if (index != kUnknown && keys[index] != keys[i]) {
      index = kUnknown;
    }
  }
}

namespace {

// A sequence of tags that came again.
struct LearnedSequence {
  static constexpr std::size_t kKeysMax = 64;

  [[nodiscard]] bool is_of(std::span<const std::uint16_t> others) const noexcept {
    return std::ranges::equal(std::span{keys}.first(count), others);
  }

  std::size_t count = 0;
  std::array<std::uint16_t, kKeysMax> keys{};
  detail::TagIndexes indexes;
};

// In a hash table that is never emptied. A sequence for which no place is near is not learned.
constexpr std::size_t kSequencesMax = 512;
constexpr std::size_t kPlacesTried = 8;
constinit std::array<WriteOnce<LearnedSequence>, kSequencesMax> learned_sequences;

[[nodiscard]] std::size_t hash_of(std::span<const std::uint16_t> keys) noexcept {
  constexpr std::uint32_t kPrime = 16'777'619;  // FNV-1a
  std::uint32_t hash = 2'166'136'261;
  for (const std::uint16_t key : keys) hash = (hash ^ key) * kPrime;
  return hash;
}

}  // namespace

[[gnu::cold]] const detail::TagIndexes& detail::TagIndexes::of(
    std::span<const std::uint16_t> keys) noexcept {
  if (keys.size() > LearnedSequence::kKeysMax) return kNoTagIndexes;
  const std::size_t first = hash_of(keys);
  for (std::size_t i = 0; i < kPlacesTried; ++i) {
    WriteOnce<LearnedSequence>& place = learned_sequences[(first + i) % kSequencesMax];
    if (const LearnedSequence* const known = place.get()) {
      if (known->is_of(keys)) return known->indexes;
    } else if (LearnedSequence* const made = place.claim()) {
      made->count = keys.size();
      std::ranges::copy(keys, made->keys.begin());
      made->indexes.learn(keys);
      place.publish();
      return made->indexes;
    }
  }
  return kNoTagIndexes;
}

// A bit for each of the first keys that are those of the slot. Keys after the last field belong to
// an earlier message.
static std::uint32_t keys_of(const detail::FieldIndex& index,
                             const detail::TagMemory::Slot& slot) noexcept {
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
  return equal;
}

// Keeps the checks of values, one kind after the other.
[[gnu::cold]] static void keep_checks(std::span<const detail::FieldCheck> checks,
                                      detail::TagMemory::Slot& slot) noexcept {
  using Kind = detail::FieldCheck::Kind;
  std::uint8_t count = 0;
  const auto keep_if = [&](auto is_wanted) {
    for (std::size_t i = 0; i < checks.size(); ++i) {
      if (is_wanted(checks[i].kind)) slot.checks[count++] = static_cast<std::uint8_t>(i);
    }
    return count;
  };
  slot.characters_end = keep_if([](Kind kind) { return kind == Kind::CharEnum; });
  slot.decimals_end = keep_if([](Kind kind) { return kind == Kind::Decimal; });
  slot.others_end = keep_if([](Kind kind) { return kind == Kind::Time || kind == Kind::Other; });
}

// Searches for each field, and keeps the indexes if the slot's keys will show them. Null: a field
// is missing.
[[gnu::noinline]] static const detail::FieldIndexes* search(
    const MessageView& view, std::span<const detail::FieldCheck> checks,
    detail::TagMemory::Slot& slot, detail::FieldIndexes& not_kept) noexcept {
  detail::FieldIndexes found{.required = {}, .others = &kNoTagIndexes};
  std::size_t last = 0;
  bool is_kept = checks.size() <= detail::RequiredIndexes::kCount;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const std::size_t index = view.find_index(checks[i].tag).value_or(~std::size_t{0});
    if (index >= view.field_count()) return nullptr;
    last = std::max(last, index);
    is_kept = is_kept && checks[i].tag < kLargeTagKey;
    if (i < detail::RequiredIndexes::kCount) found.required.set(i, index);
  }
  if (!is_kept || last >= kKeysReadable) {
    not_kept = found;
    return &not_kept;
  }
  std::copy_n(view.index().keys, kKeysReadable, slot.keys.begin());
  slot.front = found;
  slot.whole = found;
  slot.last = static_cast<std::uint32_t>(last);
  slot.ignored = static_cast<std::uint32_t>(~std::uint64_t{0} << (last + 1));
  const bool shows_all = view.field_count() <= kKeysReadable;
  slot.count = shows_all ? static_cast<std::uint32_t>(view.field_count()) : 0;
  slot.beyond = static_cast<std::uint32_t>(~std::uint64_t{0} << slot.count);
  slot.is_repeated = false;
  keep_checks(checks, slot);
  return &slot.front;
}

// The second message with all keys of the slot: nothing is learned of sequences that come once.
[[gnu::cold]] static void learn_others(detail::TagMemory::Slot& slot) noexcept {
  slot.is_repeated = true;
  slot.whole.others = &detail::TagIndexes::of({slot.keys.data(), slot.count});
}

// Out of line, so that the loops over the fields keep their values in registers.
[[gnu::noinline]] static bool is_any_valid(const detail::FieldCheck& check,
                                           std::string_view text) noexcept {
  return !fault_of(check, text);
}

// Whether to_decimal() reads the text as an ordinary number, without its value. begin: its place in
// the message, before whose end a vector may be read. False: to_decimal() must be asked.
[[gnu::always_inline]] static inline bool is_ordinary_decimal(std::string_view text,
                                                              std::uint32_t begin) noexcept {
#if defined(__SSE2__)
  if (text.size() - 1 >= detail::kVectorBytes || begin < kReadableFrontBytes) return false;
  return detail::is_plain_decimal(detail::load_last_vector<detail::TextFront::Readable>(text),
                                  text.size());
#else
  static_cast<void>(text);
  static_cast<void>(begin);
  return false;
#endif
}

// Makes the checks of a message with the tags of the slot and without a fault.
template <bool kNarrow>
static bool are_values_valid(const MessageView& view, std::span<const detail::FieldCheck> checks,
                             const detail::TagMemory::Slot& slot) noexcept {
  const char* const bytes = view.bytes().data();
  const detail::FieldIndex& fields = view.index();
  const auto begin_of = [&](std::size_t check) -> std::uint32_t {
    if constexpr (kNarrow) return fields.narrow_places[slot.front.required[check]].begin;
    return fields.places[slot.front.required[check]].begin;
  };
  const auto size_of = [&](std::size_t check) -> std::uint32_t {
    if constexpr (kNarrow) return fields.narrow_places[slot.front.required[check]].size;
    return fields.places[slot.front.required[check]].end - begin_of(check);
  };
  std::size_t i = 0;
  for (; i < slot.characters_end; ++i) {
    const std::size_t check = slot.checks[i];
    const auto byte = static_cast<unsigned char>(bytes[begin_of(check)]);
    if (size_of(check) != 1 || (checks[check].char_bits[byte / 64] >> (byte % 64) & 1U) == 0)
        [[unlikely]]
      return false;
  }
  for (; i < slot.others_end; ++i) {
    const std::size_t check = slot.checks[i];
    const std::uint32_t begin = begin_of(check);
    const std::string_view text{bytes + begin, size_of(check)};
    const bool is_ordinary = i < slot.decimals_end && is_ordinary_decimal(text, begin);
    if (!is_ordinary && !is_any_valid(checks[check], text)) [[unlikely]]
      return false;
  }
  return true;
}

const detail::FieldIndexes* find_right_fields(const MessageView& view,
                                              std::span<const detail::FieldCheck> checks,
                                              detail::TagMemory& memory) noexcept {
  constexpr std::uint32_t kAll = ~std::uint32_t{0};
  detail::TagMemory::Slot& slot = memory.slot_of(view.field_count());
  const std::uint32_t equal = keys_of(view.index(), slot);
  const detail::FieldIndexes* at = &slot.whole;
  if ((equal | slot.beyond) != kAll || view.field_count() != slot.count) {
    at = &slot.front;
    const bool begins_alike = (equal | slot.ignored) == kAll && view.field_count() > slot.last;
    if (!begins_alike) at = nullptr;
  } else if (!slot.is_repeated) [[unlikely]] {
    learn_others(slot);
  }
  if (view.fault() || at == nullptr) [[unlikely]] {
    at = search(view, checks, slot, memory.not_kept);
    return at != nullptr && are_valid(view, checks) ? at : nullptr;
  }
  const bool right = view.index().narrow_count != 0 ? are_values_valid<true>(view, checks, slot)
                                                    : are_values_valid<false>(view, checks, slot);
  return right ? at : nullptr;
}

bool are_fields_valid(const GroupEntry& view, std::span<const detail::FieldCheck> checks) noexcept {
  return are_valid(view, checks);
}

FieldError first_fault(const MessageView& view,
                       std::span<const detail::FieldCheck> checks) noexcept {
  return fault_of_first(view, checks);
}

FieldError first_fault(const GroupEntry& view,
                       std::span<const detail::FieldCheck> checks) noexcept {
  return fault_of_first(view, checks);
}

FieldError other_type(const MessageView& view) noexcept {
  const std::optional<FieldView> field = view.find(tag::MsgType);
  return {FieldErrorCode::OutOfRange, tag::MsgType, field ? field->offset : 0};
}

}  // namespace nexusfix::wire
