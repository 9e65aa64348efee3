#include <algorithm>
#include <atomic>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/field.hpp>

#include "base/api/ascii.hpp"
#include "dictionary/validate/field_sequence.hpp"
#include "dictionary/validate/value_checks.hpp"

namespace nexusfix::dictionary {
namespace {

// Makes the checks, one kind after the other. All values belong to a message without a fault, and
// none ends within its first kFrontBytes. Place: a NarrowPlace or a FieldPlace.
template <class Place>
class Values {
 public:
  Values(const FieldSequence& sequence, const char* bytes, const Place* places) noexcept
      : next_{sequence.checks.data()}, sequence_{sequence}, bytes_{bytes}, places_{places} {}

  [[gnu::always_inline]] bool are_characters_valid() const noexcept {
    const CharacterCheck* one = sequence_.characters.data();
    for (const CharacterCheck* const end = one + sequence_.character_count; one != end; ++one) {
      // With the byte after it, which is SOH where the value is one character.
      constexpr std::uint32_t kSohAfter = std::uint32_t{wire::kSoh} << 8U;
      const char* const from = bytes_ + places_[one->field].begin;
      if (!one->allows(wire::detail::load_word<std::uint16_t>(from) - kSohAfter)) [[unlikely]]
        return false;
    }
    return true;
  }
  // No value is of this kind or of one before it.
  [[nodiscard]] bool have_none_up_to(Check check) const noexcept {
    return sequence_.ends[std::to_underlying(check)] == 0;
  }
  // All values up to that kind are known to be valid.
  void leave_out(Check check) noexcept {
    next_ = sequence_.checks.data() + sequence_.ends[std::to_underlying(check)];
  }
  // is_valid: a function of the value and the check's detail.
  template <class IsValid>
  [[gnu::always_inline]] bool are(Check check, IsValid is_valid) noexcept {
    const ValueCheck* const end =
        sequence_.checks.data() + sequence_.ends[std::to_underlying(check)];
    for (; next_ != end; ++next_) {
      if (!is_valid(value_at(bytes_, places_[next_->field]), next_->detail)) [[unlikely]]
        return false;
    }
    return true;
  }

