#include "base/api/printable_text.hpp"

#include <algorithm>
#include <bit>

#include "base/api/utf8.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nexusfix {
namespace {

constexpr char kDelete = 0x7f;

// The number of bytes at the beginning of text that are printable ASCII and not `but`, and are
// written as they are. Nearly all texts have no others.
std::size_t plain_size(std::string_view text, char but) noexcept {
  std::size_t at = 0;
#if defined(__SSE2__)
  constexpr std::size_t kLanes = 16;
  const __m128i space = _mm_set1_epi8(' ');
  const __m128i deleted = _mm_set1_epi8(kDelete);
  const __m128i other = _mm_set1_epi8(but);
  while (at < text.size() && text.size() >= kLanes) {
    // The last block overlaps the one before it.
    at = std::min(at, text.size() - kLanes);
    // Valid: an unaligned load of 16 bytes of the text.
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    // Bytes from 0x80 are negative.
    const __m128i special =
        _mm_or_si128(_mm_cmplt_epi8(bytes, space),
                     _mm_or_si128(_mm_cmpeq_epi8(bytes, deleted), _mm_cmpeq_epi8(bytes, other)));
    if (const int found = _mm_movemask_epi8(special); found != 0) {
      return at + static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(found)));
    }
    at += kLanes;
  }
#endif
  while (at < text.size() && text[at] >= ' ' && text[at] < kDelete && text[at] != but) ++at;
  return at;
}

}  // namespace

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
  for (;;) {
    const std::size_t plain =
        plain_size(text, backslashes == Backslashes::Doubled ? '\\' : kDelete);
    to += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
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
