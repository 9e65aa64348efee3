#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "nexusfix/logs/source/byte_source.hpp"

namespace nexusfix::logs {
namespace {

constexpr std::string_view kLittleMark{"\xff\xfe", 2};
constexpr std::string_view kBigMark{"\xfe\xff", 2};

constexpr bool is_high_surrogate(char32_t unit) { return unit >= 0xd800 && unit <= 0xdbff; }
constexpr bool is_low_surrogate(char32_t unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

void append_utf8(std::string& to, char32_t c) {
  const auto rest = [&](unsigned shift) { return static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) {
    to += static_cast<char>(c);
  } else if (c < 0x800) {
    to.append(1, static_cast<char>(0xc0 | c >> 6)).append(1, rest(0));
  } else if (c < 0x1'0000) {
    to.append(1, static_cast<char>(0xe0 | c >> 12)).append(1, rest(6)).append(1, rest(0));
  } else {
    to.append(1, static_cast<char>(0xf0 | c >> 18)).append(1, rest(12));
    to.append(1, rest(6)).append(1, rest(0));
  }
}

class Utf16Source final : public ByteSource {
 public:
  Utf16Source(Source text, Utf16Order order) : text_{std::move(text)}, order_{order} {}

  std::expected<std::size_t, std::string> read(std::span<char> bytes) override {
    while (at_ == utf8_.size()) {
      utf8_.clear();
      at_ = 0;
      const auto got = text_->read(std::span{chunk_}.subspan(held_));
      if (!got) return got;
      if (*got == 0 && end() == SourceEnd::Waits) return 0;
      if (*got == 0 && !take_rest()) return 0;
      if (*got > 0) convert(held_ + *got);
    }
    const std::size_t size = std::min(bytes.size(), utf8_.size() - at_);
    utf8_.copy(bytes.data(), size, at_);
    at_ += size;
    return size;
  }
  [[nodiscard]] SourceEnd end() const override { return text_->end(); }
  [[nodiscard]] std::string damage() const override { return text_->damage(); }

 private:
  static constexpr std::size_t kUnitBytes = 2;

  // size: of the bytes of the chunk.
  void convert(std::size_t size) {
    std::size_t at = 0;
    for (; at + kUnitBytes <= size; at += kUnitBytes) {
      const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(chunk_[at + i]); };
      const auto unit = static_cast<char32_t>(
          order_ == Utf16Order::Little ? byte(1) << 8 | byte(0) : byte(0) << 8 | byte(1));
      take(unit);
    }
    held_ = size - at;
    if (held_ > 0) chunk_[0] = chunk_[at];
  }

  // A surrogate without its other half is kept as bytes that are no UTF-8: nothing is lost.
  void take(char32_t unit) {
    const std::optional<char32_t> high = std::exchange(high_, std::nullopt);
    if (high && is_low_surrogate(unit)) {
      return append_utf8(utf8_, 0x1'0000 + ((*high - 0xd800) << 10) + (unit - 0xdc00));
    }
    if (high) append_utf8(utf8_, *high);
    if (is_high_surrogate(unit)) {
      high_ = unit;
    } else {
      append_utf8(utf8_, unit);
    }
  }

  // At the end of the text. False: nothing is left.
  bool take_rest() {
    if (high_) append_utf8(utf8_, *std::exchange(high_, std::nullopt));
    if (std::exchange(held_, 0) > 0) utf8_ += chunk_[0];
    return !utf8_.empty();
  }

  Source text_;
  Utf16Order order_;
  std::array<char, 64U << 10U> chunk_;
  std::size_t held_ = 0;  // bytes of a unit that is not complete, at the beginning of the chunk
  std::optional<char32_t> high_;
  std::string utf8_;
  std::size_t at_ = 0;  // of the bytes that were not read yet
};

}  // namespace

std::optional<Utf16> utf16_of(std::string_view head) {
  if (head.starts_with("8=FIX") || head.size() < 2 * kLittleMark.size()) return std::nullopt;
  // A first character of ASCII: other bytes may begin with the bytes of a mark.
  if (head.starts_with(kLittleMark) && head[3] == '\0') return Utf16{Utf16Order::Little, 2};
  if (head.starts_with(kBigMark) && head[2] == '\0') return Utf16{Utf16Order::Big, 2};
  constexpr std::size_t kLookedAt = 16;
  if (head.size() < kLookedAt) return std::nullopt;
  const auto are_zeros = [&](std::size_t first) {
    for (std::size_t i = 0; i < kLookedAt; ++i) {
      if ((head[i] == '\0') != (i % 2 == first)) return false;
    }
    return true;
  };
  if (are_zeros(1)) return Utf16{Utf16Order::Little, 0};
  if (are_zeros(0)) return Utf16{Utf16Order::Big, 0};
  return std::nullopt;
}

Source utf16_source(Source text, Utf16Order order) {
  return std::make_unique<Utf16Source>(std::move(text), order);
}

}  // namespace nexusfix::logs
