// A barrier that the thread which needs it rarely pays for both sides.
#pragma once

namespace nexusfix::deferred {

// True if asymmetric_barrier() works on this machine; asked once.
[[nodiscard]] bool asymmetric_barrier_available() noexcept;

// Every other running thread of this process passes a full memory barrier before it returns: with
// it, a thread that stores to x and then loads y needs a compiler barrier only between the two, if
// the thread that stores to y and then loads x calls this between its two. A system call.
void asymmetric_barrier() noexcept;

}  // namespace nexusfix::deferred
