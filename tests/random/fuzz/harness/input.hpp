// The fuzzer's input, consumed from its front one byte at a time; zeros after its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace nexusfix::testing {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_{data, size} {}
  [[nodiscard]] bool empty() const { return rest_.empty(); }
  std::size_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }
  std::size_t word() {
    const std::size_t high = byte();
    return high << 8U | byte();
  }
  std::string text(std::size_t size) {
    std::string text;
    while (text.size() < size && !empty()) text.push_back(static_cast<char>(byte()));
    return text;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace nexusfix::testing
