#include <algorithm>

#include <nexusfix/dictionary/printable.hpp>

namespace nexusfix::dictionary {

std::size_t printable_size(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return 0;
  unsigned code = lead & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
    code = code << 6U | (byte(i) & 0x3fU);
  }
  constexpr unsigned kSmallest[] = {0, 0, 0xa0, 0x800, 0x10000};  // 0x80 to 0x9f steer terminals
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kSmallest[size] || surrogate || code > 0x10ffff ? 0 : size;
}

std::string printable(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result;
  while (!text.empty()) {
    const std::size_t size = printable_size(text);
    if (size == 0) {
      const auto byte = static_cast<unsigned char>(text.front());
      result += {'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 0xfU]};
    } else {
      result += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

namespace {

// Not through the middle of a character.
std::string_view first_bytes(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t size = std::max<std::size_t>(1, printable_size(text.substr(end)));
    if (end + size > kClippedBytesMax) break;
    end += size;
  }
  return text.substr(0, end);
}

std::string dots(std::string_view text) {
  return "... (" + std::to_string(text.size()) + " bytes)";
}

}  // namespace

std::string clipped(std::string_view text) {
  const std::string_view first = first_bytes(text);
  return printable(first) + (first.size() == text.size() ? "" : dots(text));
}

std::string clipped_quote(std::string_view text) {
  const std::string_view first = first_bytes(text);
  return "'" + printable(first) + "'" + (first.size() == text.size() ? "" : dots(text));
}

}  // namespace nexusfix::dictionary
