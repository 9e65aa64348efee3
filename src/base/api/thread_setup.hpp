// The machine settings of the loops' threads: a CPU of their own, locked memory.
#pragma once

#include <expected>
#include <optional>
#include <sched.h>
#include <string>
#include <vector>

namespace nexusfix {

// The calling thread runs on one CPU while this exists. Then it gets its earlier CPUs back.
class ThreadSetup {
 public:
  explicit ThreadSetup(std::optional<unsigned> cpu);  // nothing: any CPU
  ~ThreadSetup();
  ThreadSetup(const ThreadSetup&) = delete;
  ThreadSetup& operator=(const ThreadSetup&) = delete;

  // The reason why it does not run there, for people; empty: success.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  std::optional<cpu_set_t> before_;
  std::string failure_;
};

// Tries each CPU on a separate thread. Empty: all of them can be used.
[[nodiscard]] std::optional<std::string> find_cpu_conflict(const std::vector<unsigned>& cpus);

// Whether lock_memory() may be used; an error names the missing permission. With a limit it may
// not: memory that the engine maps later, such as a segment of the journal, would fail.
[[nodiscard]] std::expected<void, std::string> may_lock_memory();
// Locks all present and future memory of the process, and a part of the calling thread's stack,
// until the process ends.
[[nodiscard]] std::expected<void, std::string> lock_memory();

// Gives the calling thread a lower priority, by ten steps of nice: if there are fewer CPUs than
// threads, the threads that process orders run first.
void lower_thread_priority() noexcept;

}  // namespace nexusfix
