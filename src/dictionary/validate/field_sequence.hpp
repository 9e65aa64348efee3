// A sequence of tags that has been found valid, and the remaining checks of a message with these
// tags.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/parser.hpp>
#include <nexusfix/wire/typed.hpp>

#include "dictionary/validate/known_date.hpp"
#include "dictionary/validate/validator_tables.hpp"

namespace nexusfix::dictionary {

// A message's keys, from the first one that no parser has verified to that of the CheckSum. Only
// for a message without a fault.
class SequenceKeys {
 public:
  // A parser has verified that 8, 9 and 35 are the first fields.
  static constexpr std::size_t kFirstField = 3;
  // Whole words are hashed. The minimum is the keys of one word; longer sequences are not
  // remembered.
  static constexpr std::size_t kKeysMin = sizeof(std::uint64_t) / sizeof(std::uint16_t);
  static constexpr std::size_t kFieldsMax = 64;

  explicit SequenceKeys(const wire::MessageView& message) noexcept
      : keys_{message.index().keys + kFirstField}, count_{message.field_count() - kFirstField} {}

  [[nodiscard]] static bool are_those_of(const wire::MessageView& message) noexcept {
    const std::size_t count = message.field_count();
    return count >= kFirstField + kKeysMin && count <= kFieldsMax && !message.fault() &&
           message.index().place(kFirstField).end >= kFrontBytes;
  }
  [[nodiscard]] std::uint64_t hash(std::uint64_t seed) const noexcept {
    constexpr std::uint64_t kMultiplier = 0x9e37'79b9'7f4a'7c15;
    constexpr int kTurn = 7;
    const auto mixed = [this](std::uint64_t so_far, std::size_t at) {
      return std::rotl(so_far, kTurn) ^
             wire::detail::load_word<std::uint64_t>(reinterpret_cast<const char*>(keys_ + at));
    };
    // Four keys at a time. The last word overlaps the one before it.
    const std::size_t last = count_ - kKeysMin;
    std::uint64_t hash = seed ^ count_;
    for (std::size_t at = 0; at < last; at += kKeysMin) hash = mixed(hash, at);
    return mixed(hash, last) * kMultiplier;
  }
  // others: all keys of a message, aligned like these. Compares aligned vectors, also the keys of
  // the fields that a parser has verified: a parser has just stored the keys by one vector, and a
  // load from across its halves would wait until that has reached the cache.
  [[nodiscard]] bool are(const std::uint16_t* others) const noexcept {
    const std::uint16_t* const keys = keys_ - kFirstField;
    const std::size_t fields = count_ + kFirstField;
#if defined(__SSE2__)
    const auto differences_at = [=](std::size_t at) {
      const void* const here = keys + at;
      const void* const there = others + at;
      return _mm_xor_si128(_mm_load_si128(static_cast<const __m128i*>(here)),
                           _mm_load_si128(static_cast<const __m128i*>(there)));
    };
    // Ones for the fields of the last vector, which is never empty.
    static constexpr std::array<std::uint16_t, 2 * kKeysOfVector> kKept = [] {
      std::array<std::uint16_t, 2 * kKeysOfVector> kept{};
      for (std::size_t i = 0; i < kKeysOfVector; ++i) kept[i] = 0xffff;
      return kept;
    }();
    const std::size_t last = (fields - 1) / kKeysOfVector * kKeysOfVector;
    const void* const kept = kKept.data() + kKeysOfVector - (fields - last);
    __m128i differences =
        _mm_and_si128(differences_at(last), _mm_loadu_si128(static_cast<const __m128i*>(kept)));
    for (std::size_t at = 0; at < last; at += kKeysOfVector) {
      differences = _mm_or_si128(differences, differences_at(at));
    }
    return _mm_movemask_epi8(_mm_cmpeq_epi8(differences, _mm_setzero_si128())) == 0xffff;
#else
    return std::memcmp(keys, others, fields * sizeof(*keys)) == 0;
#endif
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] const std::uint16_t* begin() const noexcept { return keys_; }
  [[nodiscard]] const std::uint16_t* end() const noexcept { return keys_ + count_; }
  // With the fields that a parser has verified.
  [[nodiscard]] std::span<const std::uint16_t> all() const noexcept {
    return {keys_ - kFirstField, count_ + kFirstField};
  }

 private:
  static constexpr std::size_t kKeysOfVector = 8;

  const std::uint16_t* keys_;
  std::size_t count_;
};

// detail: for Check::Group the number of entries, for a timestamp its place among the dates,
// otherwise as in MemberRule.
struct ValueCheck {
  std::uint8_t field = 0;
  Check check = Check::Text;
  std::uint16_t detail = 0;
};

// Collects the checks of one message during its walk.
class CheckList {
 public:
  void add(std::size_t field, Check check, std::uint64_t detail) noexcept {
    if (check == Check::Text) return;
    checks_[count_++] = {static_cast<std::uint8_t>(field), check,
                         static_cast<std::uint16_t>(detail)};
  }
  [[nodiscard]] const ValueCheck* begin() const noexcept { return checks_.data(); }
  [[nodiscard]] const ValueCheck* end() const noexcept { return checks_.data() + count_; }

