#include "explanation/clipped.hpp"

#include <algorithm>

#include "base/api/printable_text.hpp"
#include "base/api/utf8.hpp"

namespace nexusfix::dictionary {

namespace {

// Does not cut a character.
std::string_view first_bytes(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t size = std::max<std::size_t>(1, printable_utf8_size(text.substr(end)));
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
