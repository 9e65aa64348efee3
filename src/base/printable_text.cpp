#include <nexusfix/base/printable_text.hpp>
#include <nexusfix/base/utf8.hpp>

namespace nexusfix {

void append_hex(std::string& to, unsigned char byte, HexDigits digits) {
  const std::string_view hex = digits == HexDigits::Upper ? "0123456789ABCDEF" : "0123456789abcdef";
  to += hex[byte >> 4U];
  to += hex[byte & 0xFU];
}

void append_escaped_byte(std::string& to, unsigned char byte, HexDigits digits) {
  to += "\\x";
  append_hex(to, byte, digits);
}

void append_printable(std::string& to, std::string_view text, Backslashes backslashes) {
  while (!text.empty()) {
    const std::size_t size = printable_utf8_size(text);
    if (size == 0) {
      append_escaped_byte(to, static_cast<unsigned char>(text.front()));
    } else if (text.front() == '\\' && backslashes == Backslashes::Doubled) {
      to += "\\\\";
    } else {
      to += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
}

std::string printable(std::string_view text) {
  std::string result;
  append_printable(result, text);
  return result;
}

}  // namespace nexusfix
