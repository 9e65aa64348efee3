#include "nexusfix/text/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "base/api/ascii.hpp"

namespace nexusfix::command {
namespace {

// Counts the characters of UTF-8, without combining characters.
std::size_t columns_of(std::string_view text) {
  const auto is_begin = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; };
  return static_cast<std::size_t>(std::ranges::count_if(text, is_begin));
}

}  // namespace

std::string with_thousands(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  std::string text = with_thousands(count) + ' ';
  if (count == 1) return text.append(one);
  return many.empty() ? text.append(one).append("s") : text.append(many);
}

std::string duration_text(std::chrono::nanoseconds duration) {
  struct Unit {
    double nanoseconds;
    std::string_view name;
  };
  constexpr std::array kUnits{Unit{1e3, "µs"}, Unit{1e6, "ms"}, Unit{1e9, "s"}};
  const auto nanoseconds = static_cast<double>(duration.count());
  if (nanoseconds < 999.5) return fmt::format("{} ns", duration.count());
  for (const Unit& unit : kUnits) {
    const double value = nanoseconds / unit.nanoseconds;
    if (value < 9.995) return fmt::format("{:.2f} {}", value, unit.name);
    if (value < 99.95) return fmt::format("{:.1f} {}", value, unit.name);
    if (value < 999.5 || &unit == &kUnits.back()) return fmt::format("{:.0f} {}", value, unit.name);
  }
  return {};
}

std::string capitalised(std::string_view word) {
  std::string text{word};
  if (!text.empty() && is_lower(text.front())) text.front() = static_cast<char>(text.front() - 32);
  return text;
}

std::string hex_text(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

std::string bar_text(double share, std::size_t columns) {
  constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double exact = std::clamp(share, 0.0, 1.0) * static_cast<double>(columns) * 8;
  auto eighths = static_cast<std::size_t>(std::llround(exact));
  if (share > 0) eighths = std::max<std::size_t>(eighths, 1);
  std::string bar;
  for (std::size_t i = 0; i < eighths / 8; ++i) bar += "█";
  bar += kEighths[eighths % 8];
  return bar;
}

void append_wrapped(std::string& out, std::string_view lead, std::string_view text,
                    std::size_t columns) {
  std::string line{lead};
  bool is_first = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!is_first && columns_of(line) + 1 + columns_of(word) > columns) {
      out += line + '\n';
      line = std::string(columns_of(lead), ' ');
      is_first = true;
    }
    if (!is_first) line += ' ';
    line += word;
    is_first = false;
  }
  out += line + '\n';
}

}  // namespace nexusfix::command
