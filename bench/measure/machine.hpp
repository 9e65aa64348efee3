// What the figures were measured on, and with what.
#pragma once

#include <string>
#include <vector>

namespace nexusfix::bench {

// "" or "unknown" where the machine does not say.
struct Machine {
  std::string cpu;
  std::string cpu_flags;
  std::string governor;  // of the core that is measured on
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

// Cores that this process might run on when it was first asked for them.
[[nodiscard]] const CoreSet& allowed_cores();
// Cores that the calling thread may run on now.
[[nodiscard]] CoreSet current_cores();
// The calling thread runs on these from now on. False: it may not.
[[nodiscard]] bool run_on_cores(const CoreSet& cores);

[[nodiscard]] Machine describe_machine(int core);

}  // namespace nexusfix::bench
