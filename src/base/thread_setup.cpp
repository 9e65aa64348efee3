#include "base/api/thread_setup.hpp"

#include <cerrno>
#include <cstdint>
#include <linux/capability.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace nexusfix {
namespace {

// The locked stack of the first thread, whose stack grows page by page; other threads get their
// whole stack at the start. It is more than the deepest measured callback of an engine needs.
constexpr std::size_t kStackBytes = 256U << 10U;

std::string reason_of(int error) { return std::generic_category().message(error); }

// noinline and volatile keep the writes: the pages must be present, the values do not matter.
[[gnu::noinline]] void touch_stack() {
  constexpr std::size_t kPageBytes = 4'096;
  volatile char pages[kStackBytes];
  for (std::size_t at = 0; at < kStackBytes; at += kPageBytes) pages[at] = 0;
  static_cast<void>(pages[0]);
}

bool may_lock_without_limit() {
  // For the calling thread, by the system call: libc leaves its wrapper to a separate library.
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3]{};
  if (::syscall(SYS_capget, &header, data) != 0) return false;
  return (data[0].effective & (std::uint32_t{1} << CAP_IPC_LOCK)) != 0;
}

}  // namespace

ThreadSetup::ThreadSetup(std::optional<unsigned> cpu) {
  if (!cpu) return;
  cpu_set_t before;
  if (::sched_getaffinity(0, sizeof before, &before) == 0) before_ = before;
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  CPU_SET(*cpu, &wanted);
  if (::sched_setaffinity(0, sizeof wanted, &wanted) == 0) return;
  failure_ = "EventLoopCpu=" + std::to_string(*cpu) + ": " + reason_of(errno) +
             "; a CPU was expected that is online and that this process may use";
  before_.reset();
}

// The earlier CPUs may be offline by now; nothing depends on the result.
ThreadSetup::~ThreadSetup() {
  if (before_) static_cast<void>(::sched_setaffinity(0, sizeof *before_, &*before_));
}

std::optional<std::string> find_cpu_conflict(const std::vector<unsigned>& cpus) {
  std::string failure;
  for (const unsigned cpu : cpus) {
    if (!failure.empty()) break;
    std::thread{[&failure, cpu] { failure = ThreadSetup{cpu}.failure(); }}.join();
  }
  return failure.empty() ? std::nullopt : std::optional{std::move(failure)};
}

std::expected<void, std::string> may_lock_memory() {
  rlimit limit{};
  const bool is_unlimited =
      ::getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
  if (is_unlimited || may_lock_without_limit()) return {};
  return std::unexpected{
      "LockMemory=Y: this process may lock " + std::to_string(limit.rlim_cur) +
      " bytes only; no limit was expected (ulimit -l unlimited, LimitMEMLOCK=infinity in a unit of "
      "systemd, or CAP_IPC_LOCK)"};
}

std::expected<void, std::string> lock_memory() {
  // Freed memory stays in the process, so that its pages need not be faulted in again.
  touch_stack();
  ::mallopt(M_TRIM_THRESHOLD, -1);
  ::mallopt(M_MMAP_MAX, 0);
  if (::mlockall(MCL_CURRENT | MCL_FUTURE) == 0) return {};
  return std::unexpected{"LockMemory=Y: memory cannot be locked: " + reason_of(errno)};
}

void lower_thread_priority() noexcept {
  constexpr int kSteps = 10;
  // On Linux this changes only the calling thread, although POSIX says the process. Where it is
  // refused, the thread keeps its priority.
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + kSteps));
}

}  // namespace nexusfix
