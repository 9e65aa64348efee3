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

struct Scenario {
  std::uint64_t seed = 1;
  unsigned sessions = 0;               // 0: 1 to 4 at random
  std::chrono::seconds duration{300};  // with faults; the time to settle is added
  std::optional<FaultSet> faults;      // none: a random subset
};

// "seed=7 sessions=2 seconds=300 faults=kill,drop"
[[nodiscard]] std::string to_string(const Scenario& scenario);
// An error names the wrong part and what was expected.
[[nodiscard]] std::expected<Scenario, std::string> parse_scenario(std::string_view text);

// The scenario with all random choices written out: the same run.
[[nodiscard]] Scenario resolved(Scenario scenario);

struct TraceOptions {
  std::size_t lines = 0;        // the last lines, in Outcome::trace
  std::FILE* stream = nullptr;  // all lines, at once
};

struct Outcome {
  std::optional<Violation> violation;
  WorldStatistics statistics;
  WorldTime duration{};      // virtual
  std::uint64_t digest = 0;  // of all counts: equal runs have equal digests
  std::string trace;
};

[[nodiscard]] Outcome run_scenario(const Scenario& scenario, TraceOptions trace = {});

// A smaller scenario with a violation of the same invariant: fewer kinds of faults, fewer sessions,
// a shorter time. scenario must have a violation. Runs at most runs_max scenarios.
[[nodiscard]] Scenario shrink(const Scenario& scenario, const Violation& violation,
                              unsigned runs_max = 60);

}  // namespace nexusfix::simulator