 private:
  std::array<ValueCheck, SequenceKeys::kFieldsMax> checks_;  // a field has at most one
  std::size_t count_ = 0;
};

// For a walk whose checks are not kept.
struct NoCheckList {
  void add(std::size_t, Check, std::uint64_t) const noexcept {}
};

// A value that must be one of these ASCII characters, a bit each.
struct CharacterCheck {
  std::array<std::uint64_t, 2> allowed{};
  std::uint32_t field = 0;

  [[nodiscard]] bool allows(std::uint32_t code) const noexcept {
    constexpr unsigned kWordBits = 64;
    return code < Enumeration::kCharacterEnd &&
           (allowed[code / kWordBits] >> (code % kWordBits) & 1U) != 0;
  }
};

struct FieldSequence {
  static constexpr std::size_t kCharactersMax = 12;
  static constexpr std::size_t kDates = 4;
  static constexpr std::size_t kLastValues = 8;
  static constexpr std::size_t kChecks = std::size_t{std::to_underlying(Check::Rare)} + 1;

  std::uint64_t context_id = 0;  // ValidatorTables::context_id(); 0: the slot is empty
  std::uint64_t number = 0;      // unique among all learned ones of this process
  std::uint64_t hash = 0;        // of the keys and the context
  bool is_used = false;          // since an unknown sequence came to its set
  std::size_t key_count = 0;
  alignas(16) std::array<std::uint16_t, SequenceKeys::kFieldsMax> keys{};  // of the whole message
  // Grouped by kind, so that no check has to test its kind.
  std::array<ValueCheck, SequenceKeys::kFieldsMax> checks{};
  std::array<std::uint8_t, kChecks> ends{};  // of each kind
  // MsgSeqNum, digits, and SendingTime, a timestamp, are not among the checks. 0: they are.
  std::uint8_t msg_seq_num_field = 0;
  std::uint8_t sending_time_field = 0;
  // The enumerated ones whose values all are one character; further ones are in checks.
  std::array<CharacterCheck, kCharactersMax> characters{};
  std::size_t character_count = 0;
  // Dates of the SendingTime and of the other timestamps, in their order. If there are more, some
  // share one.
  std::array<KnownDate, kDates> dates{};
  // The last values of the first checks from Enumerated on: an equal one is valid, too. 0: none.
  std::array<std::uint64_t, kLastValues> last_values{};
  wire::detail::FieldProof proof;  // for typed messages

  [[nodiscard]] bool is_of(std::uint64_t context, const SequenceKeys& others) const noexcept {
    return context_id == context && key_count == others.count() && others.are(keys.data());
  }
  // For a message with this sequence. Notes for the proof whether KnownDates have all timestamps,
  // and is the memory's proof if the values are valid; otherwise it has none.
  [[nodiscard]] bool are_values_valid(const ValidatorTables& tables,
                                      const wire::MessageView& message,
                                      ValidationMemory& memory) noexcept;
  // Checks the values except MsgSeqNum and SendingTime. If they are valid, adapts the message's
  // TagSequence.
  [[nodiscard]] bool are_other_values_valid(const ValidatorTables& tables,
                                            const wire::MessageView& message,
                                            ValidationMemory& memory) noexcept;
  // For a message whose TagSequence, which prove() has limited, is_narrow(): the checks that are
  // left.
  [[nodiscard]] bool are_narrow_values_valid(const ValidatorTables& tables,
                                             const wire::MessageView& message,
                                             ValidationMemory& memory) noexcept;
  // For a message that fits its FrameShape, which prove() has narrowed: the checks that are left.
  [[nodiscard]] bool are_unproven_values_valid(const ValidatorTables& tables,
                                               const wire::MessageView& message,
                                               ValidationMemory& memory) noexcept;
  [[nodiscard]] bool has_unproven_values() const noexcept {
    return ends[std::to_underlying(Check::UtcTimestamp)] != ends[std::to_underlying(Check::Rare)];
  }
  // Narrows the ranges of the shape of a valid message, so that each message that fits has valid
  // values but for MsgSeqNum, SendingTime, and the kinds from Enumerated on. False: not all
  // timestamps of this message are usual.
  [[nodiscard]] bool prove(const wire::MessageView& message,
                           wire::detail::FrameShape& shape) const noexcept;
  // Limits a sequence of tags: if a message is_narrow(), its characters are valid, and if the
  // sequence is_complete(), so are all values from Enumerated on.
  void prove(const wire::MessageView& message, wire::detail::TagSequence& sequence) const noexcept;
  void learn(const ValidatorTables& tables, std::uint64_t context, const SequenceKeys& sequence,
             const CheckList& list) noexcept;

 private:
  void learn_characters(const ValidatorTables& tables, const CheckList& list) noexcept;
  [[nodiscard]] bool has_character(std::uint8_t field) const noexcept;
  [[nodiscard]] bool takes_header_value(const SequenceKeys& sequence,
                                        const ValueCheck& one) noexcept;
};

}  // namespace nexusfix::dictionary
