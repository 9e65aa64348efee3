// A dictionary: its fields, enumerations, components, groups and messages. Loaders write this one
// representation; code generation, name tables and validation read it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/wire/field.hpp>

namespace nexusfix::dictionary {

// The data types of FIX 4.0 to 5.0 SP2. field_type() and to_string() have their names in QuickFIX
// XML. The comments show values; docs/guide/validate.md says what a Validator checks. FIX 5.0 SP2
// volume 1, "FIX Datatypes".
enum class FieldType : std::uint8_t {
  Unknown,              // any other type: its values are text and are not checked
  Amt,                  // 1234.56: an amount of money
  Boolean,              // Y or N
  Char,                 // B: one character
  Country,              // DE: ISO 3166
  Currency,             // EUR: ISO 4217, or a longer code of a venue
  Data,                 // any bytes, also SOH; a Length field comes before it
  Date,                 // 20240115: of FIX 4.0 and 4.1
  DayOfMonth,           // 1 to 31
  Exchange,             // XNYS: ISO 10383
  Float,                // -1.5
  Int,                  // -15
  Language,             // en, de-CH: ISO 639-1
  Length,               // 15: the number of bytes of a data field
  LocalMktDate,         // 20240115: a date at the place of the market
  MonthYear,            // 202401, 20240115 or 202401w3
  MultipleCharValue,    // A B: characters between spaces
  MultipleStringValue,  // AB C: texts between spaces
  MultipleValueString,  // AB C: the same, of earlier versions
  NumInGroup,           // 2: the number of entries of a repeating group
  Percentage,           // 0.05: 5 percent
  Price,                // 150.25
  PriceOffset,          // -0.25
  Qty,                  // 100
  SeqNum,               // 1: a positive integer
  String,               // any text without SOH
  TagNum,               // 54: the number of a field
  Time,                 // 20240115-10:30:00: of FIX 4.0 and 4.1
  TzTimeOnly,           // 10:30-05, 10:30:00Z
  TzTimestamp,          // 20240115-10:30-05
  UtcDateOnly,          // 20240115
  UtcTimeOnly,          // 10:30:00 or 10:30:00.123
  UtcTimestamp,         // 20240115-10:30:00 or 20240115-10:30:00.123
  XmlData,              // as Data, with an XML document
};

// The type with this name in QuickFIX XML, in upper or lower case: "UTCTIMESTAMP". Unknown: no type
// has it.
[[nodiscard]] FieldType field_type(std::string_view name) noexcept;
// The name of a type in QuickFIX XML: "UTCTIMESTAMP". Static lifetime.
[[nodiscard]] std::string_view to_string(FieldType type) noexcept;
// Whether the values of the type are lists, with spaces between the items.
[[nodiscard]] bool is_multiple(FieldType type) noexcept;

// The valid values of an enumerated field besides the listed ones, as in the unionDataType of FIX
// Orchestra: "a quantity, or one of these letters".
enum class OtherValues : std::uint8_t {
  None,              // only the listed values
  Any,               // any value of the type
  Country,           // codes of countries
  Qty,               // quantities
  Reserved100Plus,   // numbers from 100 on, which the counterparties agree on
  Reserved1000Plus,  // numbers from 1,000 on, likewise
  Reserved4000Plus,  // numbers from 4,000 on, likewise
  Tenor,             // D5, W13, M3, Y1
};

// The OtherValues with this name, as its enumerator is spelled: "Reserved100Plus". Any: none has
// it.
[[nodiscard]] OtherValues other_values(std::string_view name) noexcept;
// The name of the enumerator: "Reserved100Plus". Static lifetime.
[[nodiscard]] std::string_view to_string(OtherValues others) noexcept;
// Whether a text is one of these values. Always true for Any, never for None. text: not empty.
[[nodiscard]] bool is_other_value(OtherValues others, std::string_view text) noexcept;
// The values in words, for people: "numbers from 100". Static lifetime.
[[nodiscard]] std::string_view words_of(OtherValues others) noexcept;

// One value of an enumerated field.
struct EnumValue {
  std::string value;  // as in a message: "1"
  std::string name;   // in UPPER_SNAKE: "BUY"
  // Compares value, then name.
  friend auto operator<=>(const EnumValue&, const EnumValue&) = default;
};

// The definition of a field.
struct FieldDefinition {
  wire::Tag tag = 0;                             // its tag: 54
  std::string name;                              // its name: "Side"
  FieldType type = FieldType::Unknown;           // the form of its values
  OtherValues other_values = OtherValues::None;  // has no meaning if no values are listed
  std::vector<EnumValue> values;                 // in the dictionary's order; empty: any value
  wire::Tag length_tag = 0;  // of a data field: the Length field before it; 0: unknown
  // Member by member.
  friend bool operator==(const FieldDefinition&, const FieldDefinition&) = default;
};

// A position in Dictionary::fields, components or groups.
using Index = std::uint32_t;

// What a Member is.
enum class MemberKind : std::uint8_t {
  Field,      // a field
  Component,  // the members of a component
  Group,      // a repeating group, with its count field
};

// A member of a message, group or component.
struct Member {
  MemberKind kind = MemberKind::Field;  // what it is
  Index index = 0;                      // its position in fields, components or groups
  bool required = false;                // required here
  // Member by member.
  friend bool operator==(const Member&, const Member&) = default;
};

// A named list of members that several messages share.
struct ComponentDefinition {
  std::string name;             // its name: "Parties"
  std::vector<Member> members;  // in the dictionary's order
  // Member by member.
  friend bool operator==(const ComponentDefinition&, const ComponentDefinition&) = default;
};

// A repeating group. Each entry begins with the first member.
struct GroupDefinition {
  Index count_field = 0;        // the field with the number of entries: NoPartyIDs (453)
  std::vector<Member> members;  // of an entry, in the dictionary's order; not empty
  // true: the versions of the group differ in the first member, so all entries begin with the first
  // field of the first entry.
  bool any_field_begins = false;
  // Member by member.
  friend bool operator==(const GroupDefinition&, const GroupDefinition&) = default;
};

// The definition of a message.
struct MessageDefinition {
  std::string name;             // its name: "NewOrderSingle"
  std::string msg_type;         // MsgType (35): "D"
  bool admin = false;           // an administrative message of the session layer
  std::vector<Member> members;  // of the body, in the dictionary's order
  // Member by member.
  friend bool operator==(const MessageDefinition&, const MessageDefinition&) = default;
};

// A dictionary. Loaders make consistent ones: every index is valid; tags, names and MsgTypes are
// unique; components do not contain themselves; and a group has members. A value. Any number of
// threads may read it.
struct Dictionary {
  std::string begin_string;                     // "FIX.4.4", "FIXT.1.1"; of FIX 5.0: "FIX.5.0"
  unsigned service_pack = 0;                    // 2 for FIX 5.0 SP2
  std::vector<FieldDefinition> fields;          // by ascending tag
  std::vector<ComponentDefinition> components;  // in the dictionary's order
  std::vector<GroupDefinition> groups;          // in the dictionary's order
  std::vector<Member> header;                   // of the standard header
  std::vector<Member> trailer;                  // of the standard trailer
  std::vector<MessageDefinition> messages;      // in the dictionary's order
  // Faults that should be corrected but do no harm in a session, with file and line.
  std::vector<std::string> warnings;

