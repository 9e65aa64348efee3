#include "observe/shown_text.hpp"

#include "base/api/printable_text.hpp"

namespace nexusfix::observe {
namespace {

constexpr char kSoh = '\x01';

}  // namespace

std::size_t append_shown(std::string& line, std::string_view bytes, std::size_t line_bytes_max) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const bool plain = (byte >= ' ' && byte <= '~') || bytes[i] == kSoh;
    if (line.size() + (plain ? 1 : kEscapedByteSize) > line_bytes_max) return i;
    if (plain) {
      line += bytes[i] == kSoh ? '|' : bytes[i];
    } else {
      append_escaped_byte(line, byte, HexDigits::Upper);
    }
  }
  return bytes.size();
}

void append_shown_or_cut(std::string& line, std::string_view bytes, std::size_t line_bytes_max) {
  const std::size_t taken = append_shown(line, bytes, line_bytes_max);
  if (taken < bytes.size()) {
    line += " ... [cut: " + std::to_string(bytes.size() - taken) + " more bytes]";
  }
}

}  // namespace nexusfix::observe
