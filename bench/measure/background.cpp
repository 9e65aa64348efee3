#include "bench/measure/background.hpp"

#include <algorithm>

namespace nexusfix::bench {

StartElsewhere::StartElsewhere() : before_{current_cores()} {
  CoreSet others = allowed_cores();
  std::erase_if(others,
                [&](int core) { return std::ranges::find(before_, core) != before_.end(); });
  // With a single core, all threads share it.
  if (!others.empty()) (void)run_on_cores(others);
}

StartElsewhere::~StartElsewhere() { (void)run_on_cores(before_); }

}  // namespace nexusfix::bench
