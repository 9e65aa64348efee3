// OrderID and ExecID: a letter and a number that only counts up, so that recovery knows the next
// number.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nexusfix::venue {

inline constexpr char kOrderIdLetter = 'O';
inline constexpr char kExecIdLetter = 'E';

class Identifier {
 public:
  Identifier(char letter, std::uint64_t number) noexcept {
    text_[0] = letter;
    const auto written = std::to_chars(text_ + 1, text_ + sizeof text_, number);
    size_ = static_cast<std::size_t>(written.ptr - text_);
  }
  [[nodiscard]] std::string_view view() const noexcept { return {text_, size_}; }

 private:
  char text_[24];  // a letter and up to 20 digits
  std::size_t size_;
};

[[nodiscard]] inline std::optional<std::uint64_t> identifier_number(
    char letter, std::string_view text) noexcept {
  if (text.size() < 2 || text[0] != letter) return std::nullopt;
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + 1, end, number);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace nexusfix::venue
