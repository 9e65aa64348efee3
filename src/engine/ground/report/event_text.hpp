// The text of an event, in pieces: its caller needs no memory to compose it.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace nexusfix::engine {

// A text, which must outlive the piece, or a number.
class TextPiece {
 public:
  explicit(false) TextPiece(std::string_view text) noexcept : text_{text} {}
  explicit(false) TextPiece(const std::string& text) noexcept : text_{text} {}
  explicit(false) TextPiece(const char* text) noexcept : text_{text} {}
  template <std::integral Number>
    requires(!std::same_as<Number, bool> && !std::same_as<Number, char>)
  explicit(false) TextPiece(Number number) noexcept
      : digits_{static_cast<std::size_t>(
            std::to_chars(number_, number_ + sizeof number_, number).ptr - number_)} {}

  [[nodiscard]] std::string_view view() const noexcept {
    return digits_ == 0 ? text_ : std::string_view{number_, digits_};
  }

 private:
  std::string_view text_;
  char number_[20];  // the longest: 2^64 - 1, or -2^63
  std::size_t digits_ = 0;
};

// A view: for the parameters of functions only.
class EventText {
 public:
  explicit(false) EventText(std::string_view text) noexcept : text_{text} {}
  explicit(false) EventText(const std::string& text) noexcept : text_{text} {}
  explicit(false) EventText(const char* text) noexcept : text_{text} {}
  EventText(std::initializer_list<TextPiece> pieces) noexcept
      : pieces_{pieces.begin(), pieces.size()} {}

  // The whole text. joined: its memory, if it has several pieces.
  [[nodiscard]] std::string_view join(std::string& joined) const {
    if (pieces_.empty()) return text_;
    for (const TextPiece& piece : pieces_) joined += piece.view();
    return joined;
  }

 private:
  std::string_view text_;
  std::span<const TextPiece> pieces_;
};

}  // namespace nexusfix::engine
