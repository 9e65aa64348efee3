// The tables of a Validator. Made once, then only read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/field.hpp>

#include "dictionary/validate/value_checks.hpp"

namespace nexusfix::dictionary {

// The parts of a message, in their order.
enum class Section : std::uint8_t { Header, Body, Trailer };

// The rule of a message or a group's entry for one of its fields. One cache line holds eight.
struct MemberRule {
  std::uint16_t key = 0;   // the tag; 0: not a member
  std::uint16_t slot = 0;  // in a group its position in the dictionary, 0 for the delimiter
  Check check = Check::Text;
  // For a member of a message its Section, for a member of an entry 1 if it is required.
  std::uint8_t place = 0;
  // An index: of ValidatorTables::enumerations for Check::Enumerated, of contexts for Check::Group,
  // of data_pairs for Check::Length and Check::Data; a FieldType for Check::Rare.
  std::uint16_t detail = 0;
};
static_assert(sizeof(MemberRule) == 8);

// A member outside of its context's table, because its tag is too large for a key or its place is
// taken.
struct OverflowRule {
  wire::Tag tag = 0;
  MemberRule rule;
};

// The first slots of a message belong to the fields that a parser has verified: 8, 9, 35 and 10.
inline constexpr std::size_t kVerifiedSlots = 4;

struct RequiredMember {
  wire::Tag tag = 0;
  std::uint16_t slot = 0;
};

// The members of a message (with header and trailer) or of a group, by tag. Tags form rows of 32,
// and the rows overlap where their gaps allow it. A lookup is two loads without a loop, and the
// table is hardly larger than its members.
struct MemberContext {
  static constexpr unsigned kRowBits = 5;
  static constexpr std::uint32_t kRowTags = 1U << kRowBits;

  const std::uint16_t* rows = nullptr;  // where each row begins in rules
  const MemberRule* rules = nullptr;
  const OverflowRule* overflow = nullptr;  // by ascending tag
  std::uint32_t row_mask = 0;
  std::uint32_t overflow_count = 0;
  std::uint32_t required_begin = 0;  // of ValidatorTables::required
  wire::Tag count_tag = 0;           // of a group
  wire::Tag first_tag = 0;           // of a group: an entry's delimiter
  std::uint16_t slots = 0;           // one for each member
  // The number of required members. In a message, their slots follow kVerifiedSlots.
  std::uint16_t required_count = 0;
  std::uint8_t is_application = 0;    // 1: its fields belong to the application's dictionary
  std::uint8_t any_field_begins = 0;  // 1: the entries of this group begin as its first one does

  // If the key of the result differs, the tag may still be in the overflow.
  [[nodiscard]] const MemberRule& at(std::uint32_t key) const noexcept {
    return rules[rows[(key >> kRowBits) & row_mask] + (key & (kRowTags - 1))];
  }
  [[nodiscard]] const MemberRule* find_overflow(wire::Tag tag) const noexcept;
  [[nodiscard]] const MemberRule* find(wire::Tag tag) const noexcept {
    if (tag < wire::kLargeTagKey) [[likely]] {
      const MemberRule& rule = at(tag);
      if (rule.key == tag) [[likely]]
        return &rule;
    }
    return overflow_count == 0 ? nullptr : find_overflow(tag);
  }
};

// The dictionary's rule for a field in any message.
struct FieldRule {
  wire::Tag tag = 0;
  FieldType type = FieldType::Unknown;
  Check check = Check::Text;
  std::uint16_t detail = 0;  // as in MemberRule
};

// Up to eight bytes as a number, the first one lowest.
struct ShortText {
  std::uint64_t word = 0;
  std::uint64_t size = 0;  // 0: no text

  static constexpr std::size_t kBytesMax = sizeof(std::uint64_t);
  friend bool operator==(const ShortText&, const ShortText&) = default;
};

// The values of a field: one bit for each value of one character, a small hash table for those of
// two to eight, and the few longer ones in their order.
struct Enumeration {
  std::array<std::uint64_t, 2> characters{};
  std::vector<ShortText> short_texts;   // open addressing, never full
  std::vector<std::string> long_texts;  // open addressing, never full
  bool is_list = false;                 // of values with spaces between them
  // "FIX TagValue Encoding", data type int: leading zeros do not change the value.
  bool is_integer = false;
  FieldDefinition::OtherValues others = FieldDefinition::OtherValues::None;  // never Any

