#include "logs/messages/escaped_line.hpp"

#include <algorithm>
#include <charconv>

#include "base/api/ascii.hpp"

namespace nexusfix::printing {

// Any text may precede the words: a time, or the name that grep prints for a file.
std::size_t escaped_mark_size(std::string_view line) {
  const std::size_t mark = line.find(kEscapedMark);
  if (mark == line.npos) return 0;
  std::string_view rest = line.substr(0, mark);
  const auto take = [&](std::string_view word) {
    const bool has = rest.ends_with(word);
    if (has) rest.remove_suffix(word.size());
    return has;
  };
  take(" MASKED");
  take(" GARBLED");
  if (!take("IN") && !take("OUT")) return 0;
  return rest.empty() || !is_alphanumeric(rest.back()) ? mark + kEscapedMark.size() : 0;
}

void append_unescaped(std::string& to, std::string_view text) {
  while (!text.empty()) {
    const std::size_t backslash = std::min(text.find('\\'), text.size());
    to += text.substr(0, backslash);
    text.remove_prefix(backslash);
    unsigned byte = 0;
    if (text.starts_with("\\\\")) {
      to += '\\';
      text.remove_prefix(2);
    } else if (text.starts_with("\\x") && text.size() >= 4 &&
               std::from_chars(text.data() + 2, text.data() + 4, byte, 16).ptr == text.data() + 4) {
      to += static_cast<char>(byte);
      text.remove_prefix(4);
    } else if (!text.empty()) {
      to += text.front();
      text.remove_prefix(1);
    }
  }
}

}  // namespace nexusfix::printing
