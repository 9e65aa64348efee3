// Validates messages against a dictionary. <nexusfix/explanation.hpp> explains their errors.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/language.hpp>
#include <nexusfix/dictionary.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/parser.hpp>

// Remembers the field sequences of valid messages for a Validator.

namespace nexusfix::wire {
namespace detail {
class FieldProof;
}  // namespace detail
}  // namespace nexusfix::wire

namespace nexusfix::dictionary {

class SequenceKeys;
struct FieldSequence;

// Makes Validator::validate() faster. It remembers the tag sequences of valid messages of up to 64
// fields, each with its remaining checks. A counterparty sends the same few sequences all day. The
// sequence alone determines whether a tag is known, allowed, repeated, missing or out of order, and
// the form of a group whose count has not changed. Only the values are new.
//
// Any number of validators may use one memory. One thread at a time. A new sequence is learned when
// it occurs for the second time, and may replace one that has not occurred since. A replaced
// sequence costs time, but never correctness.
class ValidationMemory {
 public:
  // Without any sequence. Allocates some 40 KiB, and nothing later. For startup.
  ValidationMemory();
  ~ValidationMemory();
  // Takes the sequences; other may only be destroyed or assigned to afterwards.
  ValidationMemory(ValidationMemory&&) noexcept;
  // Takes the sequences; the earlier ones of this object are dropped.
  ValidationMemory& operator=(ValidationMemory&&) noexcept;

  // The sequence of these tags in a context with this ValidatorTables::context_id(); null: it is
  // unknown. For Validator only.
  [[nodiscard]] FieldSequence* find(std::uint64_t context_id, const SequenceKeys& keys) noexcept;
  // The slot for an unknown sequence with this hash; null: it is not learned yet. For Validator
  // only.
  [[nodiscard]] FieldSequence* slot_for(std::uint64_t hash) noexcept;

  // The slot at this place, below kSequences. For Validator only.
  [[nodiscard]] FieldSequence& at_place(std::size_t place) noexcept;
  // The place of a slot. For Validator only.
  [[nodiscard]] std::size_t place_of(const FieldSequence& sequence) const noexcept;

  // What is known of the message that the last call of validate() has found valid; null: nothing.
  // Valid as long as the memory; a proof of another message replaces it.
  [[nodiscard]] wire::detail::FieldProof* proof() const noexcept { return proof_; }
  // For Validator only.
  void set_proof(wire::detail::FieldProof* proof) noexcept { proof_ = proof; }

  // The number of sequences that it remembers, at most.
  static constexpr std::size_t kSequences = 64;

 private:
  // A sequence has a slot in the set that its hash selects.
  static constexpr std::size_t kWays = 4;
  static constexpr std::size_t kSets = kSequences / kWays;
  static constexpr std::size_t kRecent = 64;
  // Orders of one counterparty have up to that many numbers of tags.
  static constexpr std::size_t kRecentOfContext = 13;

  [[nodiscard]] FieldSequence* set_of(std::uint64_t hash) noexcept;

  std::unique_ptr<FieldSequence[]> sequences_;
  // The sequence that was found last, by context and number of tags; never null.
  std::array<FieldSequence*, kRecent> recent_{};
  // The hash of the last unknown sequence of each set.
  std::array<std::uint64_t, kSets> candidates_{};
  wire::detail::FieldProof* proof_ = nullptr;  // of one of them
};

// Checks parsed messages against a dictionary.

using wire::kUserDefinedTagMin;

// The rules to check. Each has a key of the same name in a session's configuration, and the meaning
// that it has in QuickFIX and QuickFIX/J. The defaults are the same, except where noted.
struct ValidationRules {
  // true: header, body and trailer must follow each other.
  bool validate_fields_out_of_order = true;
  // true: a field without a value is a violation. false: it is valid for every type.
  bool validate_fields_have_values = true;
  // true: tags from kUserDefinedTagMin on that the message does not have are violations.
  bool validate_user_defined_fields = true;
  // true: tags below kUserDefinedTagMin that the message does not have are valid.
  bool allow_unknown_msg_fields = false;
  // true: values that an enumeration does not have are valid if they are of the field's type.
  bool allow_unknown_enum_values = false;
  // true: the fields of a group's entry after the first one must be in the dictionary's order.
  // false: they may be in any order, each once. The default is that of QuickFIX, because
  // dictionaries differ in the order. The default of QuickFIX/J is true.
  bool validate_unordered_group_fields = false;
  // true: every entry begins with the first field of the first entry. false: it begins with the
  // dictionary's first member.
  bool first_field_in_group_is_delimiter = false;

