// Checks parsed messages against a dictionary.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/dictionary/model.hpp>
#include <nexusfix/dictionary/validation_memory.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/reject_reason.hpp>
#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::dictionary {

using wire::kUserDefinedTagMin;

// The rules to check. Each switch is a key of the same name in a session's configuration, with the
// meaning that it has in QuickFIX and QuickFIX/J and, with one exception, their default.
struct ValidationRules {
  // Header, body and trailer must follow each other.
  bool validate_fields_out_of_order = true;
  // A field without a value is a violation. If false, it is valid for every type.
  bool validate_fields_have_values = true;
  // Tags from kUserDefinedTagMin on that the message does not have are violations.
  bool validate_user_defined_fields = true;
  // Tags below kUserDefinedTagMin that the message does not have are valid.
  bool allow_unknown_msg_fields = false;
  // Values that an enumeration does not have are valid if their type is.
  bool allow_unknown_enum_values = false;
  // The fields of a group's entry after the first one must be in the dictionary's order. If false,
  // they may be in any order, each once. The default is that of QuickFIX, because dictionaries
  // differ in the order; QuickFIX/J's default is the opposite.
  bool validate_unordered_group_fields = false;
  // Every entry begins with the first field of the first entry, not with the dictionary's first
  // member.
  bool first_field_in_group_is_delimiter = false;

  friend auto operator<=>(const ValidationRules&, const ValidationRules&) = default;
};

// The configuration keys of the rules.
struct ValidationRuleKey {
  std::string_view name;
  bool ValidationRules::* rule;
};
inline constexpr std::array kValidationRuleKeys{
    ValidationRuleKey{"ValidateFieldsOutOfOrder", &ValidationRules::validate_fields_out_of_order},
    ValidationRuleKey{"ValidateFieldsHaveValues", &ValidationRules::validate_fields_have_values},
    ValidationRuleKey{"ValidateUserDefinedFields", &ValidationRules::validate_user_defined_fields},
    ValidationRuleKey{"AllowUnknownMsgFields", &ValidationRules::allow_unknown_msg_fields},
    ValidationRuleKey{"AllowUnknownEnumValues", &ValidationRules::allow_unknown_enum_values},
    ValidationRuleKey{"ValidateUnorderedGroupFields",
                      &ValidationRules::validate_unordered_group_fields},
    ValidationRuleKey{"FirstFieldInGroupIsDelimiter",
                      &ValidationRules::first_field_in_group_is_delimiter}};
static_assert(sizeof(ValidationRules) == kValidationRuleKeys.size() * sizeof(bool));

enum class ViolationRule : std::uint8_t {
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
  ValueNotInEnumeration,  // of the field's type, but not one of its values
  DelimiterMissing,       // an entry of a group does not begin with the group's first field
  GroupOrderWrong,        // within an entry, a field comes after one that it must precede
  GroupCountWrong,        // more or fewer entries than the count field says
  LengthMissing,          // a data field without its Length field, so that its end is unknown
  DataMissing,            // a Length field without the data field that it announces
  DataOutOfOrder,         // both are present, but the data field does not directly follow
  RequiredTagMissing,     // of the message, or of the entry of a group
};
inline constexpr std::size_t kViolationRules =
    static_cast<std::size_t>(ViolationRule::RequiredTagMissing) + 1;

// A tag that the dictionary does not have is an invalid tag number (0), not an undefined tag (3),
// according to TC 14a.
[[nodiscard]] wire::SessionRejectReason reject_reason(ViolationRule rule) noexcept;

// Whether the message's fields are still separable. If not, the meaning of the message is unknown.
[[nodiscard]] bool is_readable(ViolationRule rule) noexcept;

