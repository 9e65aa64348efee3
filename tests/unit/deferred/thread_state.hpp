// Whether a thread of this process sleeps, according to the operating system.
#pragma once

#include <fstream>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace nexusfix::test {

[[nodiscard]] inline long this_thread_id() { return ::syscall(SYS_gettid); }

[[nodiscard]] inline bool is_asleep(long thread_id) {
  std::ifstream file{"/proc/self/task/" + std::to_string(thread_id) + "/stat"};
  std::string line;
  std::getline(file, line);
  // "tid (name) S ...": the name may contain anything, so the last parenthesis counts.
  const std::size_t name_end = line.rfind(')');
  return name_end != std::string::npos && line.compare(name_end + 1, 2, " S") == 0;
}

template <class Condition>
void wait_until(Condition&& condition) {
  while (!condition()) std::this_thread::yield();
}

}  // namespace nexusfix::test