  // Compares rule by rule.
  friend auto operator<=>(const ValidationRules&, const ValidationRules&) = default;
};

// The configuration keys of all rules, each with its member, in the order of ValidationRules.
inline constexpr std::array<std::pair<std::string_view, bool ValidationRules::*>, 7>
    kValidationRuleKeys{
        {{"ValidateFieldsOutOfOrder", &ValidationRules::validate_fields_out_of_order},
         {"ValidateFieldsHaveValues", &ValidationRules::validate_fields_have_values},
         {"ValidateUserDefinedFields", &ValidationRules::validate_user_defined_fields},
         {"AllowUnknownMsgFields", &ValidationRules::allow_unknown_msg_fields},
         {"AllowUnknownEnumValues", &ValidationRules::allow_unknown_enum_values},
         {"ValidateUnorderedGroupFields", &ValidationRules::validate_unordered_group_fields},
         {"FirstFieldInGroupIsDelimiter", &ValidationRules::first_field_in_group_is_delimiter}}};
static_assert(sizeof(ValidationRules) == kValidationRuleKeys.size() * sizeof(bool));

// A violation of the dictionary in a message. explain() makes a text of it. Trivially copyable.
struct Violation {
  // The rule that a message breaks.
  enum class Rule : std::uint8_t {
    TagMalformed,           // not a number, leading zero, zero, negative, too large
    TagWithoutValue,        // no `=` in the field
    ValueEmpty,             // `55=` and SOH
    DataLengthWrong,        // the Length field of a data field does not lead to a SOH
    MsgTypeUnknown,         // the dictionary does not have the message
    TagUnknown,             // the dictionary does not have the field
    TagNotInMessage,        // the dictionary has the field, but not in this message
    TagOutOfSection,        // a header field after the header, or a body field in the trailer
    TagRepeated,            // for the second time in the message, or in the entry of a group
    TypeWrong,              // the value is not of the field's type
    ValueOutOfRange,        // a SeqNum of 0, where 0 has no meaning
    ValueNotInEnumeration,  // of the field's type, but not one of its values
    DelimiterMissing,       // an entry of a group does not begin with the group's first field
    GroupOrderWrong,        // within an entry, a field comes after one that it must precede
    GroupCountWrong,        // more or fewer entries than the count field says
    LengthMissing,          // a data field without its Length field, so that its end is unknown
    DataMissing,            // a Length field without the data field that it announces
    DataOutOfOrder,         // both are present, but the data field does not directly follow
    RequiredTagMissing,     // of the message, or of the entry of a group
  };
  Rule rule = Rule::TagMalformed;  // the broken rule
  // RefTagID (371). For GroupCountWrong the count field, for RequiredTagMissing the missing field,
  // for DataOutOfOrder the data field. 0: there is none, or it is not a number and only in
  // tag_text.
  wire::Tag tag = 0;
  // The position in the message, in bytes, of the value's first byte. For a field without a
  // readable tag or a value, of the field's first byte. For a missing field, of its entry, or of
  // MsgType.
  std::uint32_t offset = 0;
  // An index of the fields of MessageView. For a malformed field, the next readable
  // one.
  std::uint32_t field_index = 0;
  // The count field of the innermost group around the field; 0: none.
  wire::Tag group = 0;
  // For DelimiterMissing: the field that is required here.
  wire::Tag expected_tag = 0;
  // For GroupCountWrong: the number in the count field, or the largest number if it does not fit.
  std::uint64_t expected_entries = 0;
  std::uint64_t found_entries = 0;  // for GroupCountWrong: the number of entries
  // The bytes before the `=` of a malformed field; empty for all others. Valid as long as the bytes
  // of the message.
  std::string_view tag_text{};