// A violation, with all that is needed to make a text of it on the cold side. Trivially copyable;
// tag_text lives as long as the message's bytes.
struct Violation {
  ViolationRule rule = ViolationRule::TagMalformed;
  // RefTagID (371). 0: none, or not a number; then it is only in tag_text. For a wrong number of
  // entries it is the count field, for a missing field that field, for a separated pair the data
  // field.
  wire::Tag tag = 0;
  // The position of the value's first byte. For a field without a readable tag or a value, the
  // position of the field's first byte. For a missing field, the beginning of its entry, or
  // MsgType.
  std::uint32_t offset = 0;
  // The same as an index of MessageView's fields. For a malformed field, the next readable one.
  std::uint32_t field_index = 0;
  // The count field of the innermost group around the field; 0: none.
  wire::Tag group = 0;
  // For DelimiterMissing: the field that is required here.
  wire::Tag expected_tag = 0;
  // For GroupCountWrong: the number in the count field (the largest one if it is larger) and the
  // number of entries.
  std::uint64_t expected_entries = 0;
  std::uint64_t found_entries = 0;
  // The received bytes before the `=` of a malformed field; empty for all others.
  std::string_view tag_text{};

  [[nodiscard]] wire::SessionRejectReason reason() const noexcept { return reject_reason(rule); }
};

// The two dictionaries of a FIXT session. Header, trailer and administrative messages come from the
// transport only, even if the other one defines their fields.
struct FixtDictionaries {
  const Dictionary& transport;
  const Dictionary& application;
  // Provides header and trailer if the transport's header is empty, as in a file of messages only.
  const Dictionary* standard = nullptr;
};

struct ValidatorTables;

// Made once from a dictionary, which it does not need afterwards. A copy shares the tables. Any
// number of threads may validate with one object.
//
//   auto validator = dictionary::Validator::make(dictionary, {});
//   if (auto wrong = validator->validate(message)) reject(wrong->reason(), wrong->tag);
class Validator {
 public:
  // The error is a text with the reason: a message has more fields, with groups, than the stack
  // should hold (16,000), or a dictionary that no loader made is inconsistent: its members name
  // undefined fields, or contain themselves. Allocates; for startup.
  [[nodiscard]] static std::expected<Validator, std::string> make(const Dictionary& dictionary,
                                                                  const ValidationRules& rules);
  [[nodiscard]] static std::expected<Validator, std::string> make(const FixtDictionaries& both,
                                                                  const ValidationRules& rules);

  // The violation to report for a message of a Parser, in the order of QuickFIX: an unreadable
  // field that the parser has found; the MsgType; structure, which means a data field that does not
  // follow its Length field, fields outside of their section, and a tag that occurs twice; a
  // required field that is missing, first in the header, then in the body, by ascending tag; one
  // that is missing in an entry of a group; then the first field in wire order with another
  // violation, or without a value.
  //
  // A field that a group's entry does not have ends the group if the message, or the enclosing
  // group, has that field. A field is required if it is required in the message or the entry
  // itself, or in a required component of it: as in QuickFIX, an optional component requires
  // nothing.
  //
  // Only the first violation of a field counts: its tag, its place, its repetition, its type, its
  // enumeration. Values are scanned, not converted, so a number may have any number of digits.
  // Fields that the parser has verified (8, 9, 35, 10) are not checked again. No allocation; any
  // number of fields; O(fields).
  [[nodiscard]] std::optional<Violation> validate(const wire::MessageView& message) const noexcept;

  // The same result, but faster if the memory contains the message's sequence of fields: the rows
  // validate/* of the benchmark show the difference. No allocation; one thread for each memory.
  [[nodiscard]] std::optional<Violation> validate(const wire::MessageView& message,
                                                  ValidationMemory& memory) const noexcept;

  // The memory of the tables.
  [[nodiscard]] std::size_t size_bytes() const noexcept;

 private:
  explicit Validator(std::shared_ptr<const ValidatorTables> tables) noexcept;

  std::shared_ptr<const ValidatorTables> tables_;
};

}  // namespace nexusfix::dictionary