 private:
  const ValueCheck* next_;
  const FieldSequence& sequence_;
  const char* bytes_;
  const Place* places_;
};

bool is_count(const ValueInMessage& value, unsigned count) noexcept {
  const auto number = wire::to_uint(value.text());
  return number && *number == count;
}

// Few messages have values of these kinds, and most of those have the last ones again.
template <class Place>
[[gnu::noinline]] bool are_rare_valid(const ValidatorTables& tables, FieldSequence& sequence,
                                      const char* bytes, const Place* places) noexcept {
  Values values{sequence, bytes, places};
  values.leave_out(Check::UtcTimestamp);
  std::size_t next = 0;
  // is_valid: asked of values that are not the last ones.
  const auto are = [&](Check check, auto is_valid) {
    return values.are(check, [&](const ValueInMessage& value, unsigned detail) {
      const std::size_t at = next++;
      if (at >= FieldSequence::kLastValues) return is_valid(value, detail);
      std::uint64_t& last = sequence.last_values[at];
      const std::uint64_t word = word_of(value);
      if (word != 0 && word == last) return true;
      if (!is_valid(value, detail)) return false;
      last = word;
      return true;
    });
  };
  return are(Check::Enumerated,
             [&](const ValueInMessage& value, unsigned detail) {
               return tables.enumerations[detail].has(value.text());
             }) &&
         are(Check::Group, is_count) &&
         are(Check::Rare, [](const ValueInMessage& value, unsigned detail) {
           return is_of_type(static_cast<FieldType>(detail), value.text());
         });
}

// The kinds up to timestamps, in the order of Check, in which learn() has stored the checks. Most
// messages have values of few kinds: one test leaves several out. kNarrow: of a message whose
// TagSequence is_narrow(), so that it has valid characters. Then only values of a usual form
// are valid; nothing is called, so that what this needs stays in registers.
template <bool kNarrow, class Place>
[[gnu::always_inline]] inline bool are_plain_valid(FieldSequence& sequence, const char* bytes,
                                                   const Place* places) noexcept {
  using Value = const ValueInMessage&;
  Values values{sequence, bytes, places};
  bool are_usual = true;
  const bool right =
      (kNarrow || values.are_characters_valid()) &&
      (values.have_none_up_to(Check::Digits) ||
       (values.are(Check::Char, [](Value value, unsigned) { return value.size() == 1; }) &&
        values.are(Check::Boolean,
                   [](Value value, unsigned) { return is_boolean(value.text()); }) &&
        (kNarrow ||
         values.are(Check::Integer, [](Value value, unsigned) { return is_integer(value); })) &&
        values.are(Check::Digits,
                   [](Value value, unsigned) {
                     return kNarrow ? is_short_digits(value) : is_digits(value);
                   }))) &&
      values.are(Check::Decimal,
                 [](Value value, unsigned) {
                   return kNarrow ? is_short_decimal(value) : is_decimal(value);
                 }) &&
      values.are(Check::UtcTimestamp, [&](Value value, unsigned date) {
        return kNarrow ? sequence.dates[date].has(value.text())
                       : is_timestamp_near(value.text(), sequence.dates[date], are_usual);
      });
  sequence.proof.set_usual_times(are_usual);
  return right;
}

// Limits what is at this place to the character, which is allowed, and its allowed neighbours.
// Limits: a FrameShape or a TagSequence.
template <class Limits>
void narrow(Limits& limits, std::size_t at, const CharacterCheck& check, char character) noexcept {
  unsigned first = static_cast<unsigned char>(character);
  unsigned last = first;
  while (first > 0 && check.allows(first - 1)) --first;
  while (check.allows(last + 1)) ++last;
  limits.narrow(at, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last));
}

// Narrows the ranges of a message's shape to bytes that are valid for the values' checks, whatever
// the other bytes within their ranges are.
class ShapeRanges {
 public:
  ShapeRanges(const wire::MessageView& message, wire::detail::FrameShape& shape) noexcept
      : bytes_{message.bytes().data()}, places_{message.index().narrow_places}, shape_{shape} {}

  void narrow_to(const CharacterCheck& check) const noexcept {
    const std::uint32_t at = places_[check.field].begin;
    narrow(shape_, at, check, bytes_[at]);
  }
  // For a kind up to Check::UtcTimestamp.
  void narrow_to(const ValueCheck& check) const noexcept {
    if (check.check == Check::Char) return;  // any one
    const ValueInMessage value = value_at(bytes_, places_[check.field]);
    if (check.check == Check::UtcTimestamp) return narrow_to_time(value);
    // A sign and a point stay as they are, and so does a Boolean.
    for (std::uint32_t at = value.begin; at < value.end; ++at)
      is_digit(bytes_[at]) ? shape_.narrow(at, '0', '9') : keep(at);
  }

 private:
  void keep(std::uint32_t at) const noexcept {
    const auto byte = static_cast<std::uint8_t>(bytes_[at]);
    shape_.narrow(at, byte, byte);
  }
  // A timestamp that is_usual. The date stays as it is, with the first digit of the hour.
  void narrow_to_time(const ValueInMessage& value) const noexcept {
    constexpr std::uint32_t kHourBytes = 10;  // YYYYMMDD-H
    constexpr std::string_view kLatest = "9:59:59.";
    constexpr std::string_view kLatestAfter20 = "3:59:59.";
    std::uint32_t at = value.begin;
    for (; at < value.begin + kHourBytes; ++at) keep(at);
    for (const char latest : bytes_[at - 1] == '2' ? kLatestAfter20 : kLatest) {
      shape_.narrow(at++, static_cast<std::uint8_t>(is_digit(latest) ? '0' : latest),
                    static_cast<std::uint8_t>(latest));
    }
    for (; at < value.end; ++at) shape_.narrow(at, '0', '9');
  }

  const char* bytes_;
  const wire::detail::NarrowPlace* places_;
  wire::detail::FrameShape& shape_;
};

}  // namespace