  void add(const std::vector<FieldDefinition::EnumValue>& values);  // once
  static constexpr std::size_t kCharacterEnd = 128;
  [[nodiscard]] bool has_character(char c) const noexcept {
    const auto code = static_cast<unsigned char>(c);
    return code < kCharacterEnd && ((characters[code / 64] >> (code % 64)) & 1) != 0;
  }
  // Whether each value is one character.
  [[nodiscard]] bool has_only_characters() const noexcept {
    return short_texts.empty() && long_texts.empty() && !is_list &&
           others == FieldDefinition::OtherValues::None;
  }
  [[nodiscard]] bool has_item(std::string_view text) const noexcept {
    return text.size() == 1 ? has_character(text.front()) : has_text(text);
  }
  // For values of more than one character, of any length.
  [[nodiscard]] bool has_text(std::string_view text) const noexcept;
  [[nodiscard]] bool has_list(std::string_view text) const noexcept;
  [[nodiscard]] bool has(std::string_view text) const noexcept {
    if (is_list && text.size() != 1) return has_list(text);
    if (is_integer && text.starts_with('0') && has_item(shortest_digits(text))) return true;
    return has_item(text) ||
           (others != FieldDefinition::OtherValues::None && is_other_value(others, text));
  }
  [[nodiscard]] static std::size_t hash(std::uint64_t word) noexcept {
    constexpr std::uint64_t kMultiplier = 0x9e37'79b9'7f4a'7c15;
    constexpr unsigned kUpperHalf = 32;
    return static_cast<std::size_t>((word * kMultiplier) >> kUpperHalf);
  }

 private:
  void add(const std::string& value);
};

struct ValidatorTables {
  // A message with more fields than this, with nested groups, is refused, because one byte for each
  // of them is on the stack.
  static constexpr std::size_t kSlotsMax = 16'384;
  // The first byte of a MsgType of one character selects its message directly.
  static constexpr std::size_t kTypeEnd = 128;

  struct LongMsgType {
    std::string msg_type;
    std::uint32_t context = 0;
  };

  ValidationRules rules;
  // Unique among all tables of this process; never 0.
  std::uint64_t serial = 0;
  std::vector<MemberContext> contexts;  // 0: the context of no message
  // All fields of the transport's dictionary and of the application's, each by ascending tag.
  // Indexed by MemberContext::is_application. A dictionary for both counts as the transport's.
  std::array<std::vector<FieldRule>, 2> fields;
  std::array<std::uint32_t, kTypeEnd> short_msg_types{};
  std::vector<LongMsgType> long_msg_types;  // by ascending msg_type
  std::vector<Enumeration> enumerations;
  std::vector<std::uint16_t> rows;
  std::vector<MemberRule> rule_entries;
  std::vector<OverflowRule> overflow;
  std::vector<RequiredMember> required;  // of a context by ascending section and tag
  std::vector<wire::DataFieldTable::Pair> data_pairs;

  // The context of a message, or null.
  [[nodiscard]] const MemberContext* message(std::string_view msg_type) const noexcept {
    if (msg_type.size() != 1) return long_message(msg_type);
    const auto code = static_cast<unsigned char>(msg_type.front());
    const std::uint32_t context = code < kTypeEnd ? short_msg_types[code] : 0;
    return context != 0 ? contexts.data() + context : nullptr;
  }
  // Unique among all contexts of this process; never 0.
  [[nodiscard]] std::uint64_t context_id(const MemberContext& context) const noexcept {
    return serial << kContextBits | static_cast<std::uint64_t>(&context - contexts.data());
  }
  // Whether that is the number of one of these contexts.
  [[nodiscard]] bool has_context(std::uint64_t id) const noexcept {
    return id >> kContextBits == serial;
  }
  // Nothing: the dictionary of the context does not have the field.
  [[nodiscard]] const FieldRule* field(const MemberContext& of, wire::Tag tag) const noexcept;
  [[nodiscard]] std::size_t size_bytes() const noexcept;

 private:
  static constexpr unsigned kContextBits = 16;

  [[nodiscard]] const MemberContext* long_message(std::string_view msg_type) const noexcept;
};

// For startup: allocates. Fails as Validator::make() does.
[[nodiscard]] std::expected<ValidatorTables, std::string> make_validator_tables(
    const FixtDictionaries& both, const ValidationRules& rules);

// Where a walk over the fields of a message is.
struct FieldPosition {
  std::size_t next;  // the field that comes next
  Section section;   // of the field before it
};

// Walks over plain fields, those that need only the rule of their tag and their own bytes, to the
// next field that is not plain, or to the CheckSum. Notes nothing of that field. context: of a
// message. seen: a byte for each of its slots, 1 if the field has occurred. In plain_walk.cpp.
[[nodiscard]] FieldPosition walk_plain_fields(const ValidatorTables& tables,
                                              const wire::MessageView& message,
                                              const MemberContext& context, FieldPosition from,
                                              std::uint8_t* seen) noexcept;

}  // namespace nexusfix::dictionary
