// Appends to the caller's buffer and records whether anything did not fit.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace nexusfix::wire {

class BoundedWriter {
 public:
  BoundedWriter(char* begin, char* limit) noexcept : at_{begin}, limit_{limit} {}

  void append(std::string_view bytes) noexcept {
    if (full_ || static_cast<std::size_t>(limit_ - at_) < bytes.size()) {
      full_ = true;
      return;
    }
    std::memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
  }

  [[nodiscard]] char* end() const noexcept { return at_; }
  [[nodiscard]] bool full() const noexcept { return full_; }

 private:
  char* at_;
  char* limit_;
  bool full_ = false;
};

}  // namespace nexusfix::wire
