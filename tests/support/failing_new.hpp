// Makes allocations of a thread fail, counted from a given moment. It includes counted_new.hpp.
#pragma once

#include "support/counted_new.hpp"

namespace nexusfix::test {

inline thread_local std::size_t allocations_before = 0;  // fail_at()
inline thread_local bool allocation_failed = false;

// The nth allocation of this thread from here on fails, and `count` in all.
inline void fail_at(std::size_t nth, std::size_t count = 1) noexcept {
  failing_count = count;
  allocations_before = allocations;
  failing_allocation = allocations + nth;
}
// Returns the number of allocations since then.
inline std::size_t stop_failing() noexcept {
  allocation_failed = allocations >= failing_allocation;
  failing_allocation = 0;
  return allocations - allocations_before;
}
// Whether an allocation failed before the last stop_failing().
inline bool has_failed() noexcept { return allocation_failed; }

}  // namespace nexusfix::test
