// One allocation of a thread that fails, counted from a given moment on. It replaces operator new:
// include it in one file of a program that is a test of its own.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace nexusfix::test {

struct FailingAllocations {
  bool is_on = false;
  bool has_failed = false;
  std::size_t seen = 0;
  std::size_t fails_at = 0;
};
inline thread_local FailingAllocations failing_allocations;

// The nth allocation of this thread from here on fails, and no other one.
inline void fail_at(std::size_t nth) noexcept { failing_allocations = {true, false, 0, nth}; }
// How many there were since.
inline std::size_t stop_failing() noexcept {
  failing_allocations.is_on = false;
  return failing_allocations.seen;
}
inline bool has_failed() noexcept { return failing_allocations.has_failed; }

inline void* allocate(std::size_t size, std::size_t alignment) noexcept {
  FailingAllocations& all = failing_allocations;
  if (all.is_on && ++all.seen == all.fails_at) {
    all.has_failed = true;
    return nullptr;
  }
  return std::aligned_alloc(alignment, (size / alignment + 1) * alignment);
}

inline void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  if (void* const memory = allocate(size, alignment)) return memory;
  throw std::bad_alloc{};
}

// Not inlined: g++ would see free() behind a delete and not the allocation behind its new.
[[gnu::noinline]] inline void release(void* memory) noexcept { std::free(memory); }

}  // namespace nexusfix::test

void* operator new(std::size_t size) {
  return nexusfix::test::allocate_or_throw(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size) {
  return nexusfix::test::allocate_or_throw(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return nexusfix::test::allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return nexusfix::test::allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return nexusfix::test::allocate(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return nexusfix::test::allocate(size, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept { nexusfix::test::release(memory); }
void operator delete[](void* memory) noexcept { nexusfix::test::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { nexusfix::test::release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { nexusfix::test::release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { nexusfix::test::release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { nexusfix::test::release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  nexusfix::test::release(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  nexusfix::test::release(memory);
}
