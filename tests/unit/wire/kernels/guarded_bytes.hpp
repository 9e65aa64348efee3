// Bytes between two inaccessible pages.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace nexusfix::test {

// Room for bytes_max bytes with an inaccessible page before and after it, so that the memory
// management stops every read or write that goes one byte too far.
class GuardedBytes {
 public:
  explicit GuardedBytes(std::size_t bytes_max)
      : page_{static_cast<std::size_t>(sysconf(_SC_PAGESIZE))},
        room_{(bytes_max + page_ - 1) / page_ * page_} {
    void* const memory =
        mmap(nullptr, room_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    memory_ = static_cast<char*>(memory);
    if (mprotect(begin(), room_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  ~GuardedBytes() { munmap(memory_, room_ + 2 * page_); }

  // A copy that begins directly after the first guard.
  [[nodiscard]] std::string_view at_begin(std::string_view bytes) {
    std::memcpy(begin(), bytes.data(), bytes.size());
    return {begin(), bytes.size()};
  }
  // A copy that ends directly before the second guard.
  [[nodiscard]] std::string_view at_end(std::string_view bytes) {
    char* const from = begin() + room_ - bytes.size();
    std::memcpy(from, bytes.data(), bytes.size());
    return {from, bytes.size()};
  }

 private:
  [[nodiscard]] char* begin() const { return memory_ + page_; }

  std::size_t page_;
  std::size_t room_;
  char* memory_ = nullptr;
};

}  // namespace nexusfix::test
