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

// What is checked. Each switch is a key of the same name in a session's configuration, with the
// meaning that it has in QuickFIX and QuickFIX/J and, but for one, their default.
struct ValidationRules {
  // Header, body and trailer must follow each other.
  bool validate_fields_out_of_order = true;
  // A field without a value is wrong. If not, it is right for every type.
  bool validate_fields_have_values = true;
  // Tags from kUserDefinedTagMin on that the message does not have are wrong.
  bool validate_user_defined_fields = true;
  // Tags below kUserDefinedTagMin that the message does not have are right.
  bool allow_unknown_msg_fields = false;
  // Values that an enumeration does not have are right if their type is.
  bool allow_unknown_enum_values = false;
  // Within an entry of a group the fields behind the first one must stand in the dictionary's
  // order. If not, in any order, each still once. As in QuickFIX they need not: dictionaries differ
  // in it. Of QuickFIX/J's default this is the opposite.
  bool validate_unordered_group_fields = false;
  // An entry begins with the field that the first entry began with, not with the dictionary's first
  // member.
  bool first_field_in_group_is_delimiter = false;

  friend auto operator<=>(const ValidationRules&, const ValidationRules&) = default;
};

// Their keys.
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
  MsgTypeUnknown,         // the dictionary has no such message
  TagUnknown,             // the dictionary has no such field
  TagNotInMessage,        // the dictionary has the field, but not in this message
  TagOutOfSection,        // a header field behind the header, a body field in the trailer
  TagRepeated,            // a second time in the message, or in the entry of a group
  TypeWrong,              // the value is not of the field's type
  ValueNotInEnumeration,  // of the field's type, but none of its values
  DelimiterMissing,       // an entry of a group does not begin with the group's first field
  GroupOrderWrong,        // within an entry, a field stands behind one that it belongs in front of
  GroupCountWrong,        // more or fewer entries than the count field says
  LengthMissing,          // a data field without its Length field, so nobody knows its end
  DataMissing,            // a Length field without the data field that it announces
  DataOutOfOrder,         // Length and data field are there, but not one behind the other
  RequiredTagMissing,     // in the message, or in the entry of a group
};
inline constexpr std::size_t kViolationRules =
    static_cast<std::size_t>(ViolationRule::RequiredTagMissing) + 1;

// A tag that the dictionary does not have is an invalid tag number (0), not an undefined tag (3):
// so says TC 14a.
[[nodiscard]] wire::SessionRejectReason reject_reason(ViolationRule rule) noexcept;

// Whether the message's fields can be told from each other all the same. If not, nobody can say
// what the message means.
[[nodiscard]] bool is_readable(ViolationRule rule) noexcept;

// What is wrong with a message, enough to make a text of on the cold side. Trivially copyable;
// tag_text lives as long as the message's bytes.
struct Violation {
  ViolationRule rule = ViolationRule::TagMalformed;
  // RefTagID (371). 0: none, or it is not a number and stands in tag_text only. Of a wrong number
  // of entries it is the count field's, of a missing field that field's, of a pair that is torn
  // apart the data field's.
  wire::Tag tag = 0;
  // Where it is: of the value's first byte; of a field without a readable tag or a value, of the
  // field's first byte. Of a missing field, where the entry begins that lacks it, or MsgType.
  std::uint32_t offset = 0;
  // The same in MessageView's count of fields; of a malformed field, the next one that is readable.
  std::uint32_t field_index = 0;
  // The count field of the innermost group that the field stands in; 0: in none.
  wire::Tag group = 0;
  // Of DelimiterMissing, the field that should stand here.
  wire::Tag expected_tag = 0;
  // Of GroupCountWrong: what the count field says (the largest number if it says more), and what
  // there is.
  std::uint64_t expected_entries = 0;
  std::uint64_t found_entries = 0;
  // What stands in front of the `=` of a malformed field, as it was sent; empty for all others.
  std::string_view tag_text{};

  [[nodiscard]] wire::SessionRejectReason reason() const noexcept { return reject_reason(rule); }
};

// The two dictionaries of a FIXT session. Header, trailer and administrative messages are the
// transport's alone, whatever the other one says of their fields.
struct FixtDictionaries {
  const Dictionary& transport;
  const Dictionary& application;
  // Has the header and the trailer if the transport's header is empty: a file of messages alone.
  const Dictionary* standard = nullptr;
};

struct ValidatorTables;

// Made once from a dictionary, which it does not need any more after that. A copy shares the
// tables; any number of threads may validate with one object.
//
//   auto validator = dictionary::Validator::make(dictionary, {});
//   if (auto wrong = validator->validate(message)) reject(wrong->reason(), wrong->tag);
class Validator {
 public:
  // Fails with a text that says why if a message has more fields, groups included, than any stack
  // should hold (16,000), or if the dictionary, made by hand, is not consistent: its members name
  // what it does not have, or hold themselves. Allocates; for start-up.
  [[nodiscard]] static std::expected<Validator, std::string> make(const Dictionary& dictionary,
                                                                  const ValidationRules& rules);
  [[nodiscard]] static std::expected<Validator, std::string> make(const FixtDictionaries& both,
                                                                  const ValidationRules& rules);

  // What is reported of a message that a Parser has made, in the order of QuickFIX: a field that
  // cannot be read, as the parser found it; the MsgType; structure, which is data that is not where
  // its Length field says, fields outside their part of the message, and a tag that the message has
  // twice; a required field that the message lacks, first of the header, then of the body, by
  // ascending tag; one that an entry of a group lacks; then the first field in wire order that is
  // wrong for another reason, or has no value.
  //
  // A field that a group's entry does not have ends the group if the message, or the group around
  // it, has that field. Required is what is required in the message or the entry itself, or in a
  // component there that is: as in QuickFIX, an optional component requires nothing.
  //
  // Of one field only the first wrong thing counts: its tag, its place, that it is a repetition,
  // its type, its enumeration. Values are scanned, not converted, so a number may have any number
  // of digits. What the parser has verified (8, 9, 35, 10) is not checked again. No allocation; any
  // number of fields; O(fields).
  [[nodiscard]] std::optional<Violation> validate(const wire::MessageView& message) const noexcept;

  // The same answer, sooner where the memory holds the message's sequence of fields: the rows
  // validate/* of the benchmark show how much. No allocation; one thread a memory.
  [[nodiscard]] std::optional<Violation> validate(const wire::MessageView& message,
                                                  ValidationMemory& memory) const noexcept;

  // Of the tables, in memory.
  [[nodiscard]] std::size_t size_bytes() const noexcept;

 private:
  explicit Validator(std::shared_ptr<const ValidatorTables> tables) noexcept;

  std::shared_ptr<const ValidatorTables> tables_;
};

}  // namespace nexusfix::dictionary