bool FieldSequence::are_values_valid(const ValidatorTables& tables,
                                     const wire::MessageView& message,
                                     ValidationMemory& memory) noexcept {
  const auto value_of = [&](std::size_t field) {
    return value_at(message.bytes().data(), message.index().place(field));
  };
  if (msg_seq_num_field != 0 && !is_digits(value_of(msg_seq_num_field))) return false;
  const wire::detail::TagSequence* const known = message.sequence();
  const bool is_narrow = known != nullptr && known->is_narrow() && known->proof().number == number;
  bool are_usual = true;
  const bool right =
      (sending_time_field == 0 ||
       is_timestamp_near(value_of(sending_time_field).text(), dates.front(), are_usual)) &&
      (is_narrow ? are_narrow_values_valid(tables, message, memory)
                 : are_other_values_valid(tables, message, memory));
  if (!are_usual) proof.set_usual_times(false);
  return right;
}

// Out of line: few messages have unknown tags, or unusual values.
[[gnu::noinline]] bool FieldSequence::are_other_values_valid(const ValidatorTables& tables,
                                                             const wire::MessageView& message,
                                                             ValidationMemory& memory) noexcept {
  const char* const bytes = message.bytes().data();
  const auto are_valid = [&](const auto* places) {
    return are_plain_valid<false>(*this, bytes, places) &&
           (!has_unproven_values() || are_rare_valid(tables, *this, bytes, places));
  };
  const wire::detail::FieldIndex& index = message.index();
  const bool right =
      index.narrow_count != 0 ? are_valid(index.narrow_places) : are_valid(index.places);
  memory.set_proof(right ? &proof : nullptr);
  wire::detail::TagSequence* const tags = message.sequence();
  if (right && tags != nullptr && tags->proof().number == number) tags->adapt(message.bytes());
  return right;
}

bool FieldSequence::are_narrow_values_valid(const ValidatorTables& tables,
                                            const wire::MessageView& message,
                                            ValidationMemory& memory) noexcept {
  if (!are_plain_valid<true>(*this, message.bytes().data(), message.index().narrow_places))
      [[unlikely]]
    return are_other_values_valid(tables, message, memory);
  if (!message.sequence()->is_complete()) return are_unproven_values_valid(tables, message, memory);
  memory.set_proof(&proof);
  return true;
}

// Apart, so that most messages need no saved registers for it.
[[gnu::noinline]] bool FieldSequence::are_unproven_values_valid(const ValidatorTables& tables,
                                                                const wire::MessageView& message,
                                                                ValidationMemory& memory) noexcept {
  const bool right =
      are_rare_valid(tables, *this, message.bytes().data(), message.index().narrow_places);
  memory.set_proof(right ? &proof : nullptr);
  return right;
}

// Each range has bytes of which the value's check needs to know nothing else.
bool FieldSequence::prove(const wire::MessageView& message,
                          wire::detail::FrameShape& shape) const noexcept {
  if (!proof.has_usual_times()) return false;
  const ShapeRanges ranges{message, shape};
  for (std::size_t i = 0; i < character_count; ++i) ranges.narrow_to(characters[i]);
  const std::size_t end = ends[std::to_underlying(Check::UtcTimestamp)];
  for (std::size_t i = 0; i < end; ++i) ranges.narrow_to(checks[i]);
  return true;
}

void FieldSequence::prove(const wire::MessageView& message,
                          wire::detail::TagSequence& sequence) const noexcept {
  static_assert(kCharactersMax <= wire::detail::TagTexts::kValuesMax);
  const char* const bytes = message.bytes().data();
  const wire::detail::NarrowPlace* const places = message.index().narrow_places;
  for (std::size_t i = 0; i < character_count; ++i) {
    const std::uint32_t field = characters[i].field;
    narrow(sequence, field, characters[i], bytes[places[field].begin]);
  }
  const std::size_t end = ends[std::to_underlying(Check::Rare)];
  for (std::size_t i = ends[std::to_underlying(Check::UtcTimestamp)]; i < end; ++i)
    sequence.fix(checks[i].field, value_at(bytes, places[checks[i].field]).text());
}

