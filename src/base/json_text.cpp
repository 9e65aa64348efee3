#include <algorithm>
#include <cstddef>

#include "base/api/printable_text.hpp"
#include "base/api/utf8.hpp"

namespace nexusfix {
void append_json_text(std::string& to, std::string_view text) {
  to += '"';
  while (!text.empty()) {
    const char c = text.front();
    const auto byte = static_cast<unsigned char>(c);
    const std::size_t size = std::max<std::size_t>(1, printable_utf8_size(text));
    if (c == '"' || c == '\\') {
      to += '\\';
      to += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      to += "\\u00";
      append_hex(to, byte);
    } else if (byte >= 0x80 && size == 1) {
      to += "\\\\x";
      append_hex(to, byte);
    } else {
      to += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  to += '"';
}

}  // namespace nexusfix