  // The field with this tag. Null: there is none. Valid until `fields` changes. O(log fields).
  [[nodiscard]] const FieldDefinition* field(wire::Tag tag) const noexcept;
  // The message with this MsgType. Null: there is none. Valid until `messages` changes.
  // O(messages).
  [[nodiscard]] const MessageDefinition* message(std::string_view msg_type) const noexcept;

  // Member by member.
  friend bool operator==(const Dictionary&, const Dictionary&) = default;
};

// One member of a message or group, after components have been replaced by their members.
struct FlatMember {
  Index field = 0;             // of a group: its count field
  std::optional<Index> group;  // its position in Dictionary::groups; unset: no group
  bool required = false;       // the member and every component around it are required somewhere
};

// The members, with components replaced by their members, in the dictionary's order. Each tag
// occurs once, at its first place. Groups are not replaced. Allocates. O(members).
[[nodiscard]] std::vector<FlatMember> flatten(const Dictionary& dictionary,
                                              const std::vector<Member>& members);

// The names of a dictionary's tags, values and message types: small lookup tables for printing
// messages.

// A part of a table's text. It has an offset instead of a pointer, so that built-in tables need no
// relocation.
struct TextPlace {
  std::uint32_t offset = 0;  // of the first byte
  std::uint32_t size = 0;    // in bytes
};

// The name and the type of a field.
struct FieldRow {
  wire::Tag tag = 0;                    // its tag: 54
  TextPlace name;                       // its name: "Side"
  std::uint32_t values_begin = 0;       // the position of its first value in Rows::values
  std::uint32_t values_count = 0;       // the number of its values
  FieldType type = FieldType::Unknown;  // its type: Char
};

// The name of a value of an enumerated field, or of a MsgType.
struct ValueRow {
  TextPlace value;  // as in a message: "1", or "D"
  TextPlace name;   // its name: "BUY", or "NewOrderSingle"
};

// The names of a dictionary: a view of rows that live elsewhere. For a built-in dictionary they
// live as long as the program; for others see LoadedNames. The names that it returns live as long
// as the rows. Any number of threads may read it. A lookup is O(log rows) and does not allocate.
class NameTable {
 public:
  // The rows of a table and the text of their names.
  struct Rows {
    std::string_view text;               // all names, one after the other
    std::span<const FieldRow> fields;    // by ascending tag
    std::span<const ValueRow> values;    // grouped by field, by ascending value
    std::span<const ValueRow> messages;  // by ascending MsgType
  };

