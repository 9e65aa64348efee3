#include "nexusfix/logs/output/json_bytes.hpp"

#include <algorithm>

#include <nexusfix/base/json_text.hpp>
#include <nexusfix/base/printable_text.hpp>
#include <nexusfix/base/utf8.hpp>

namespace nexusfix::logs {
namespace {

bool is_plain(std::string_view text) noexcept {
  bool plain = true;
  for (const char c : text) {
    plain &= c >= ' ' && c < 0x7f && c != '"' && c != '\\';  // no branch: vectors
  }
  return plain;
}

}  // namespace

void append_json_bytes(std::string& to, std::string_view text) {
  if (is_plain(text)) {
    to += text;
    return;
  }
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const std::size_t size = std::max<std::size_t>(1, utf8_size(text));
    if (byte == '"' || byte == '\\') {
      to += '\\';
      to += text.front();
    } else if (byte < ' ' || byte == 0x7f) {
      to += "\\u00";
      append_hex(to, byte);
    } else if (size == 2 && printable_utf8_size(text) == 0) {
      to += "\\u00";  // U+0080 to U+009F, which a terminal obeys
      append_hex(to, static_cast<unsigned char>(text[1]));
    } else {
      to += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
}

bool is_utf8(std::string_view text) noexcept {
  unsigned all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  if (all < 0x80) return true;
  while (!text.empty()) {
    const std::size_t size = utf8_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

void append_json_string(std::string& to, std::string_view text) {
  if (is_plain(text)) {
    to += '"';
    to += text;
    to += '"';
  } else {
    append_json_text(to, text);
  }
}

}  // namespace nexusfix::logs
