#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>

#include <nexusfix/base/arena.hpp>
#include <nexusfix/base/language.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define NEXUSFIX_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NEXUSFIX_ADDRESS_SANITIZER
#endif
#endif
#if defined(NEXUSFIX_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace nexusfix {

namespace {

void poison([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(NEXUSFIX_ADDRESS_SANITIZER)
  ASAN_POISON_MEMORY_REGION(memory, bytes);
#endif
}
void unpoison([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(NEXUSFIX_ADDRESS_SANITIZER)
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
#endif
}

// The number of bytes from memory to the next address with that alignment.
[[nodiscard]] std::size_t padding(const void* memory, std::size_t alignment) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return static_cast<std::size_t>(-address & (alignment - 1));
}

// Whether bytes at that alignment fit between at and end. Computes no sum that could overflow.
[[nodiscard]] bool fits(const std::byte* at, const std::byte* end, std::size_t bytes,
                        std::size_t alignment) noexcept {
  const auto room = static_cast<std::size_t>(end - at);
  const std::size_t skipped = padding(at, alignment);
  return skipped <= room && bytes <= room - skipped;
}

}  // namespace

void* Arena::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
  NEXUSFIX_ASSERT(std::has_single_bit(alignment));
  // So that an empty piece has an address, too, and no other piece has the same one.
  bytes = std::max<std::size_t>(bytes, 1);
  if (at_ == nullptr || !fits(at_, end_, bytes, alignment)) [[unlikely]] {
    Block* block = remove_free(bytes, alignment);
    if (block == nullptr) {
      // Larger alignment than the block's own skips fewer than alignment bytes.
      const std::size_t around = sizeof(Block) + (alignment > alignof(Block) ? alignment : 0);
      if (bytes > std::numeric_limits<std::size_t>::max() - around) return nullptr;
      block = new_block(std::max(options_.block_bytes, bytes + around));
      // The rest of bytes_max may be less than a whole block.
      if (block == nullptr) block = new_block(bytes + around);
      if (block == nullptr) return nullptr;
    }
    use(block);
  }
  std::byte* const piece = at_ + padding(at_, alignment);
  at_ = piece + bytes;
  unpoison(piece, bytes);
  return piece;
}

bool Arena::reserve(std::size_t bytes) noexcept {
  while (bytes_reserved_ < bytes) {
    Block* block = new_block(std::max(options_.block_bytes, 2 * sizeof(Block)));
    if (block == nullptr) return false;
    block->next = free_;
    free_ = block;
  }
  return true;
}

void Arena::reset() noexcept {
  while (used_ != nullptr) {
    Block* const block = used_;
    used_ = block->next;
    poison(block + 1, block->bytes - sizeof(Block));
    block->next = free_;
    free_ = block;
  }
  at_ = nullptr;
  end_ = nullptr;
}

void Arena::release() noexcept {
  reset();
  while (free_ != nullptr) {
    Block* const block = free_;
    free_ = block->next;
    bytes_reserved_ -= block->bytes;
    unpoison(block, block->bytes);
    upstream_->deallocate(block, block->bytes, alignof(Block));
  }
}

Arena::Block* Arena::new_block(std::size_t bytes) noexcept {
  if (bytes > options_.bytes_max - std::min(options_.bytes_max, bytes_reserved_)) return nullptr;
  void* const memory = nexusfix::try_allocate(*upstream_, bytes, alignof(Block));
  if (memory == nullptr) return nullptr;
  bytes_reserved_ += bytes;
  auto* const block = ::new (memory) Block{nullptr, bytes};
  poison(block + 1, bytes - sizeof(Block));
  return block;
}

Arena::Block* Arena::remove_free(std::size_t bytes, std::size_t alignment) noexcept {
  for (Block** link = &free_; *link != nullptr; link = &(*link)->next) {
    Block* const block = *link;
    auto* const begin = static_cast<std::byte*>(static_cast<void*>(block));
    if (fits(begin + sizeof(Block), begin + block->bytes, bytes, alignment)) {
      *link = block->next;
      return block;
    }
  }
  return nullptr;
}

void Arena::use(Block* block) noexcept {
  block->next = used_;
  used_ = block;
  auto* const begin = static_cast<std::byte*>(static_cast<void*>(block));
  at_ = begin + sizeof(Block);
  end_ = begin + block->bytes;
}

void* Arena::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (void* const memory = try_allocate(bytes, alignment)) return memory;
  throw std::bad_alloc{};
}

void Arena::do_deallocate(void* memory, std::size_t bytes, std::size_t) { poison(memory, bytes); }

bool Arena::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  return this == &other;
}

void* try_allocate(std::pmr::memory_resource& resource, std::size_t bytes,
                   std::size_t alignment) noexcept {
  try {
    return resource.allocate(bytes, alignment);
  } catch (...) {
    return nullptr;
  }
}

}  // namespace nexusfix
