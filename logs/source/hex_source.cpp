#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/api/ascii.hpp"
#include "logs/source/byte_source.hpp"

namespace nexusfix::logs {
namespace {

constexpr std::size_t kHexChunkBytes = 64U << 10U;
// Longer is no line of a hex dump.
constexpr std::size_t kHexLineBytesMax = 4096;
constexpr std::size_t kDumpedBytesMax = 64;  // in a line

std::optional<unsigned> hex_digit(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  const char small = static_cast<char>(c | 0x20);
  if (small < 'a' || small > 'f') return std::nullopt;
  return static_cast<unsigned>(small - 'a' + 10);
}

std::size_t hex_digits(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && hex_digit(text[count])) ++count;
  return count;
}

std::size_t blanks(std::string_view text) {
  return std::min(text.find_first_not_of(" \t"), text.size());
}

// The offset at the beginning of a line: "00000010  ", "00000010: ", "\t0x0010:  ". The rest of the
// line; nothing: it has none.
std::optional<std::string_view> after_offset(std::string_view line) {
  constexpr std::size_t kDigitsMin = 4;
  constexpr std::size_t kDigitsMax = 16;
  line.remove_prefix(blanks(line));
  if (line.starts_with("0x")) line.remove_prefix(2);
  const std::size_t digits = hex_digits(line);
  if (digits < kDigitsMin || digits > kDigitsMax) return std::nullopt;
  line.remove_prefix(digits);
  if (line.starts_with(':')) line.remove_prefix(1);
  const std::size_t gap = blanks(line);
  if (gap == 0) return std::nullopt;
  return line.substr(gap);
}

// Appends the bytes of a line: pairs of digits, one or more pairs in a row, until two blanks or the
// text at the right. False: the line shows no bytes.
bool append_line(std::string& to, std::string_view line) {
  const auto rest = after_offset(line);
  if (!rest) return false;
  std::string_view text = *rest;
  const std::size_t before = to.size();
  while (to.size() - before < kDumpedBytesMax) {
    const std::size_t digits = hex_digits(text);
    const bool ends_word = digits == text.size() || text[digits] == ' ' || text[digits] == '\r';
    if (digits == 0 || digits % 2 != 0 || !ends_word) break;
    for (std::size_t i = 0; i < digits; i += 2) {
      to += static_cast<char>(*hex_digit(text[i]) << 4U | *hex_digit(text[i + 1]));
    }
    text.remove_prefix(digits);
    const std::size_t gap = blanks(text);
    // hexdump -C has two blanks in the middle of a line, and before its text a `|`. xxd and tcpdump
    // have two blanks only before their text.
    const bool may_be_middle = digits == 2 && to.size() - before == 8;
    if (gap == 0 || (gap > 1 && !may_be_middle)) break;
    text.remove_prefix(gap);
  }
  return to.size() > before;
}

class HexSource final : public ByteSource {
 public:
  explicit HexSource(Source dump) : dump_{std::move(dump)}, chunk_(kHexChunkBytes) {}

  std::expected<std::size_t, std::string> read(std::span<char> bytes) override {
    while (at_ == bytes_.size()) {
      bytes_.clear();
      at_ = 0;
      if (is_done_) return 0;
      const auto got = dump_->read(chunk_);
      if (!got) return got;
      is_done_ = *got == 0;
      take({chunk_.data(), *got});
    }
    const std::size_t size = std::min(bytes.size(), bytes_.size() - at_);
    std::copy_n(bytes_.data() + at_, size, bytes.data());
    at_ += size;
    return size;
  }

 private:
  void take(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (line_.size() < kHexLineBytesMax) line_ += text.substr(0, end);
      if (end == text.size()) return;
      append_line(bytes_, line_);
      line_.clear();
      text.remove_prefix(end + 1);
    }
    if (is_done_) append_line(bytes_, line_);
  }

  Source dump_;
  std::vector<char> chunk_;
  std::string line_;
  std::string bytes_;
  std::size_t at_ = 0;
  bool is_done_ = false;
};

}  // namespace

bool is_hex_dump(std::string_view text) {
  // tcpdump prints a line about each packet first.
  constexpr int kLinesLookedAt = 3;
  std::string bytes;
  for (int i = 0; i < kLinesLookedAt && !text.empty(); ++i) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    constexpr std::size_t kBytesMin = 8;
    bytes.clear();
    if (append_line(bytes, text.substr(0, end)) && bytes.size() >= kBytesMin) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

Source hex_source(Source dump) { return std::make_unique<HexSource>(std::move(dump)); }

}  // namespace nexusfix::logs
