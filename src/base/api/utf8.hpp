// The definition of well-formed UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

// The size of the character at the beginning of text; 0: text is empty, or does not begin with a
// character. Refuses overlong forms, surrogates, and numbers above U+10FFFF (Unicode 15, table
// 3-7). Pure, O(1), reads no byte after the text.
[[nodiscard]] constexpr std::size_t utf8_size(std::string_view text) noexcept {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto between = [](unsigned byte, unsigned least, unsigned most) {
    return byte >= least && byte <= most;
  };
  const auto follows = [&](std::size_t i) { return between(at(i), 0x80, 0xbf); };
  const unsigned first = at(0);
  const unsigned second = at(1);
  if (first < 0x80) return text.empty() ? 0 : 1;
  if (between(first, 0xc2, 0xdf)) return follows(1) ? 2 : 0;
  if (between(first, 0xe0, 0xef)) {
    const unsigned least = first == 0xe0 ? 0xa0 : 0x80;
    const unsigned most = first == 0xed ? 0x9f : 0xbf;  // no surrogates
    return between(second, least, most) && follows(2) ? 3 : 0;
  }
  if (between(first, 0xf0, 0xf4)) {
    const unsigned least = first == 0xf0 ? 0x90 : 0x80;
    const unsigned most = first == 0xf4 ? 0x8f : 0xbf;  // nothing above U+10FFFF
    return between(second, least, most) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

// Like utf8_size(), but 0 for control characters, also U+0080 to U+009F, because terminals obey
// those.
[[nodiscard]] constexpr std::size_t printable_utf8_size(std::string_view text) noexcept {
  const std::size_t size = utf8_size(text);
  if (size == 1) {
    const auto byte = static_cast<unsigned char>(text.front());
    return byte >= 0x20 && byte != 0x7f ? 1 : 0;
  }
  const bool is_control = size == 2 && static_cast<unsigned char>(text[0]) == 0xc2 &&
                          static_cast<unsigned char>(text[1]) < 0xa0;
  return is_control ? 0 : size;
}

// The text without the byte order mark that some editors write first.
[[nodiscard]] constexpr std::string_view without_byte_order_mark(std::string_view text) noexcept {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

}  // namespace nexusfix
