// Bytes that wait for their reader, in the order in which they came.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace nexusfix::gateway {

// One thread. What was read is released, also if some bytes always wait.
class WaitingBytes {
 public:
  void add(std::string_view bytes) {
    if (begin_ > kReadBytesMax) bytes_.erase(0, std::exchange(begin_, 0));
    bytes_ += bytes;
  }
  // Valid until the next call.
  [[nodiscard]] std::string_view unread() const noexcept {
    return std::string_view{bytes_}.substr(begin_);
  }
  // At most as many as unread() has.
  void remove(std::size_t bytes) {
    begin_ += bytes;
    if (begin_ < bytes_.size()) return;
    bytes_.clear();
    begin_ = 0;
    if (bytes_.capacity() > kKeptBytes) std::string{}.swap(bytes_);
  }
  // The memory that it has, in bytes.
  [[nodiscard]] std::size_t capacity() const noexcept { return bytes_.capacity(); }

 private:
  static constexpr std::size_t kReadBytesMax = 64U << 10U;
  static constexpr std::size_t kKeptBytes = 1U << 20U;

  std::string bytes_;
  std::size_t begin_ = 0;
};

}  // namespace nexusfix::gateway
