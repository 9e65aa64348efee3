// Reads a data dictionary of either format: QuickFIX XML or a FIX Orchestra repository.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary/model.hpp>
#include <nexusfix/wire/field.hpp>

namespace nexusfix::dictionary {

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
// header, if it has none; the trailer likewise; each administrative message, with its fields and
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

// Writes a dictionary as QuickFIX XML in UTF-8, whatever format it was loaded from: to edit a copy
// of a built-in one, or to convert an Orchestra repository for QuickFIX. Loading the text again
// gives an equal dictionary, with three exceptions: a group that several members share is written
// once for each, warnings are lost, and fields of an unknown type are strings. Allocates;
// O(output).
[[nodiscard]] std::string to_quickfix_xml(const Dictionary& dictionary);

// The data fields of a dictionary, whose values may contain SOH, in the form for a parser.

// The pairs of Length and data fields for a wire::Parser: those of the FIX standard and those of
// the dictionary, which take precedence. Allocates. Any thread.
//
//   wire::Parser parser{dictionary::data_fields(venue)};
[[nodiscard]] wire::DataFieldTable data_fields(const Dictionary& dictionary);

}  // namespace nexusfix::dictionary