  // Without any names.
  NameTable() = default;
  // A view of these rows, which must be sorted as Rows says, and outlive it.
  explicit NameTable(const Rows& rows) noexcept : rows_{rows} {}

  // The name of a field: "Side" for 54. Unset: the dictionary does not have the field.
  [[nodiscard]] std::optional<std::string_view> field_name(wire::Tag tag) const noexcept;
  // The type of a field. Unset: the dictionary does not have the field.
  [[nodiscard]] std::optional<FieldType> field_type(wire::Tag tag) const noexcept;
  // The name of a value of an enumerated field: "BUY" for 54 and "1". Unset: the dictionary does
  // not have the field or the value.
  [[nodiscard]] std::optional<std::string_view> value_name(wire::Tag tag,
                                                           std::string_view value) const noexcept;
  // Whether the dictionary names values of the field: it is enumerated.
  [[nodiscard]] bool has_values(wire::Tag tag) const noexcept;
  // The name of a message: "NewOrderSingle" for "D". Unset: the dictionary does not have it.
  [[nodiscard]] std::optional<std::string_view> message_name(
      std::string_view msg_type) const noexcept;

 private:
  [[nodiscard]] const FieldRow* field(wire::Tag tag) const noexcept;
  [[nodiscard]] std::optional<std::string_view> name_of(std::span<const ValueRow> rows,
                                                        std::string_view value) const noexcept;
  [[nodiscard]] std::string_view text(TextPlace place) const noexcept {
    return rows_.text.substr(place.offset, place.size);
  }

  Rows rows_;
};

// Owns the rows of a dictionary that was loaded at run time.
//
//   const dictionary::LoadedNames names{*dictionary};
//   names.table().field_name(54);
class LoadedNames {
 public:
  // Copies the names of a dictionary, which it does not need afterwards. Allocates.
  explicit LoadedNames(const Dictionary& dictionary);
  // The names. Valid until this object is assigned to, moved from or destroyed.
  [[nodiscard]] NameTable table() const noexcept;

 private:
  std::string text_;
  std::vector<FieldRow> fields_;
  std::vector<ValueRow> values_;
  std::vector<ValueRow> messages_;
};

}  // namespace nexusfix::dictionary
