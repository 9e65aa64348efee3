// Memory that is allocated piece by piece and freed all at once, for data that outlives a callback.
//
//   Arena arena{{.block_bytes = 65'536, .bytes_max = 1'048'576}};
//   auto kept = wire::to_owned(message, arena);   // an error value when the arena is exhausted
//   ...
//   arena.reset();                                // frees everything, keeps the blocks
#pragma once

#include <cstddef>
#include <limits>
#include <memory_resource>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

struct ArenaOptions {
  // The size of a block from upstream. A larger piece gets a block of its own size.
  std::size_t block_bytes = std::size_t{64} << 10U;
  // The limit for all blocks together. An allocation that exceeds it fails, even if upstream has
  // more.
  std::size_t bytes_max = std::numeric_limits<std::size_t>::max();
};

// A monotonic std::pmr::memory_resource whose blocks are reused: after one lap of work between two
// resets, the same work allocates nothing from upstream.
//
// Threads: one at a time. Allocation: a piece costs some additions, or a block from upstream if no
// block has room. deallocate() does nothing; only reset() and release() free. A piece has the
// requested alignment, any power of two. reset(), release() and the destructor end the life of
// every piece; AddressSanitizer then reports each use.
class Arena final : public std::pmr::memory_resource {
 public:
  explicit Arena(const ArenaOptions& options = {},
                 std::pmr::memory_resource& upstream = *std::pmr::new_delete_resource()) noexcept
      : options_{options}, upstream_{&upstream} {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() override { release(); }

  // A piece of memory, or null if bytes_max or upstream is exhausted. allocate(), which std::pmr's
  // containers call, throws std::bad_alloc in that case. alignment: a power of two.
  [[nodiscard]] void* try_allocate(std::size_t bytes,
                                   std::size_t alignment = alignof(std::max_align_t)) noexcept;

  // Takes blocks from upstream until they have this number of bytes, so that the first lap does not
  // allocate either. False: not enough memory.
  [[nodiscard]] bool reserve(std::size_t bytes) noexcept;

  // Frees every piece and keeps the blocks. O(blocks in use).
  void reset() noexcept;
  // Frees every piece and returns the blocks to upstream.
  void release() noexcept;

  // The size of all blocks, with their bookkeeping.
  [[nodiscard]] std::size_t bytes_reserved() const noexcept { return bytes_reserved_; }

 private:
  // At the start of each block.
  struct Block {
    Block* next;
    std::size_t bytes;  // of the block, with this header
  };

  [[nodiscard]] Block* new_block(std::size_t bytes) noexcept;
  // A free block with room for bytes at that alignment, unlinked from the list; null if there is
  // none.
  [[nodiscard]] Block* remove_free(std::size_t bytes, std::size_t alignment) noexcept;
  void use(Block* block) noexcept;

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  ArenaOptions options_;
  std::pmr::memory_resource* upstream_;
  Block* used_ = nullptr;  // the first one is being filled
  Block* free_ = nullptr;
  std::byte* at_ = nullptr;  // the rest of it
  std::byte* end_ = nullptr;
  std::size_t bytes_reserved_ = 0;
};

// resource.allocate() with null instead of an exception, for code that does not throw. For an
// exhausted Arena, and for every other resource that throws std::bad_alloc.
[[nodiscard]] void* try_allocate(std::pmr::memory_resource& resource, std::size_t bytes,
                                 std::size_t alignment) noexcept;

}  // namespace nexusfix
