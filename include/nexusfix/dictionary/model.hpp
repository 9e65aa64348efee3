// A dictionary: its fields, enumerations, components, groups and messages. Loaders write this one
// representation; code generation, name tables and validation read it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::dictionary {

// The data types of FIX 4.0 to 5.0 SP2, by their names in QuickFIX XML. Any other type is Unknown:
// its values are text and are not checked.
enum class FieldType : std::uint8_t {
  Unknown,
  Amt,
  Boolean,
  Char,
  Country,
  Currency,
  Data,
  Date,
  DayOfMonth,
  Exchange,
  Float,
  Int,
  Language,
  Length,
  LocalMktDate,
  MonthYear,
  MultipleCharValue,
  MultipleStringValue,
  MultipleValueString,
  NumInGroup,
  Percentage,
  Price,
  PriceOffset,
  Qty,
  SeqNum,
  String,
  TagNum,
  Time,
  TzTimeOnly,
  TzTimestamp,
  UtcDateOnly,
  UtcTimeOnly,
  UtcTimestamp,
  XmlData,
};

// Takes "UTCTIMESTAMP" and the other names in upper or lower case. Unknown: not a type's name.
[[nodiscard]] FieldType field_type(std::string_view name) noexcept;
[[nodiscard]] std::string_view to_string(FieldType type) noexcept;
// Whether the values of the type are lists, with spaces between the items.
[[nodiscard]] bool is_multiple(FieldType type) noexcept;

// The valid values of an enumerated field besides those that are listed: none, any value of its
// type, or those of another type ("a quantity, or one of these letters"), as in Orchestra's
// unionDataType. Reserved100Plus is a number from 100 that the counterparties agree on.
enum class OtherValues : std::uint8_t {
  None,
  Any,
  Country,
  Qty,
  Reserved100Plus,
  Reserved1000Plus,
  Reserved4000Plus,
  Tenor,  // D5, W13, M3, Y1
};

// Takes "Reserved100Plus" and the other names. Any: not one of the names.
[[nodiscard]] OtherValues other_values(std::string_view name) noexcept;
[[nodiscard]] std::string_view to_string(OtherValues others) noexcept;
// Whether a nonempty text is one of them. Always true for Any.
[[nodiscard]] bool is_other_value(OtherValues others, std::string_view text) noexcept;
// "numbers from 100"
[[nodiscard]] std::string_view words_of(OtherValues others) noexcept;

struct EnumValue {
  std::string value;  // as in a message
  std::string name;   // UPPER_SNAKE
  friend auto operator<=>(const EnumValue&, const EnumValue&) = default;
};

struct FieldDefinition {
  wire::Tag tag = 0;
  std::string name;
  FieldType type = FieldType::Unknown;
  OtherValues other_values = OtherValues::None;  // has no meaning if no values are listed
  std::vector<EnumValue> values;                 // in the dictionary's order
  wire::Tag length_tag = 0;  // of a data field: the Length field before it; 0: unknown
  friend bool operator==(const FieldDefinition&, const FieldDefinition&) = default;
};

// Positions in Dictionary::fields, components and groups.
using Index = std::uint32_t;

enum class MemberKind : std::uint8_t { Field, Component, Group };

struct Member {
  MemberKind kind = MemberKind::Field;
  Index index = 0;
  bool required = false;
  friend bool operator==(const Member&, const Member&) = default;
};

struct ComponentDefinition {
  std::string name;
  std::vector<Member> members;
  friend bool operator==(const ComponentDefinition&, const ComponentDefinition&) = default;
};

// count_field holds the number of entries. An entry begins with its first member.
struct GroupDefinition {
  Index count_field = 0;
  std::vector<Member> members;
  // Versions differ in the first member: all entries begin with the first field of the first one.
  bool any_field_begins = false;
  friend bool operator==(const GroupDefinition&, const GroupDefinition&) = default;
};

struct MessageDefinition {
  std::string name;
  std::string msg_type;
  bool admin = false;
  std::vector<Member> members;  // of the body
  friend bool operator==(const MessageDefinition&, const MessageDefinition&) = default;
};

// Made by a loader and consistent: every index is valid, tags, names and MsgTypes are unique,
// components do not contain themselves, and a group has members. A value type; reading is
// thread-safe.
struct Dictionary {
  std::string begin_string;  // "FIX.4.4", "FIXT.1.1"; of FIX 5.0: "FIX.5.0"
  unsigned service_pack = 0;
  std::vector<FieldDefinition> fields;  // by ascending tag
  std::vector<ComponentDefinition> components;
  std::vector<GroupDefinition> groups;
  std::vector<Member> header;
  std::vector<Member> trailer;
  std::vector<MessageDefinition> messages;
  // Defects that should be fixed but do no harm in a session, with file and line.
  std::vector<std::string> warnings;

  [[nodiscard]] const FieldDefinition* field(wire::Tag tag) const noexcept;  // O(log fields)
  [[nodiscard]] const MessageDefinition* message(std::string_view msg_type) const noexcept;

  friend bool operator==(const Dictionary&, const Dictionary&) = default;
};

// One member of a message or group after components have been replaced by their members. required:
// the member and every component around it are required at some place.
struct FlatMember {
  Index field = 0;             // of a group: its count field
  std::optional<Index> group;  // of Dictionary::groups
  bool required = false;
};

// In the dictionary's order, each tag once, at its first place. O(members).
[[nodiscard]] std::vector<FlatMember> flatten(const Dictionary& dictionary,
                                              const std::vector<Member>& members);

}  // namespace nexusfix::dictionary
