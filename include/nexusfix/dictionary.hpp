// The dictionary layer: the names and the structure of FIX's tags, values and messages, from a file
// in QuickFIX XML or FIX Orchestra, or built into the library.
//
// What it is not: except for the Validator, it is not on the path of a message. Code that sends or
// receives typed messages uses the headers that are generated from a dictionary
// (nexusfix/fix44/...), and those do not need this layer.
// Threads: everything here is a value, or a view of constants. Any number of threads may read.
// Allocation: loading allocates. A lookup of a name and a validation do not.
//
//   auto names = dictionary::builtin_names(dictionary::Version::Fix44);
//   names.field_name(54);          // "Side"
//   names.value_name(54, "1");     // "BUY"
//   auto& fix44 = dictionary::builtin_dictionary(dictionary::Version::Fix44);
//   fix44.message("D")->name;      // "NewOrderSingle"
//   auto own = dictionary::load_dictionary(text, "venue.xml");
//   if (!own) std::cerr << own.error().what();   // venue.xml:12: field "Foo" is not defined ...
//   else wire::Parser parser{dictionary::data_fields(*own)};  // knows its Length/data pairs
//
//   auto validator = dictionary::Validator::make(fix44, {});
//   if (auto wrong = validator->validate(message)) reject(*wrong);  // or explain() it
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <expected>
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

// The definition of a field.
struct FieldDefinition {
  // One value of an enumerated field.
  struct EnumValue {
    std::string value;  // as in a message: "1"
    std::string name;   // in UPPER_SNAKE: "BUY"
    // Compares value, then name.
    friend auto operator<=>(const EnumValue&, const EnumValue&) = default;
  };
  // The valid values of an enumerated field besides the listed ones, as in the unionDataType of FIX
  // Orchestra: "a quantity, or one of these letters".
  enum class OtherValues : std::uint8_t {
    None,              // only the listed values
    Any,               // any value of the type
    Country,           // codes of countries
    Qty,               // quantities
    Reserved100Plus,   // numbers from 100 on, which the counterparties agree on
    Reserved1000Plus,  // numbers from 1,000 on, agreed on
    Reserved4000Plus,  // numbers from 4,000 on, agreed on
    Tenor,             // D5, W13, M3, Y1
  };
  wire::Tag tag = 0;                             // its tag: 54
  std::string name;                              // its name: "Side"
  FieldType type = FieldType::Unknown;           // the form of its values
  OtherValues other_values = OtherValues::None;  // has no meaning if no values are listed
  std::vector<EnumValue> values;                 // in the dictionary's order; empty: any value
  wire::Tag length_tag = 0;  // of a data field: the Length field before it; 0: unknown
  // Member by member.
  friend bool operator==(const FieldDefinition&, const FieldDefinition&) = default;
};
// The FieldDefinition::OtherValues with this name, as its enumerator is spelled: "Reserved100Plus".
// Any: none has it.
[[nodiscard]] FieldDefinition::OtherValues other_values(std::string_view name) noexcept;
// The name of the enumerator: "Reserved100Plus". Static lifetime.
[[nodiscard]] std::string_view to_string(FieldDefinition::OtherValues others) noexcept;
// Whether a text is one of these values. Always true for Any, never for None. text: not empty.
[[nodiscard]] bool is_other_value(FieldDefinition::OtherValues others,
                                  std::string_view text) noexcept;
// The values in words, for people: "numbers from 100". Static lifetime.
[[nodiscard]] std::string_view words_of(FieldDefinition::OtherValues others) noexcept;

// A position in Dictionary::fields, components or groups.
using Index = std::uint32_t;

