// The sums of many scenarios, and the description of a failure among them.
#pragma once

#include <cstdint>
#include <string>

#include <nexusfix/simulator/scenario.hpp>

namespace nexusfix::simulator {

// The sums of many runs.
struct Totals {
  WorldStatistics sum;       // the counts of all worlds
  std::uint64_t worlds = 0;  // the number of runs
  WorldTime simulated{};     // the virtual time of all runs

  // Adds the counts of one run.
  void add(const Outcome& outcome);
};

// Some lines: worlds, messages, and how often each kind of fault struck.
[[nodiscard]] std::string to_string(const Totals& totals);

// For people: the violation, the smallest scenario that has it (shrinks: search for it, which takes
// some dozens of runs), the last lines of its trace, and how to repeat it.
[[nodiscard]] std::string describe_failure(const Scenario& scenario, const Violation& violation,
                                           bool shrinks);

}  // namespace nexusfix::simulator
