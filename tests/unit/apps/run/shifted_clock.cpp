// A wall clock that is wrong, for a process that a test starts: LD_PRELOAD names this library, and
// SHIFTED_CLOCK_SECONDS its lead (negative: its lag).
#include <cstdlib>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const long result = ::syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || clock != CLOCK_REALTIME) return static_cast<int>(result);
  static const char* const shift = std::getenv("SHIFTED_CLOCK_SECONDS");
  if (shift != nullptr) time->tv_sec += std::atol(shift);
  return 0;
}
