// Reads a data dictionary of either kind: QuickFIX XML or a FIX Orchestra repository.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary/model.hpp>

namespace nexusfix::dictionary {

// A file may have many: the first one, and the others by their lines. line counts from 1; 0 if the
// fault has no line.
struct DictionaryError {
  std::string file;
  std::size_t line = 0;
  std::string text;
  std::vector<DictionaryError> others;
  [[nodiscard]] std::string what() const;  // the first one: "FIX44.xml:12: ..."
  [[nodiscard]] std::vector<std::string> all() const;
};

// What is done about a fault of a file that can be read in spite of it.
enum class DictionaryFaults : std::uint8_t {
  Refuse,  // the error names them all
  Warn,    // Dictionary::warnings names them all, and says how each is read
};

// Of one file's faults, and of its warnings, as many are named; the rest is counted.
inline constexpr std::size_t kDictionaryFaultsNamed = 10'000;

// A larger text is refused before it is read. The largest dictionary in use, the Orchestra file of
// FIX Latest, has 10 MB.
inline constexpr std::size_t kDictionaryBytesMax = 64U << 20U;
// Elements and attributes of one file; that largest one has some 90,000 and 150,000. With the limit
// of bytes this bounds what loading allocates to a few hundred megabytes, whatever the text.
inline constexpr std::size_t kElementsMax = 1'000'000;
inline constexpr std::size_t kAttributesMax = 2'000'000;
// Groups within groups and components within components. Real ones nest about six deep.
inline constexpr unsigned kNestingMax = 64;

// The root element tells which kind it is: <fix> is QuickFIX XML, <repository> is Orchestra.
//
// text: the file's content in UTF-8, UTF-16 or, if the XML declaration says so, ISO-8859-1 or
// windows-1252; file_name: for messages only. Refused in either kind: text that is no XML, defines
// entities or holds a zero byte; a file without fields or messages; components that hold
// themselves, or nest too deep. Faults: an element or attribute that is missing, has no place or a
// value that it cannot have; a number that is no tag; a tag, name or MsgType defined twice; a name
// that is not defined (the nearest one that is stands in the error); a group without a field to
// begin its entries, or that holds its own count. How they are read with Warn is in
// docs/dictionaries.md. Allocates; O(size). Any thread.
[[nodiscard]] std::expected<Dictionary, DictionaryError> load_dictionary(
    std::string_view text, std::string_view file_name,
    DictionaryFaults faults = DictionaryFaults::Refuse);

}  // namespace nexusfix::dictionary
