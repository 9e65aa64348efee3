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

// A file may have many errors: this is the first one, followed by the others with their lines. line
// counts from 1; 0: the error has no line.
struct DictionaryError {
  std::string file;
  std::size_t line = 0;
  std::string text;
  std::vector<DictionaryError> others;
  [[nodiscard]] std::string what() const;  // the first one: "FIX44.xml:12: ..."
  [[nodiscard]] std::vector<std::string> all() const;
};

// The treatment of a fault in a file that is still readable.
enum class DictionaryFaults : std::uint8_t {
  Refuse,  // the error lists all of them
  Warn,    // Dictionary::warnings lists all of them and how each is read
};

// At most this many faults and warnings of one file are listed. The rest is counted.
inline constexpr std::size_t kDictionaryFaultsNamed = 10'000;

// A larger text is refused before it is read. The largest dictionary in use, the Orchestra file of
// FIX Latest, has 10 MB.
inline constexpr std::size_t kDictionaryBytesMax = 64U << 20U;
// The limits of elements and attributes in one file. The file of FIX Latest has some 90,000 and
// 150,000. Together with the limit of bytes, they bound the allocations of any load to a few
// hundred megabytes.
inline constexpr std::size_t kElementsMax = 1'000'000;
inline constexpr std::size_t kAttributesMax = 2'000'000;
// The nesting depth of groups and of components. Real ones nest about six deep.
inline constexpr unsigned kNestingMax = 64;

// The root element determines the format: <fix> is QuickFIX XML, <repository> is Orchestra.
//
// text: the content of the file in UTF-8, UTF-16 or, if the XML declaration names it, ISO-8859-1 or
// windows-1252. file_name: only for messages. Both formats are refused if the text is not XML,
// defines entities or contains a zero byte; if it has no fields or no messages; and if components
// contain themselves or nest too deep. Faults are: an element or attribute that is missing,
// misplaced or has an invalid value; a number that is not a tag; a tag, name or MsgType that is
// defined twice; an undefined name (the error suggests the nearest one); a group without a first
// field, or with its own count field. docs/guide/dictionaries.md describes how they are read with
// Warn. Allocates; O(size). Any thread.
[[nodiscard]] std::expected<Dictionary, DictionaryError> load_dictionary(
    std::string_view text, std::string_view file_name,
    DictionaryFaults faults = DictionaryFaults::Refuse);

}  // namespace nexusfix::dictionary
