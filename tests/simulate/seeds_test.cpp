// Thousands of worlds of five virtual minutes, each with its own subset of faults: none may have a
// violation. And the scenarios of regressions.txt, which had one once.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include <nexusfix/simulator/totals.hpp>

namespace {

using namespace nexusfix::simulator;

// The least that a world must deliver on average; otherwise the test proves little.
constexpr std::uint64_t kDeliveredPerWorld = 2'000;

int fail(std::string_view what) {
  std::printf("%.*s\n", static_cast<int>(what.size()), what.data());
  return 1;
}

int run_regressions(const char* path) {
  std::ifstream file{path};
  std::string line;
  int scenarios = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#') continue;
    // A line that begins with a blank continues the line before it.
    for (std::string more; file.peek() == ' ' && std::getline(file, more);) {
      line += line.back() == ',' ? more.substr(1) : more;
    }
    const auto scenario = parse_scenario(line);
    if (!scenario) return fail(scenario.error());
    const Outcome outcome = run_scenario(*scenario);
    if (outcome.violation) return fail(describe_failure(*scenario, *outcome.violation, false));
    ++scenarios;
  }
  std::printf("%d scenarios that once failed\n", scenarios);
  return scenarios > 0 ? 0 : fail("no scenario was read");
}

int run_seeds(std::uint64_t first, std::uint64_t count) {
  Totals totals;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Scenario scenario{.seed = seed, .faults = {}};
    const Outcome outcome = run_scenario(scenario);
    totals.add(outcome);
    if (!outcome.violation) continue;
    return fail(describe_failure(scenario, *outcome.violation, true) +
                "When it is fixed, the smallest scenario goes into regressions.txt.");
  }
  std::printf("%s", to_string(totals).c_str());
  if (totals.sum.delivered < count * kDeliveredPerWorld) return fail("too few messages delivered");
  for (std::size_t i = 0; i < kFaults; ++i) {
    if (totals.sum.faults[i] > 0) continue;
    return fail("never struck: " + std::string{to_string(static_cast<Fault>(i))});
  }
  if (totals.sum.rolls == 0) return fail("no journal ever began a new segment");
  if (totals.sum.resets_in_resend < count) return fail("too few resets during a resend");
  if (totals.sum.retired == 0) return fail("no message was ever retired before it was resent");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return fail("Usage: seeds_test FIRST COUNT | seeds_test regressions FILE");
  if (std::string_view{argv[1]} == "regressions") return run_regressions(argv[2]);
  return run_seeds(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10));
}
