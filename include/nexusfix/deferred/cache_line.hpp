// The distance in memory between the data of two threads, and a prefetch.
#pragma once

#include <cstddef>

#include <nexusfix/base/language.hpp>

namespace nexusfix::deferred {

// The size of a cache line of the CPUs that the engine runs on.
inline constexpr std::size_t kCacheLineBytes = 64;

// The distance between the data of two threads: two lines, because some CPUs fetch a line together
// with its neighbour.
inline constexpr std::size_t kApartBytes = 2 * kCacheLineBytes;

namespace detail {

// Prefetches the cache line of address for writing. The compiler's builtin would prefetch it for
// reading, because it takes the instruction for an extension of x86-64; a CPU without it executes
// it as a no-op.
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
