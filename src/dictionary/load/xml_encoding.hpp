// From the bytes of an XML file to UTF-8.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

namespace nexusfix::dictionary {

struct Utf8Text {
  std::string_view text;  // a part of the given bytes if they were UTF-8, otherwise of storage
  std::string storage;
  std::string warning;           // empty: none
  std::size_t warning_line = 0;  // counts from 1
};

struct EncodingFault {
  std::size_t line = 0;  // counts from 1; 0: the whole text
  std::string text;
};

// Accepts UTF-8 and UTF-16 with or without a byte order mark, and the encodings that the XML
// declaration may name: UTF-8, US-ASCII, ISO-8859-1, windows-1252. If bytes are not UTF-8, as in
// the descriptions of old files, reads the whole text as windows-1252 with a warning. storage moves
// with the object, but text still points into the old one.
[[nodiscard]] std::expected<void, EncodingFault> to_utf8(std::string_view bytes, Utf8Text& result);

}  // namespace nexusfix::dictionary
