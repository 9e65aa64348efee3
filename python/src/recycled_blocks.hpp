// The memory of messages: one is most often made after another was released.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <vector>

namespace nexusfix::python {

// Keeps released blocks of up to 2 KiB for the next ones, at most 64 of each size. The caller has
// the lock of the interpreter.
class RecycledBlocks : public std::pmr::memory_resource {
 private:
  static constexpr std::size_t kStep = 128;
  static constexpr std::size_t kSizes = 16;
  static constexpr std::size_t kKeptMax = 64;

  void* do_allocate(std::size_t size, std::size_t alignment) override {
    const std::size_t place = (size - 1) / kStep;
    if (place >= kSizes || alignment > kStep) return upstream().allocate(size, alignment);
    std::vector<void*>& kept = kept_[place];
    if (kept.empty()) return upstream().allocate((place + 1) * kStep, kStep);
    void* const block = kept.back();
    kept.pop_back();
    return block;
  }
  void do_deallocate(void* block, std::size_t size, std::size_t alignment) override {
    const std::size_t place = (size - 1) / kStep;
    if (place >= kSizes || alignment > kStep) return upstream().deallocate(block, size, alignment);
    std::vector<void*>& kept = kept_[place];
    if (kept.size() == kKeptMax) return upstream().deallocate(block, (place + 1) * kStep, kStep);
    if (kept.capacity() == 0) kept.reserve(kKeptMax);
    kept.push_back(block);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
  static std::pmr::memory_resource& upstream() noexcept { return *std::pmr::new_delete_resource(); }

  std::array<std::vector<void*>, kSizes> kept_;
};

}  // namespace nexusfix::python
