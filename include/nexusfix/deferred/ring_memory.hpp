// The memory of a ring: large, touched before it is used, and never moved.
#pragma once

#include <cstddef>
#include <cstring>

#include <nexusfix/base/language.hpp>

namespace nexusfix::deferred::detail {

// Owns size_bytes zeroed bytes, aligned to a cache line or better. Every page has been written to,
// so that the first lap has no page faults. A large ring requests huge pages, so that a lap has few
// TLB misses. The constructor allocates and may throw std::bad_alloc.
class RingMemory {
 public:
  explicit RingMemory(std::size_t size_bytes);
  RingMemory(const RingMemory&) = delete;
  RingMemory& operator=(const RingMemory&) = delete;
  ~RingMemory();

  [[nodiscard]] std::byte* data() const noexcept { return memory_; }

 private:
  std::size_t alignment_bytes_;
  std::byte* memory_;
};

// memcpy by the C library, even if the size is a constant. Code for the baseline instruction set
// moves 16 bytes at a time; the library uses the widest moves of the CPU. Faster from some hundred
// bytes on.
inline void copy_by_library(void* to, const void* from, std::size_t size_bytes) noexcept {
#if defined(__GNUC__)
  asm("" : "+r"(size_bytes));  // Hides from the compiler that the size is a constant.
#endif
  std::memcpy(to, from, size_bytes);
}

}  // namespace nexusfix::deferred::detail
