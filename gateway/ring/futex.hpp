// Waiting for a word of the shared memory, between processes (futex(2) without FUTEX_PRIVATE_FLAG).
#pragma once

#include <chrono>
#include <cstdint>

namespace nexusfix::gateway {

// Wakes one thread that waits for the word. A system call.
void wake_by_futex(std::uint32_t& word) noexcept;

// Sleeps while the word has this value, until it is woken or the timeout, 0 or more, expires. May
// return early.
void wait_by_futex(std::uint32_t& word, std::uint32_t value,
                   std::chrono::nanoseconds timeout) noexcept;

}  // namespace nexusfix::gateway
