// A buffer of fixed size whose bytes are written before they are read. It is not zeroed, so that
// opening an engine touches no page of it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace nexusfix::engine {

class ScratchBuffer {
 public:
  explicit ScratchBuffer(std::size_t size)
      : bytes_{std::make_unique_for_overwrite<char[]>(size)}, size_{size} {}

  [[nodiscard]] const char* data() const noexcept { return bytes_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<char> span() noexcept { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_;
};

}  // namespace nexusfix::engine
