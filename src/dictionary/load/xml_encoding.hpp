// From the bytes of an XML file to UTF-8.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

namespace nexusfix::dictionary {

struct Utf8Text {
  std::string_view text;  // of the bytes given, if they were UTF-8, else of storage
  std::string storage;
  std::string warning;           // empty: none
  std::size_t warning_line = 0;  // counts from 1
};

struct EncodingFault {
  std::size_t line = 0;  // counts from 1; 0: the whole text
  std::string text;
};

// Takes UTF-8 and UTF-16 with and without a byte order mark, and what the XML declaration names:
// UTF-8, US-ASCII, ISO-8859-1, windows-1252. Bytes that are not UTF-8, as old files have them in
// descriptions, are read as windows-1252 with a warning, the whole text over. storage moves with
// the object; text does not follow it.
[[nodiscard]] std::expected<void, EncodingFault> to_utf8(std::string_view bytes, Utf8Text& result);

}  // namespace nexusfix::dictionary
