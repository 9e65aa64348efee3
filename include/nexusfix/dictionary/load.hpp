// Reads a data dictionary of either format: QuickFIX XML or a FIX Orchestra repository.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary/model.hpp>

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

}  // namespace nexusfix::dictionary
