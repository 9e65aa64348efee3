#include <cstring>
#include <new>

#include <nexusfix/deferred/spsc_queue.hpp>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace nexusfix::deferred::detail {

namespace {

// The size of a huge page on x86-64, and on AArch64 with pages of 4 KiB.
constexpr std::size_t kHugePageBytes = std::size_t{2} << 20U;

[[nodiscard]] constexpr std::size_t alignment_for(std::size_t size_bytes) noexcept {
  return size_bytes >= kHugePageBytes ? kHugePageBytes : kApartBytes;
}

}  // namespace

RingMemory::RingMemory(std::size_t size_bytes)
    : alignment_bytes_{alignment_for(size_bytes)},
      memory_{
          static_cast<std::byte*>(::operator new(size_bytes, std::align_val_t{alignment_bytes_}))} {
#if defined(__linux__)
  // Advice only: without huge pages a ring is a little slower.
  if (size_bytes >= kHugePageBytes) {
    static_cast<void>(
        ::madvise(memory_, size_bytes / kHugePageBytes * kHugePageBytes, MADV_HUGEPAGE));
  }
#endif
  std::memset(memory_, 0, size_bytes);
}

RingMemory::~RingMemory() { ::operator delete(memory_, std::align_val_t{alignment_bytes_}); }

}  // namespace nexusfix::deferred::detail
