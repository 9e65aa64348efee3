// A short text stored in the object itself, without an allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace nexusfix::venue {

template <std::size_t Capacity>
class FixedText {
 public:
  static constexpr std::size_t kSizeMax = Capacity;
  static_assert(Capacity <= 255, "the size is kept in one byte");

  FixedText() = default;
  // The caller checks that text.size() ≤ kSizeMax. A longer text is refused, never cut.
  explicit FixedText(std::string_view text) noexcept
      : size_{static_cast<std::uint8_t>(text.size())} {
    std::memcpy(bytes_, text.data(), size_);
  }

  [[nodiscard]] std::string_view view() const noexcept { return {bytes_, size_}; }

 private:
  std::uint8_t size_ = 0;
  char bytes_[Capacity] = {};
};

}  // namespace nexusfix::venue
