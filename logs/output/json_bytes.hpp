// Bytes as JSON strings, written to memory that the caller provides: as fast as memcpy() for usual
// values.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nexusfix::logs {

// Each byte needs at most this number of bytes. The functions may write 32 bytes beyond the result.
inline constexpr std::size_t kJsonByteMax = 6;
inline constexpr std::size_t kJsonSlack = 32;

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

// write_json_bytes() for any text.
char* write_any_json_bytes(char* out, std::string_view text, const char* readable) noexcept;

#if defined(__SSE2__)
// A bit for each of 16 bytes that is no plain character of a JSON string. A byte of 0x80 and above
// is negative, so it is not greater than the last control character.
inline unsigned special_json_bytes(__m128i bytes) noexcept {
  const __m128i special = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
                                       _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7f)),
                                                    _mm_cmplt_epi8(bytes, _mm_set1_epi8(' '))));
  return static_cast<unsigned>(_mm_movemask_epi8(special));
}
#endif

// Writes text without quotes, and returns the end. A reader gets exactly these bytes if they are
// UTF-8; each other byte is written as \\xff, with its backslash. readable: where the memory of
// text may be read up to. Inline: most values are short and plain.
inline char* write_json_bytes(char* out, std::string_view text, const char* readable) noexcept {
#if defined(__SSE2__)
  constexpr std::size_t kLanes = 16;
  if (text.size() <= kLanes && readable - text.data() >= static_cast<std::ptrdiff_t>(kLanes)) {
    // Valid: 16 bytes can be read here, and out has that room.
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data()));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
    if ((special_json_bytes(bytes) & ((1U << text.size()) - 1)) == 0) return out + text.size();
  }
#endif
  return write_any_json_bytes(out, text, readable);
}

// write_json_bytes() with quotes.
inline char* write_json_string(char* out, std::string_view text, const char* readable) noexcept {
  *out++ = '"';
  out = write_json_bytes(out, text, readable);
  *out++ = '"';
  return out;
}

// Whether a JSON string has each byte of text as it is, but for SOH.
[[nodiscard]] bool is_plain_json(std::string_view text) noexcept;

// write_json_bytes() for a part of a text that is_plain_json(), without SOH: a copy.
inline char* write_plain_json(char* out, std::string_view text, const char* readable) noexcept {
  constexpr std::size_t kUsual = 32;  // a constant size is copied without a loop
  if (text.size() <= kUsual && readable - text.data() >= static_cast<std::ptrdiff_t>(kUsual)) {
    std::memcpy(out, text.data(), kUsual);
  } else {
    std::memcpy(out, text.data(), text.size());
  }
  return out + text.size();
}

// Copies text.
inline char* write_text(char* out, std::string_view text) noexcept {
  return out + text.copy(out, text.size());
}

}  // namespace nexusfix::logs
