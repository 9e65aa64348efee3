// Escapes any text: as part of a name, so that different texts give different names, and for HTML,
// SVG and XML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nexusfix/base/language.hpp>

#include "base/api/printable_text.hpp"

namespace nexusfix {

// Appends text with each byte that is_kept() refuses as %XX, and also each '%' that would look like
// an escape. Two results are equal only if their texts are.
template <class IsKept>
void append_escaped(std::string& to, std::string_view text, IsKept is_kept) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  const auto is_hex = [&](std::size_t at) {
    return at < text.size() && kHexDigits.find(text[at]) != std::string_view::npos;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool reads_as_escape = text[i] == '%' && is_hex(i + 1) && is_hex(i + 2);
    if (is_kept(text[i]) && !reads_as_escape) {
      to += text[i];
      continue;
    }
    to += '%';
    append_hex(to, static_cast<unsigned char>(text[i]), HexDigits::Upper);
  }
}

// The reverse of append_escaped(). A '%' without two hexadecimal digits is kept.
[[nodiscard]] inline std::string unescaped(std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  const auto digit = [&](std::size_t at) {
    return at < text.size() ? kHexDigits.find(text[at]) : std::string_view::npos;
  };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t high = text[i] == '%' ? digit(i + 1) : std::string_view::npos;
    const std::size_t low = digit(i + 2);
    if (high == std::string_view::npos || low == std::string_view::npos) {
      result += text[i];
      continue;
    }
    result += static_cast<char>(high << 4U | low);
    i += 2;
  }
  return result;
}

// Text for an element or an attribute of HTML, SVG or XML.
[[nodiscard]] inline std::string markup_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace nexusfix
