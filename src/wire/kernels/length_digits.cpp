#include <bit>
#include <limits>

#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::wire::kernels {

namespace {

constexpr std::uint32_t kClasses = 8;  // bits of an entry
constexpr std::uint32_t kThreeDigitTagMax = 999;

// The digits of the tags of one class, as bits. Every combination of them passes.
struct Class {
  std::uint32_t digits[3] = {0, 0, 0};

  [[nodiscard]] Class with(std::uint32_t tag) const noexcept {
    Class added = *this;
    for (std::uint32_t& bits : added.digits) {
      bits |= 1U << tag % 10;
      tag /= 10;
    }
    return added;
  }
  [[nodiscard]] int passing() const noexcept {
    return std::popcount(digits[0]) * std::popcount(digits[1]) * std::popcount(digits[2]);
  }
};

}  // namespace

void fill_length_digits(DataTags& data) noexcept {
  Class classes[kClasses];
  for (std::uint32_t i = 0; i < data.count; ++i) {
    const std::uint32_t tag = data.length_tags[i];
    if (tag > kThreeDigitTagMax) continue;
    // The class that lets the fewest other tags pass. Of equals, the last one: ordinary tags are
    // small, and the classes of small tags come first.
    std::uint32_t best = 0;
    int least = std::numeric_limits<int>::max();
    for (std::uint32_t c = 0; c < kClasses; ++c) {
      const int more = classes[c].with(tag).passing() - classes[c].passing();
      if (more <= least) {
        best = c;
        least = more;
      }
    }
    classes[best] = classes[best].with(tag);
  }
  for (std::uint32_t i = 0; i < 3; ++i) {
    for (std::uint32_t digit = 0; digit < 10; ++digit) {
      std::uint32_t entry = 0;
      for (std::uint32_t c = 0; c < kClasses; ++c) {
        entry |= (classes[c].digits[i] >> digit & 1U) << c;
      }
      data.digits[i][digit] = static_cast<std::uint8_t>(entry);
    }
  }
}

}  // namespace nexusfix::wire::kernels
