#include "deferred/asymmetric_barrier.hpp"

#include <nexusfix/base/language.hpp>

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace nexusfix::deferred {

#if defined(__linux__)

namespace {

[[nodiscard]] bool membarrier(int command) noexcept {
  return ::syscall(SYS_membarrier, command, 0, 0) == 0;
}

}  // namespace

bool asymmetric_barrier_available() noexcept {
  // Kernels before 4.14 and some sandboxes refuse it. A process registers once.
  static const bool kRegistered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  return kRegistered;
}

void asymmetric_barrier() noexcept {
  // It cannot fail in a registered process; without it a record could be lost.
  NEXUSFIX_ASSERT(membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
}

#else

bool asymmetric_barrier_available() noexcept { return false; }
void asymmetric_barrier() noexcept {}

#endif

}  // namespace nexusfix::deferred
