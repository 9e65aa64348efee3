// A run of the simulator's own world: traders and a venue exchange orders and reports under faults.
// A few numbers repeat a scenario exactly.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/simulator/fault.hpp>
#include <nexusfix/simulator/violation.hpp>
#include <nexusfix/simulator/world.hpp>

namespace nexusfix::simulator {

// The numbers that make a run.
struct Scenario {
  std::uint64_t seed = 1;              // of all random choices
  unsigned sessions = 0;               // the number of sessions; 0: 1 to 4 at random
  std::chrono::seconds duration{300};  // virtual time with faults; the time to settle is added
  std::optional<FaultSet> faults;      // the faults that may strike; no value: a random subset
};

// The scenario as text: "seed=7 sessions=2 seconds=300 faults=kill,drop".
[[nodiscard]] std::string to_string(const Scenario& scenario);
// Reads such a text; parts may be missing. An error names the wrong part and what was expected.
[[nodiscard]] std::expected<Scenario, std::string> parse_scenario(std::string_view text);

// The scenario with all random choices written out: the same run.
[[nodiscard]] Scenario resolved(Scenario scenario);

// Which lines of a run are kept.
struct TraceOptions {
  std::size_t lines = 0;        // the number of last lines in Outcome::trace; 0: none
  std::FILE* stream = nullptr;  // gets all lines, at once; not owned, may be null
};

// The result of a run.
struct Outcome {
  std::optional<Violation> violation;  // no value: the engines kept every invariant
  WorldStatistics statistics;          // the counts of the world
  WorldTime duration{};                // the virtual time of the run
  std::uint64_t digest = 0;            // of all counts: equal runs have equal digests
  std::string trace;                   // the last lines, oldest first, as TraceOptions::lines says
};

// Runs a scenario to its end or to its first violation. Blocks; any thread.
[[nodiscard]] Outcome run_scenario(const Scenario& scenario, TraceOptions trace = {});

// A smaller scenario with a violation of the same invariant: fewer kinds of faults, fewer sessions,
// a shorter time. scenario must have a violation. Runs at most runs_max scenarios.
[[nodiscard]] Scenario shrink(const Scenario& scenario, const Violation& violation,
                              unsigned runs_max = 60);

}  // namespace nexusfix::simulator
