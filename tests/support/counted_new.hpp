// Counts every allocation of the thread, aligned or not. It replaces operator new: include it in
// one file of a separate test program.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <string_view>

namespace nexusfix::test {

inline thread_local std::size_t allocations = 0;
inline thread_local std::size_t failing_allocation = 0;  // the first one that fails; 0: none
inline thread_local std::size_t failing_count = 1;       // the number of failures from there on

// Allocations that were freed with this text in them; no text: none is looked at.
inline thread_local std::string_view searched;
inline thread_local std::size_t released_with_it = 0;

inline void* counted(std::size_t size, std::size_t alignment) noexcept {
  ++allocations;
  if (failing_allocation != 0 && allocations - failing_allocation < failing_count) return nullptr;
  return std::aligned_alloc(alignment, (size / alignment + 1) * alignment);
}

inline void* counted_or_throw(std::size_t size, std::size_t alignment) {
  if (void* const memory = counted(size, alignment)) return memory;
  throw std::bad_alloc{};
}

// Not inlined: g++ would see free() for a delete, and not the allocation of its new.
[[gnu::noinline]] inline void release(void* memory) noexcept {
  if (memory != nullptr && !searched.empty()) {
    const std::string_view bytes{static_cast<const char*>(memory), ::malloc_usable_size(memory)};
    if (bytes.find(searched) != std::string_view::npos) ++released_with_it;
  }
  std::free(memory);
}

}  // namespace nexusfix::test

void* operator new(std::size_t size) {
  return nexusfix::test::counted_or_throw(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size) {
  return nexusfix::test::counted_or_throw(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return nexusfix::test::counted_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return nexusfix::test::counted_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return nexusfix::test::counted(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return nexusfix::test::counted(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return nexusfix::test::counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return nexusfix::test::counted(size, static_cast<std::size_t>(alignment));
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
