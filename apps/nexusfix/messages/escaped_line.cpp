#include "nexusfix/messages/escaped_line.hpp"

#include <algorithm>
#include <charconv>

#include <nexusfix/base/ascii.hpp>

namespace nexusfix::printing {
namespace {

// "20240115-10:30:00", and up to nine digits after a point.
std::size_t time_size(std::string_view line) {
  constexpr std::string_view kForm = "00000000-00:00:00";
  constexpr std::size_t kFractionBytesMax = 10;
  if (line.size() <= kForm.size()) return 0;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == '0' ? !is_digit(line[i]) : line[i] != kForm[i]) return 0;
  }
  std::size_t size = kForm.size();
  if (line[size] == '.') {
    const std::string_view rest = line.substr(size + 1, kFractionBytesMax - 1);
    size += 1 + static_cast<std::size_t>(std::ranges::find_if_not(rest, is_digit) - rest.begin());
  }
  return size;
}

}  // namespace

std::size_t escaped_mark_size(std::string_view line) {
  if (!line.contains('E')) return 0;  // a fast answer for most lines
  std::string_view rest = line;
  const auto take = [&](std::string_view word) {
    const bool has = rest.starts_with(word);
    if (has) rest.remove_prefix(word.size());
    return has;
  };
  if (const std::size_t time = time_size(line); time > 0) {
    rest.remove_prefix(time);
    if (!take(" ")) return 0;
  }
  if (!take("IN") && !take("OUT")) return 0;
  take(" GARBLED");
  take(" MASKED");
  return take(" ESCAPED : ") ? line.size() - rest.size() : 0;
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