// MsgSeqNum or SendingTime among the header's first fields, where a session compares them.
bool FieldSequence::takes_header_value(const SequenceKeys& sequence,
                                       const ValueCheck& one) noexcept {
  constexpr std::size_t kHeaderFields = 4;
  const std::size_t place = one.field - SequenceKeys::kFirstField;
  if (place >= kHeaderFields) return false;
  const std::uint16_t key = sequence.begin()[place];
  const bool is_msg_seq_num = key == tag::MsgSeqNum && one.check == Check::Digits;
  const bool is_sending_time = key == tag::SendingTime && one.check == Check::UtcTimestamp;
  if (is_msg_seq_num) msg_seq_num_field = one.field;
  if (is_sending_time) sending_time_field = one.field;
  return is_msg_seq_num || is_sending_time;
}

void FieldSequence::learn_characters(const ValidatorTables& tables,
                                     const CheckList& list) noexcept {
  character_count = 0;
  for (const ValueCheck& one : list) {
    if (one.check != Check::Enumerated || character_count == kCharactersMax) continue;
    const Enumeration& values = tables.enumerations[one.detail];
    if (values.has_only_characters())
      characters[character_count++] = {values.characters, one.field};
  }
}

bool FieldSequence::has_character(std::uint8_t field) const noexcept {
  return std::ranges::find(characters.begin(), characters.begin() + character_count, field,
                           &CharacterCheck::field) != characters.begin() + character_count;
}

void FieldSequence::learn(const ValidatorTables& tables, std::uint64_t context,
                          const SequenceKeys& sequence, const CheckList& list) noexcept {
  // Such a key does not identify its tag.
  if (std::ranges::find(sequence, wire::kLargeTagKey) != sequence.end()) return;
  static constinit std::atomic<std::uint64_t> learned{0};
  context_id = context;
  hash = sequence.hash(context);
  is_used = true;
  number = learned.fetch_add(1, std::memory_order_relaxed) + 1;
  key_count = sequence.count();
  std::ranges::copy(sequence.all(), keys.begin());
  std::size_t count = 0;
  std::uint16_t times = 0;
  msg_seq_num_field = 0;
  sending_time_field = 0;
  learn_characters(tables, list);
  for (std::size_t check = 0; check < kChecks; ++check) {
    for (const ValueCheck& one : list) {
      if (std::to_underlying(one.check) != check) continue;
      if (takes_header_value(sequence, one) || has_character(one.field)) continue;
      checks[count++] = one;
      if (one.check == Check::UtcTimestamp) checks[count - 1].detail = ++times % kDates;
    }
    ends[check] = static_cast<std::uint8_t>(count);
  }
  last_values = {};
  proof.begin();
  proof.set_flagged(std::ranges::any_of(sequence, [](std::uint16_t key) {
    return key == tag::PossDupFlag || key == tag::PossResend;
  }));
  for (const ValueCheck& one : list) {
    if (one.check == Check::UtcTimestamp) proof.add_timestamp(one.field);
    if (one.check != Check::Enumerated) continue;
    const Enumeration& values = tables.enumerations[one.detail];
    if (values.has_only_characters()) proof.add_characters(one.field, values.characters);
  }
}

ValidationMemory::ValidationMemory() : sequences_{new FieldSequence[kSequences]} {
  recent_.fill(sequences_.get());
}
ValidationMemory::~ValidationMemory() = default;
ValidationMemory::ValidationMemory(ValidationMemory&&) noexcept = default;
ValidationMemory& ValidationMemory::operator=(ValidationMemory&&) noexcept = default;

// A multiplication mixes its upper bits best.
FieldSequence* ValidationMemory::set_of(std::uint64_t hash) noexcept {
  constexpr unsigned kShift =
      std::numeric_limits<std::uint64_t>::digits - static_cast<unsigned>(std::countr_zero(kSets));
  static_assert(std::has_single_bit(kSets));
  return sequences_.get() + (hash >> kShift) * kWays;
}

