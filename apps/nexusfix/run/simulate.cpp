// nexusfix simulate: engines in a simulated world with virtual time and injected faults.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/simulator/totals.hpp>

#include "nexusfix/command.hpp"

namespace nexusfix::command {
namespace {

using simulator::Outcome;
using simulator::Scenario;
using simulator::Totals;

struct SimulateOptions {
  std::uint64_t seed = 1;
  std::uint64_t seeds = 1;
  unsigned sessions = 0;
  double hours = 5.0 / 60;
  double for_seconds = 0;
  std::string faults;
  std::string scenario;
  bool traces = false;
  bool shrinks = true;
};

std::string fault_names() {
  std::string names;
  for (std::size_t i = 0; i < simulator::kFaults; ++i) {
    if (i > 0) names += ", ";
    names += to_string(static_cast<simulator::Fault>(i));
  }
  return names;
}

int run_worlds(const SimulateOptions& options, Scenario scenario) {
  SystemClock clock;
  const MonoTime begin = clock.now().mono;
  const auto seconds_since = [&] {
    return std::chrono::duration<double>{clock.now().mono - begin}.count();
  };
  Totals totals;
  const auto goes_on = [&](std::uint64_t done) {
    return options.for_seconds > 0 ? seconds_since() < options.for_seconds : done < options.seeds;
  };
  for (std::uint64_t i = 0; goes_on(i); ++i, ++scenario.seed) {
    const Outcome outcome =
        run_scenario(scenario, {.lines = 0, .stream = options.traces ? stdout : nullptr});
    totals.add(outcome);
    if (!outcome.violation) continue;
    const bool shrinks = options.shrinks && !options.traces;
    fmt::print("\n{}\n{}", describe_failure(scenario, *outcome.violation, shrinks),
               to_string(totals));
    return kFailure;
  }
  fmt::print("{}in {:.1f} s\n", to_string(totals), seconds_since());
  return kSuccess;
}

}  // namespace

int run_simulate(Arguments arguments) {
  CLI::App app{
      "Runs a venue and traders with the real engine, on virtual clocks, networks and disks, and "
      "injects faults. It checks that no message is lost, invented or out of order. The same seed "
      "is the same world. A violation ends the run: the command prints the seed and the last "
      "events of that world. docs/guide/simulator.md explains faults and checks.",
      "nexusfix simulate"};
  SimulateOptions options;
  app.add_option("--seed", options.seed, "the seed of the first world")
      ->capture_default_str()
      ->option_text("N");
  app.add_option("--seeds", options.seeds, "the number of worlds, each with the next seed")
      ->capture_default_str()
      ->option_text("N");
  app.add_option("--sessions", options.sessions,
                 "sessions in each world; 0: a random number from 1 to 4")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000))
      ->option_text("N");
  app.add_option("--hours", options.hours,
                 "virtual time with faults in each world; without it: five minutes")
      ->check(CLI::Range(0.0, 24.0 * 366))
      ->option_text("HOURS");
  app.add_option("--for", options.for_seconds, "run new seeds for this time, in place of --seeds")
      ->check(CLI::Range(0.0, 999'999.0))
      ->option_text("SECONDS");
  app.add_option("--faults", options.faults,
                 "all, none, or names with commas between (default: a random choice for each "
                 "world): " +
                     fault_names())
      ->check([](const std::string& text) -> std::string {
        const auto faults = simulator::parse_faults(text);
        return faults ? "" : "'" + faults.error() + "' is none of " + fault_names();
      })
      ->option_text("LIST");
  app.add_option("--scenario", options.scenario, "a world in one text, as a failure prints it")
      ->check([](const std::string& text) -> std::string {
        const auto scenario = simulator::parse_scenario(text);
        return scenario ? "" : scenario.error();
      })
      ->option_text("TEXT");
  app.add_flag("--trace", options.traces, "print everything that happens");
  app.add_flag("!--no-shrink", options.shrinks, "print a failure without simplifying it");
  app.footer(
      "Examples:\n"
      "  $ nexusfix simulate --seeds 100\n"
      "  $ nexusfix simulate --seed 7 --sessions 3 --hours 2 --faults kill,torn-write\n\n"
      "Exit status:\n"
      "  0  no violation\n"
      "  1  a violation\n"
      "  2  the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  Scenario scenario{
      .seed = options.seed,
      .sessions = options.sessions,
      .duration =
          std::chrono::seconds{static_cast<std::int64_t>(std::max(1.0, options.hours * 3600))},
      .faults = std::nullopt};
  if (!options.faults.empty()) scenario.faults = *simulator::parse_faults(options.faults);
  if (!options.scenario.empty()) scenario = *simulator::parse_scenario(options.scenario);
  return run_worlds(options, scenario);
}

}  // namespace nexusfix::command
