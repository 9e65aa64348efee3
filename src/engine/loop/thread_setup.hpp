// What the threads of the event loops ask of the machine: a CPU of their own, memory that stays.
#pragma once

#include <expected>
#include <optional>
#include <sched.h>
#include <string>
#include <vector>

namespace nexusfix::engine {

// The calling thread runs on one CPU alone while this exists, and then where it might before.
class ThreadSetup {
 public:
  explicit ThreadSetup(std::optional<unsigned> cpu);  // nothing: any CPU
  ~ThreadSetup();
  ThreadSetup(const ThreadSetup&) = delete;
  ThreadSetup& operator=(const ThreadSetup&) = delete;

  // Why it runs elsewhere, for people; empty: it does not.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  std::optional<cpu_set_t> before_;
  std::string failure_;
};

// Tries each on a thread of its own. Nothing: all of them will do.
[[nodiscard]] std::optional<std::string> what_is_wrong_with(const std::vector<unsigned>& cpus);

// Whether lock_memory() may be used; an error says what is missing. With a limit it may not: what
// the engine maps later, a segment of the journal for one, would fail then.
[[nodiscard]] std::expected<void, std::string> may_lock_memory();
// Brings all memory of the process in, and some of the calling thread's stack; keeps it and what
// comes later, until the process ends.
[[nodiscard]] std::expected<void, std::string> lock_memory();

// The calling thread's work can wait: where there are fewer CPUs than threads, those that move
// orders come first. Ten steps of nice behind where it was.
void lower_thread_priority() noexcept;

}  // namespace nexusfix::engine