// Most messages have as many tags as the last one with their sequence: then nothing is hashed.
FieldSequence* ValidationMemory::find(std::uint64_t context_id, const SequenceKeys& keys) noexcept {
  FieldSequence*& recent = recent_[(context_id * kRecentOfContext + keys.count()) % kRecent];
  if (recent->is_of(context_id, keys)) [[likely]] {
    recent->is_used = true;
    return recent;
  }
  const std::uint64_t hash = keys.hash(context_id);
  FieldSequence* const set = set_of(hash);
  for (FieldSequence* one = set; one != set + kWays; ++one) {
    if (one->hash != hash || !one->is_of(context_id, keys)) continue;
    one->is_used = true;
    return recent = one;
  }
  return nullptr;
}

FieldSequence* ValidationMemory::slot_for(std::uint64_t hash) noexcept {
  const std::span set{set_of(hash), kWays};
  std::uint64_t& candidate = candidates_[place_of(set.front()) / kWays];
  if (std::exchange(candidate, hash) == hash) {
    auto slot = std::ranges::find(set, std::uint64_t{0}, &FieldSequence::context_id);
    if (slot == set.end()) slot = std::ranges::find(set, false, &FieldSequence::is_used);
    if (slot != set.end()) return &*slot;
  }
  for (FieldSequence& one : set) one.is_used = false;
  return nullptr;
}

FieldSequence& ValidationMemory::at_place(std::size_t place) noexcept { return sequences_[place]; }
std::size_t ValidationMemory::place_of(const FieldSequence& sequence) const noexcept {
  return static_cast<std::size_t>(&sequence - sequences_.get());
}

// Inlined into nothing but the function below: a message of a proven shape needs no saved
// registers.
[[gnu::noinline]] bool Validator::is_valid_of_sequence(const wire::MessageView& message,
                                                       ValidationMemory& memory) const noexcept {
  const MemberContext* const context = tables_->message(message.msg_type());
  if (context == nullptr || !SequenceKeys::are_those_of(message)) [[unlikely]]
    return !validate(message, memory);
  FieldSequence* const known = memory.find(tables_->context_id(*context), SequenceKeys{message});
  if (known == nullptr) [[unlikely]]
    return !validate(message, memory);
  if (!known->are_other_values_valid(*tables_, message, memory)) [[unlikely]]
    return false;
  const wire::detail::ShapeProof proof{known->number, memory.place_of(*known)};
  if (wire::detail::FrameShape* const shape = message.shape();
      shape != nullptr && known->prove(message, *shape)) {
    shape->set_proof(proof);
  }
  if (wire::detail::TagSequence* const sequence = message.sequence(); sequence != nullptr) {
    sequence->set_proof(proof);
    known->prove(message, *sequence);
  }
  return true;
}

bool Validator::is_valid_after_header(const wire::MessageView& message,
                                      ValidationMemory& memory) const noexcept {
  // Null: unknown.
  const auto known_by = [&](const wire::detail::ShapeProof& proof) -> FieldSequence* {
    FieldSequence& known = memory.at_place(proof.place);
    if (known.number != proof.number || !tables_->has_context(known.context_id)) [[unlikely]]
      return nullptr;
    known.is_used = true;
    return &known;
  };
  if (const wire::detail::FrameShape* const shape = message.shape(); shape != nullptr) {
    FieldSequence* const known = known_by(shape->proof());
    if (known == nullptr) [[unlikely]]
      return is_valid_of_sequence(message, memory);
    known->proof.set_usual_times(true);
    memory.set_proof(&known->proof);
    return !known->has_unproven_values() ||
           known->are_unproven_values_valid(*tables_, message, memory);
  }
  const wire::detail::TagSequence* const sequence = message.sequence();
  if (sequence == nullptr) return is_valid_of_sequence(message, memory);
  FieldSequence* const known = known_by(sequence->proof());
  if (known == nullptr) [[unlikely]]
    return is_valid_of_sequence(message, memory);
  return sequence->is_narrow() ? known->are_narrow_values_valid(*tables_, message, memory)
                               : known->are_other_values_valid(*tables_, message, memory);
}

}  // namespace nexusfix::dictionary