// A member of a message, group or component.
struct Member {
  // What a Member is.
  enum class Kind : std::uint8_t {
    Field,      // a field
    Component,  // the members of a component
    Group,      // a repeating group, with its count field
  };
  Kind kind = Kind::Field;  // what it is
  Index index = 0;          // its position in fields, components or groups
  bool required = false;    // required here
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

namespace detail {

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

}  // namespace detail

// The names of a dictionary: a view of rows that live elsewhere. For a built-in dictionary they
// live as long as the program; for others see LoadedNames. The names that it returns live as long
// as the rows. Any number of threads may read it. A lookup is O(log rows) and does not allocate.
class NameTable {
 public:
  // The rows of a table and the text of their names.
  struct Rows {
    std::string_view text;                       // all names, one after the other
    std::span<const detail::FieldRow> fields;    // by ascending tag
    std::span<const detail::ValueRow> values;    // grouped by field, by ascending value
    std::span<const detail::ValueRow> messages;  // by ascending MsgType
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
  [[nodiscard]] const detail::FieldRow* field(wire::Tag tag) const noexcept;
  [[nodiscard]] std::optional<std::string_view> name_of(std::span<const detail::ValueRow> rows,
                                                        std::string_view value) const noexcept;
  [[nodiscard]] std::string_view text(detail::TextPlace place) const noexcept {
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
  std::vector<detail::FieldRow> fields_;
  std::vector<detail::ValueRow> values_;
  std::vector<detail::ValueRow> messages_;
};

// The first error of a file, and the others.
struct DictionaryError {
  std::string file;                     // the file_name of the call that failed
  std::size_t line = 0;                 // from 1 on; 0: the error has no line
  std::string text;                     // the error, and often its correction
  std::vector<DictionaryError> others;  // the other errors of the file; they have no others
  // The first error in one line: "FIX44.xml:12: ...".
  [[nodiscard]] std::string what() const;
  // All errors, each in one line like what().
  [[nodiscard]] std::vector<std::string> all() const;
};

// What a loader does with the faults of a file that it can still read.
enum class DictionaryFaults : std::uint8_t {
  Refuse,  // fails; the error has all faults
  Warn,    // succeeds; Dictionary::warnings has all faults, and how each is read
};

// The number of faults and warnings of one file that are listed, at most. The others are counted.
inline constexpr std::size_t kDictionaryFaultsNamed = 10'000;

// The size of a dictionary's text, at most. A larger one is refused before it is read. The largest
// dictionary in use, the Orchestra file of FIX Latest, has 10 MB.
inline constexpr std::size_t kDictionaryBytesMax = 64U << 20U;
// The number of XML elements in one file, at most. The file of FIX Latest has some 90,000. Together
// with the limits of bytes and attributes, this bounds the memory of any load to a few hundred
// megabytes.
inline constexpr std::size_t kElementsMax = 1'000'000;
// The number of XML attributes in one file, at most. The file of FIX Latest has some 150,000.
inline constexpr std::size_t kAttributesMax = 2'000'000;
// The depth to which groups and components may be nested. Real ones are nested about six deep.
inline constexpr unsigned kNestingMax = 64;

// Reads a dictionary. The root element determines the format: `fix` is QuickFIX XML, `repository`
// is Orchestra.
//
// text: the content of the file in UTF-8, UTF-16 or, if the XML declaration names it, ISO-8859-1 or
// windows-1252. file_name: only for the texts of errors. Allocates; O(size). Any thread.
//
// Always an error: the text is not XML, defines entities or contains a zero byte; it is above one
// of the limits above; it has no fields or no messages; components contain themselves.
//
// Faults, which `faults` decides on: an element or attribute that is missing, misplaced or has an
// invalid value; a number that is not a tag; a tag, name or MsgType that is defined twice; an
// undefined name (the error suggests the nearest one); a group without a first field, or with its
// own count field. docs/guide/dictionaries.md describes how each is read with Warn.
[[nodiscard]] std::expected<Dictionary, DictionaryError> load_dictionary(
    std::string_view text, std::string_view file_name,
    DictionaryFaults faults = DictionaryFaults::Refuse);

// Adds to a dictionary what a session needs and the dictionary lacks, as the standard has it: the
// header and the trailer, if it has none; each administrative message, with its fields and
// groups. Returns the messages that it added: "Logon (A)". A field that the dictionary has stays as
// it is. An engine, `nexusfix dict`, `validate` and `decode` complete each file of a session's
// transport in this way: a venue's file often has application messages only. Allocates. Any thread.
std::vector<std::string> complete_session(Dictionary& dictionary, const Dictionary& standard);

// The dictionaries that are compiled into the library, so that no file is needed at run time.

// The versions of FIX with a built-in dictionary.
enum class Version : std::uint8_t {
  Fix40,     // FIX 4.0
  Fix41,     // FIX 4.1
  Fix42,     // FIX 4.2
  Fix43,     // FIX 4.3
  Fix44,     // FIX 4.4
  Fix50,     // FIX 5.0: application messages only
  Fix50Sp1,  // FIX 5.0 SP1: application messages only
  Fix50Sp2,  // FIX 5.0 SP2: application messages only
  Fixt11,    // FIXT 1.1: header, trailer and administrative messages for FIX 5.0 and later
};

// All versions, in the order of Version.
inline constexpr std::array kVersions{Version::Fix40,    Version::Fix41,    Version::Fix42,
                                      Version::Fix43,    Version::Fix44,    Version::Fix50,
                                      Version::Fix50Sp1, Version::Fix50Sp2, Version::Fixt11};

// The version with this name: a BeginString (8) such as "FIX.4.4", or a DefaultApplVerID of a
// configuration such as "FIX.5.0SP2". Unset: no version has it.
[[nodiscard]] std::optional<Version> version_of_begin_string(std::string_view text) noexcept;
// The version of an ApplVerID (1128) or DefaultApplVerID (1137), as FIX 5.0 SP2 enumerates them:
// Fix50Sp2 for "9". Unset: no version has it.
[[nodiscard]] std::optional<Version> version_of_appl_ver_id(std::string_view text) noexcept;

// The name of a version: "FIX.4.4", "FIX.5.0SP2", "FIXT.1.1". Static lifetime.
[[nodiscard]] std::string_view to_string(Version version) noexcept;

// The complete dictionary of a version: fields, enumerations, components, groups and messages. The
// first call for a version unpacks it and allocates; later calls cost one load. Lives as long as
// the program. Any thread.
[[nodiscard]] const Dictionary& builtin_dictionary(Version version);

// The names of a version's tags, values and messages. Does not unpack the dictionary. Lives as long
// as the program. Any thread; does not allocate.
[[nodiscard]] NameTable builtin_names(Version version) noexcept;

// Reads a FIX Orchestra repository: the machine-readable rules of engagement of a venue, or the
// standard itself as published by the FIX Trading Community.

// Like load_dictionary(), but only for this format. Orchestra becomes a Dictionary as
// follows:
//
//   code set           the enumeration of each field that uses it, names in UPPER_SNAKE
//   unionDataType      other_values: values besides the codes have another type
//   presence           "required" is required, "forbidden" is not a member; "optional", "constant"
//                      and "ignored" are optional
//   StandardHeader, StandardTrailer    the header and the trailer, not parts of messages
//   lengthId           length_tag
//   scenario           of a message, component, group, field or code set with several, the one
//                      named here counts, otherwise "base", otherwise the first
//
// Not read: rules with conditions, workflow, state machines, actors and documentation.
[[nodiscard]] std::expected<Dictionary, DictionaryError> load_orchestra(
    std::string_view text, std::string_view file_name, std::string_view scenario = "base",
    DictionaryFaults faults = DictionaryFaults::Refuse);

// Reads a data dictionary in the QuickFIX XML format, which users of QuickFIX already have.

// Like load_dictionary(), but only for this format. Parts that QuickFIX ignores are ignored
// with a warning: unknown sections, unknown types, a field that is listed twice.
[[nodiscard]] std::expected<Dictionary, DictionaryError> load_quickfix_xml(
    std::string_view text, std::string_view file_name,
    DictionaryFaults faults = DictionaryFaults::Refuse);

// The data fields of a dictionary, whose values may contain SOH, in the form for a parser.

// The pairs of Length and data fields for a wire::Parser: those of the FIX standard and those of
// the dictionary, which take precedence. Allocates. Any thread.
//
//   wire::Parser parser{dictionary::data_fields(venue)};
[[nodiscard]] wire::DataFieldTable data_fields(const Dictionary& dictionary);

}  // namespace nexusfix::dictionary