  // The SessionRejectReason (373) of the rule.
  [[nodiscard]] wire::SessionRejectReason reason() const noexcept;
};

// The number of enumerators of Violation::Rule.
inline constexpr std::size_t kViolationRules =
    static_cast<std::size_t>(Violation::Rule::RequiredTagMissing) + 1;

// The SessionRejectReason (373) of a violation. For a tag that the dictionary does not have it is
// "invalid tag number" (0), not "undefined tag" (3): FIX Session Layer, test case 14a.
[[nodiscard]] wire::SessionRejectReason reject_reason(Violation::Rule rule) noexcept;

// Whether the fields of the message can still be separated. If not, its meaning is unknown.
[[nodiscard]] bool is_readable(Violation::Rule rule) noexcept;

inline wire::SessionRejectReason Violation::reason() const noexcept { return reject_reason(rule); }

// The two dictionaries of a FIXT session. Header, trailer and administrative messages come from the
// transport only, even if the other one defines their fields.
struct FixtDictionaries {
  const Dictionary& transport;    // FIXT 1.1: header, trailer, administrative messages
  const Dictionary& application;  // FIX 5.0 or later, or an earlier version
};

struct ValidatorTables;

// Checks messages against a dictionary. Made once from the dictionary, which it does not need
// afterwards. A copy shares the tables and is cheap. Any number of threads may use one object.
//
//   auto validator = dictionary::Validator::make(dictionary, {});
//   if (auto wrong = validator->validate(message)) reject(wrong->reason(), wrong->tag);
class Validator {
 public:
  // Makes a validator. The error is a text with the reason: a message has more than 16,384 fields,
  // those of groups included, which is more than the stack should hold; or a dictionary that no
  // loader made is inconsistent: its members name undefined fields, or contain themselves.
  // Allocates; for startup.
  [[nodiscard]] static std::expected<Validator, std::string> make(const Dictionary& dictionary,
                                                                  const ValidationRules& rules);
  // Makes the validator of a FIXT session.
  [[nodiscard]] static std::expected<Validator, std::string> make(const FixtDictionaries& both,
                                                                  const ValidationRules& rules);

  // The violation to report for a message of a wire::Parser; unset: the message is valid. Does not
  // allocate. Any number of fields; O(fields).
  //
  // If there are several, it is the first one in the order of QuickFIX: an unreadable field that
  // the parser has found; an unknown MsgType; structure, which means a data field that does not
  // follow its Length field, a field outside of its section, and a tag that occurs twice; a
  // required field that is missing, first in the header, then in the body, by ascending tag; one
  // that is missing in an entry of a group; then the first field in the message with another
  // violation, or without a value. Of one field, it is the first of: tag, place, repetition, type,
  // enumeration.
  //
  // A field that a group's entry does not have ends the group if the message, or the enclosing
  // group, has that field. A field is required if it is required in the message or the entry
  // itself, or in a required component of it. As in QuickFIX, an optional component requires
  // nothing.
  //
  // Values are scanned, not converted, so a number may have any number of digits. Fields that the
  // parser has verified (8, 9, 35, 10) are not checked again.
  [[nodiscard]] std::optional<Violation> validate(const wire::MessageView& message) const noexcept;

  // Like validate() without memory, but faster if memory contains the message's sequence of tags:
  // the rows `validate/*` of the benchmark show the difference. Does not allocate. One thread at a
  // time for each memory.
  [[nodiscard]] std::optional<Violation> validate(const wire::MessageView& message,
                                                  ValidationMemory& memory) const noexcept;
  // Whether validate() is known to find nothing, for a message whose MsgSeqNum is known to be
  // digits, and its SendingTime a UTCTimestamp: for a session that has compared both with those of
  // the message before. They are not checked again. false: ask validate().
  [[nodiscard]] bool is_valid_after_header(const wire::MessageView& message,
                                           ValidationMemory& memory) const noexcept;

  // The memory of the tables, in bytes.
  [[nodiscard]] std::size_t size_bytes() const noexcept;

 private:
  // is_valid_after_header() for a message whose shape proves nothing.
  [[nodiscard]] bool is_valid_of_sequence(const wire::MessageView& message,
                                          ValidationMemory& memory) const noexcept;

  explicit Validator(std::shared_ptr<const ValidatorTables> tables) noexcept;

  std::shared_ptr<const ValidatorTables> tables_;
};

}  // namespace nexusfix::dictionary
