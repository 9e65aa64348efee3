// Reads a data dictionary in the QuickFIX XML form: the file that a user of QuickFIX has today.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include <nexusfix/dictionary/model.hpp>

namespace nexusfix::dictionary {

// Where and why a file is no dictionary. line counts from 1; 0 if the fault has no line.
struct DictionaryError {
  std::string file;
  std::size_t line = 0;
  std::string text;
  [[nodiscard]] std::string what() const;  // "FIX44.xml:12: ..."
};

// A larger text is refused before it is parsed. The largest dictionary in use has about 2 MB.
inline constexpr std::size_t kDictionaryBytesMax = 64U << 20U;
// Groups within groups and components within components. Real ones nest about six deep.
inline constexpr unsigned kNestingMax = 64;

// text: the file's content in UTF-8; file_name: for error messages only. Refused: text that is no
// XML, an element or attribute that is missing or has no place here, a number that is no tag, a
// tag, name, MsgType or enumeration value defined twice, a name that is not defined, a group
// without fields, a component that holds itself. Entities and document types are not expanded.
// Allocates; O(size). Any thread.
[[nodiscard]] std::expected<Dictionary, DictionaryError> load_quickfix_xml(
    std::string_view text, std::string_view file_name);

}  // namespace nexusfix::dictionary
