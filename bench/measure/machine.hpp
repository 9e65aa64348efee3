// The machine, compiler and commit of a measurement.
#pragma once

#include <string>
#include <vector>

namespace nexusfix::bench {

// A text is empty or "unknown" if the machine does not report it.
struct Machine {
  std::string cpu;
  std::string cpu_flags;
  std::string governor;  // of the measured core
  std::string system;    // name and release of the kernel
  bool is_virtual = false;
  int core = 0;
  int cores = 0;  // that this process may use
  std::string compiler;
  std::string compiler_flags;
  std::string commit;
  std::string kernel;  // the parser's, as selected
};

using CoreSet = std::vector<int>;  // ascending

// The cores that this process could use at the first call.
[[nodiscard]] const CoreSet& allowed_cores();
// The cores that the calling thread may use now.
[[nodiscard]] CoreSet current_cores();
// Restricts the calling thread to these cores. False: it is not allowed.
[[nodiscard]] bool run_on_cores(const CoreSet& cores);

[[nodiscard]] Machine describe_machine(int core);

}  // namespace nexusfix::bench
