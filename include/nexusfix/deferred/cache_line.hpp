// How far apart in memory two threads' data have to be, and how to ask for a line early.
#pragma once

#include <cstddef>

#include <nexusfix/base/language.hpp>

namespace nexusfix::deferred {

inline constexpr std::size_t kCacheLineBytes = 64;

// Two lines, because some CPUs fetch a line's neighbour along with it.
inline constexpr std::size_t kApartBytes = 2 * kCacheLineBytes;

namespace detail {

// Asks for the cache line that holds address, to be written to. The compiler's builtin would ask
// for it to be read, because it takes the instruction for an extension of x86-64: a CPU without it
// executes it as no operation.
inline void prefetch_for_writing(const char* address) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*address));
#elif defined(__GNUC__)
  __builtin_prefetch(address, 1);
#else
  static_cast<void>(address);
#endif
}

}  // namespace detail

}  // namespace nexusfix::deferred
