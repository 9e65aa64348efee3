// Bytes as JSON strings, written to memory that the caller provides: as fast as memcpy() for usual
// values.
#pragma once

#include <cstddef>
#include <string_view>

namespace nexusfix::logs {

// Each byte needs at most this number of bytes. The functions may write 16 bytes beyond the result.
inline constexpr std::size_t kJsonByteMax = 6;
inline constexpr std::size_t kJsonSlack = 16;

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

// Writes text without quotes, and returns the end. A reader gets exactly these bytes if they are
// UTF-8; each other byte is written as \\xff, with its backslash. readable: where the memory of
// text may be read up to.
char* write_json_bytes(char* out, std::string_view text, const char* readable) noexcept;

// The same with quotes.
inline char* write_json_string(char* out, std::string_view text, const char* readable) noexcept {
  *out++ = '"';
  out = write_json_bytes(out, text, readable);
  *out++ = '"';
  return out;
}

// Copies text.
inline char* write_text(char* out, std::string_view text) noexcept {
  return out + text.copy(out, text.size());
}

}  // namespace nexusfix::logs
