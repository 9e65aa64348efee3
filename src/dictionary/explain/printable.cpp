#include <algorithm>

#include <nexusfix/base/utf8.hpp>
#include <nexusfix/dictionary/printable.hpp>

namespace nexusfix::dictionary {

std::size_t printable_size(std::string_view text) noexcept { return printable_utf8_size(text); }

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
