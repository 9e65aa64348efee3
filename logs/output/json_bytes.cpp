#include "logs/output/json_bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include <nexusfix/wire/field.hpp>

#include "base/api/utf8.hpp"
#include "logs/messages/find_bytes.hpp"

namespace nexusfix::logs {
namespace {

using wire::kSoh;

constexpr std::string_view kHexDigits = "0123456789abcdef";

char* write_hex(char* out, unsigned char byte) noexcept {
  *out++ = kHexDigits[byte >> 4U];
  *out++ = kHexDigits[byte & 0xfU];
  return out;
}

constexpr bool is_plain(char c) noexcept { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; }

// Writes the first character of text, which is not plain, and removes it.
char* write_special(char* out, std::string_view& text) noexcept {
  const auto byte = static_cast<unsigned char>(text.front());
  const std::size_t size = utf8_size(text);
  if (byte == '"' || byte == '\\') {
    *out++ = '\\';
    *out++ = text.front();
  } else if (byte < ' ' || byte == 0x7f) {
    out = write_hex(write_text(out, "\\u00"), byte);
  } else if (size == 2 && printable_utf8_size(text) == 0) {
    // U+0080 to U+009F, which a terminal obeys.
    out = write_hex(write_text(out, "\\u00"), static_cast<unsigned char>(text[1]));
  } else if (size == 0) {
    out = write_hex(write_text(out, "\\\\x"), byte);
  } else {
    out = write_text(out, text.substr(0, size));
  }
  text.remove_prefix(std::max<std::size_t>(1, size));
  return out;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  if (printing::is_ascii(text)) return true;
  while (!text.empty()) {
    const std::size_t size = utf8_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

bool is_plain_json(std::string_view text) noexcept {
  std::size_t at = 0;
#if defined(__SSE2__)
  constexpr std::size_t kLanes = 16;
  unsigned special = 0;
  const auto look_at = [&](std::size_t block) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + block));
    const __m128i soh = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(kSoh));
    special |= special_json_bytes(bytes) & ~static_cast<unsigned>(_mm_movemask_epi8(soh));
  };
  for (; at + kLanes <= text.size(); at += kLanes) look_at(at);
  if (at > 0) {
    // The last block overlaps the one before it.
    look_at(text.size() - kLanes);
    return special == 0;
  }
#endif
  return std::ranges::all_of(text.substr(at), [](char c) { return is_plain(c) || c == kSoh; });
}

char* write_any_json_bytes(char* out, std::string_view text, const char* readable) noexcept {
#if defined(__SSE2__)
  constexpr std::size_t kLanes = 16;
  std::array<char, 2 * kLanes> last{};  // the last bytes of text, with as many after each of them
  while (!text.empty()) {
    if (readable - text.data() < static_cast<std::ptrdiff_t>(kLanes)) {
      text = {last.data(), text.copy(last.data(), text.size())};
      readable = last.data() + last.size();
    }
    // Valid: 16 bytes can be read here, and out has that room.
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data()));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
    const unsigned places = special_json_bytes(bytes) | 1U << kLanes;
    const std::size_t plain =
        std::min(text.size(), static_cast<std::size_t>(std::countr_zero(places)));
    out += plain;
    text.remove_prefix(plain);
    if (plain < kLanes && !text.empty()) out = write_special(out, text);
  }
#else
  static_cast<void>(readable);
  while (!text.empty()) {
    if (is_plain(text.front())) {
      *out++ = text.front();
      text.remove_prefix(1);
    } else {
      out = write_special(out, text);
    }
  }
#endif
  return out;
}

}  // namespace nexusfix::logs
