// Memory that is taken piece by piece and given back all at once, for what outlives a callback.
//
//   Arena arena{{.block_bytes = 65'536, .bytes_max = 1'048'576}};
//   auto kept = wire::to_owned(message, arena);   // an error value when the arena is exhausted
//   ...
//   arena.reset();                                // everything is gone, the blocks stay
#pragma once

#include <cstddef>
#include <limits>
#include <memory_resource>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

struct ArenaOptions {
  // Of a block taken from upstream; a larger piece gets a block of its own size.
  std::size_t block_bytes = std::size_t{64} << 10U;
  // Of all blocks together. What would need more fails, whatever upstream still has.
  std::size_t bytes_max = std::numeric_limits<std::size_t>::max();
};

// A monotonic std::pmr::memory_resource whose blocks are reused: once it has been through the work
// of one lap between two resets, the same work allocates nothing from upstream.
//
// Threads: one at a time. Allocation: a piece costs some additions, or a block from upstream when
// no block has room. deallocate() does nothing: only reset() and release() free. A piece is aligned
// as asked, to any power of two. Everything allocated dies with reset(), release() and the Arena;
// AddressSanitizer knows, and reports who uses it then.
class Arena final : public std::pmr::memory_resource {
 public:
  explicit Arena(const ArenaOptions& options = {},
                 std::pmr::memory_resource& upstream = *std::pmr::new_delete_resource()) noexcept
      : options_{options}, upstream_{&upstream} {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() override { release(); }

  // A piece of memory, or null when bytes_max or upstream is exhausted: what allocate(), which
  // std::pmr's containers call, reports by throwing std::bad_alloc. alignment: a power of two.
  [[nodiscard]] void* try_allocate(std::size_t bytes,
                                   std::size_t alignment = alignof(std::max_align_t)) noexcept;

  // Takes blocks from upstream until there are bytes in blocks, so that the first lap allocates
  // nothing, either. False if there is not that much.
  [[nodiscard]] bool reserve(std::size_t bytes) noexcept;

  // Frees every piece and keeps the blocks. O(blocks in use).
  void reset() noexcept;
  // Frees every piece and gives the blocks back to upstream.
  void release() noexcept;

  // Of all blocks, their bookkeeping included.
  [[nodiscard]] std::size_t bytes_reserved() const noexcept { return bytes_reserved_; }

 private:
  // Stands at the start of each block.
  struct Block {
    Block* next;
    std::size_t bytes;  // of the block, this header included
  };

  [[nodiscard]] Block* new_block(std::size_t bytes) noexcept;
  // A free block that holds bytes at that alignment, unlinked from the list; null if there is none.
  [[nodiscard]] Block* take_free(std::size_t bytes, std::size_t alignment) noexcept;
  void use(Block* block) noexcept;

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  ArenaOptions options_;
  std::pmr::memory_resource* upstream_;
  Block* used_ = nullptr;  // the first one is being filled
  Block* free_ = nullptr;
  std::byte* at_ = nullptr;  // what is left of it
  std::byte* end_ = nullptr;
  std::size_t bytes_reserved_ = 0;
};

// resource.allocate(), with null instead of an exception, for code that throws nothing: an Arena
// that is exhausted, and any other resource that reports it by std::bad_alloc.
[[nodiscard]] void* try_allocate(std::pmr::memory_resource& resource, std::size_t bytes,
                                 std::size_t alignment) noexcept;

}  // namespace nexusfix
