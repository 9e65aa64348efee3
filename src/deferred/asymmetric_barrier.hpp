// A barrier for two threads that only one of them pays for.
#pragma once

namespace nexusfix::deferred {

// Whether asymmetric_barrier() works on this machine; checked once.
[[nodiscard]] bool asymmetric_barrier_available() noexcept;

// Every other running thread of this process passes a full memory barrier before this returns. A
// thread that stores to x and then loads y needs only a compiler barrier between the two, if the
// thread that stores to y and then loads x calls this between its two. A system call.
void asymmetric_barrier() noexcept;

}  // namespace nexusfix::deferred
