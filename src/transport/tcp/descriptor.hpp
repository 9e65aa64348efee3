// A file descriptor that closes itself.
#pragma once

#include <unistd.h>
#include <utility>

namespace nexusfix::transport {

class Descriptor {
 public:
  Descriptor() noexcept = default;
  explicit Descriptor(int value) noexcept : value_{value} {}
  Descriptor(Descriptor&& other) noexcept : value_{std::exchange(other.value_, -1)} {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      value_ = std::exchange(other.value_, -1);
    }
    return *this;
  }
  ~Descriptor() { reset(); }

  [[nodiscard]] int get() const noexcept { return value_; }
  [[nodiscard]] explicit operator bool() const noexcept { return value_ >= 0; }
  [[nodiscard]] int release() noexcept { return std::exchange(value_, -1); }
  void reset() noexcept {
    // The result is ignored: on Linux the descriptor is closed whatever close() returns.
    if (value_ >= 0) ::close(std::exchange(value_, -1));
  }

 private:
  int value_ = -1;
};

}  // namespace nexusfix::transport
