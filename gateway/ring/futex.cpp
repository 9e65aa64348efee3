#include "gateway/ring/futex.hpp"

#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace nexusfix::gateway {

void wake_by_futex(std::uint32_t& word) noexcept {
  // The only failure is a word without memory, after the file was cut: then no thread waits for it.
  static_cast<void>(::syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0));
}

void wait_by_futex(std::uint32_t& word, std::uint32_t value,
                   std::chrono::nanoseconds timeout) noexcept {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  const timespec relative{.tv_sec = static_cast<time_t>(seconds.count()),
                          .tv_nsec = static_cast<long>((timeout - seconds).count())};
  // A failure is a changed value, a signal or the timeout: the caller looks again in any case.
  static_cast<void>(::syscall(SYS_futex, &word, FUTEX_WAIT, value, &relative, nullptr, 0));
}

}  // namespace nexusfix::gateway
