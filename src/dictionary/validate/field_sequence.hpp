// A sequence of tags that has been found valid, and the remaining checks of a message with these
// tags.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed/field_proof.hpp>

#include "dictionary/validate/validator_tables.hpp"

namespace nexusfix::dictionary {

// A message's keys, from the first one that no parser has verified to that of the CheckSum. Only
// for a message without a fault.
class SequenceKeys {
 public:
  // A parser has verified that 8, 9 and 35 are the first fields.
  static constexpr std::size_t kFirstField = 3;
  // Whole words are compared. The minimum is the keys of one word; longer sequences are not
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
    std::uint64_t hash = seed ^ count_;
    for_each_word([&](std::size_t, std::uint64_t word) { hash = std::rotl(hash, kTurn) ^ word; });
    return hash * kMultiplier;
  }
  [[nodiscard]] bool are(const std::uint16_t* others) const noexcept {
    std::uint64_t differences = 0;
    for_each_word([&](std::size_t at, std::uint64_t word) {
      std::uint64_t other;
      std::memcpy(&other, others + at, sizeof other);
      differences |= word ^ other;
    });
    return differences == 0;
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] const std::uint16_t* begin() const noexcept { return keys_; }
  [[nodiscard]] const std::uint16_t* end() const noexcept { return keys_ + count_; }

 private:
  // Four keys at a time. The last word overlaps the one before it.
  template <class Take>
  [[gnu::always_inline]] void for_each_word(Take take) const noexcept {
    const auto word_at = [this](std::size_t at) {
      std::uint64_t word;
      std::memcpy(&word, keys_ + at, sizeof word);
      return word;
    };
    const std::size_t last = count_ - kKeysMin;
    for (std::size_t at = 0; at < last; at += kKeysMin) take(at, word_at(at));
    take(last, word_at(last));
  }

  const std::uint16_t* keys_;
  std::size_t count_;
};

// detail: for Check::Group the number of entries, otherwise as in MemberRule.
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

// The minute of a timestamp of the last message, so that the next one is compared and not read.
class KnownMinute {
 public:
  static constexpr std::size_t kFields = 4;

  // Whether the text is a UTCTimestamp in milliseconds within the minute. False: ask further.
  [[nodiscard]] bool has(std::string_view text) const noexcept;
  // A correct UTCTimestamp. Only the years 2000 to 2099 are remembered.
  void learn(std::string_view text) noexcept;

 private:
  std::uint64_t date_ = 0;    // YYYYMMDD
  std::uint64_t minute_ = 0;  // DD-HH:MM
};

// A value that must be one of these ASCII characters, a bit each.
struct CharacterCheck {
  std::array<std::uint64_t, 2> allowed{};
  std::uint32_t field = 0;
};

struct FieldSequence {
  static constexpr std::size_t kCharactersMax = 12;
  static constexpr std::size_t kChecks = std::size_t{std::to_underlying(Check::Rare)} + 1;

  std::uint64_t context_id = 0;  // ValidatorTables::context_id(); 0: the slot is empty
  std::uint64_t candidate = 0;   // hash of the last unknown sequence that came here
  std::size_t key_count = 0;
  std::array<std::uint16_t, SequenceKeys::kFieldsMax> keys{};
  // Grouped by kind, so that no check has to test its kind.
  std::array<ValueCheck, SequenceKeys::kFieldsMax> checks{};
  std::array<std::uint8_t, kChecks> ends{};  // of each kind
  // MsgSeqNum, digits, and SendingTime, a timestamp, are not among the checks. 0: they are.
  std::uint8_t msg_seq_num_field = 0;
  std::uint8_t sending_time_field = 0;
  // Of the enumerated ones, those whose values all are one character; further ones are in checks.
  std::array<CharacterCheck, kCharactersMax> characters{};
  std::size_t character_count = 0;
  // Of the SendingTime and of the other timestamps, in their order. Of more than these, some share
  // one.
  std::array<KnownMinute, KnownMinute::kFields> minutes{};
  wire::FieldProof proof;  // for typed messages

  [[nodiscard]] bool is_of(std::uint64_t context, const SequenceKeys& others) const noexcept {
    return context_id == context && key_count == others.count() && others.are(keys.data());
  }
  // For a message with this sequence. Notes for the proof whether KnownMinutes have all timestamps.
  [[nodiscard]] bool are_values_right(const ValidatorTables& tables,
                                      const wire::MessageView& message) noexcept;
  // The same but for MsgSeqNum and SendingTime.
  [[nodiscard]] bool are_other_values_right(const ValidatorTables& tables,
                                            const wire::MessageView& message) noexcept;
  void learn(const ValidatorTables& tables, std::uint64_t context, const SequenceKeys& sequence,
             const CheckList& list) noexcept;

 private:
  [[nodiscard]] bool are_header_values_right(const wire::MessageView& message,
                                             bool& are_usual) noexcept;
  [[nodiscard]] bool takes_header_value(const SequenceKeys& sequence,
                                        const ValueCheck& one) noexcept;
};

}  // namespace nexusfix::dictionary
