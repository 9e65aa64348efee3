// Simulated clusters: seeds without a violation, seeds that repeat themselves exactly, and
// deliberate bugs that must be found.
//
//   cluster_test seeds FIRST COUNT    these worlds have no violation
//   cluster_test for SECONDS FIRST    the same, as many as there is time for
//   cluster_test bugs [NAME [MAX]]    each bug is found within its number of seeds, or MAX
//   cluster_test rates COUNT          in how many of the first worlds each bug is found
//   cluster_test replay COUNT         the first worlds, each twice
//   cluster_test trace SEED [NAME]    one world, with all its events
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "cluster_world.hpp"

namespace {

using namespace nexusfix::simulator::cluster;

constexpr std::array kFaultNames{"kill",           "lose-power",
                                 "freeze",         "freeze-in-asking",
                                 "cut-database",   "cut-lease",
                                 "cut-all",        "drop-database",
                                 "fail-over",      "freeze-database",
                                 "stall-database", "stop-leases",
                                 "drift",          "step-clock",
                                 "drop-session",   "silence-session",
                                 "hand-over",      "lose-owner-and-primary"};
static_assert(kFaultNames.size() == kClusterFaults);

// Fewer worlds may miss a kind of fault by chance.
constexpr std::uint64_t kWorldsForSums = 100;

int fail(std::string_view what) {
  std::printf("%.*s\n", static_cast<int>(what.size()), what.data());
  return 1;
}

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Bug bug_of(std::string_view name) {
  for (const BugFacts& one : kBugs) {
    if (one.name == name) return one.bug;
  }
  return Bug::None;
}

struct Sums {
  std::array<std::uint64_t, kClusterFaults> faults{};
  std::uint64_t worlds = 0;
  std::uint64_t deliveries = 0;
  std::uint64_t take_overs = 0;
  std::uint64_t lost_confirmations = 0;
  std::int64_t seconds = 0;
  std::int64_t settled_most_ms = 0;

  void add(const ClusterOutcome& outcome) {
    for (std::size_t i = 0; i < kClusterFaults; ++i) faults[i] += outcome.faults[i];
    ++worlds;
    deliveries += outcome.deliveries;
    take_overs += outcome.take_overs;
    lost_confirmations += outcome.lost_confirmations;
    seconds += outcome.duration / std::chrono::seconds{1};
    settled_most_ms =
        std::max<std::int64_t>(settled_most_ms, outcome.settled_in / std::chrono::milliseconds{1});
  }
  void print() const {
    std::printf(
        "%llu worlds, %lld virtual hours, %llu messages delivered, %llu take-overs,\n"
        "%llu COMMITs without an answer; settled within %lld ms after the faults\n",
        static_cast<unsigned long long>(worlds), static_cast<long long>(seconds / 3'600),
        static_cast<unsigned long long>(deliveries), static_cast<unsigned long long>(take_overs),
        static_cast<unsigned long long>(lost_confirmations),
        static_cast<long long>(settled_most_ms));
    for (std::size_t i = 0; i < kClusterFaults; ++i) {
      std::printf("%s%s %llu", i % 6 == 0 ? "\n  " : ", ", kFaultNames[i],
                  static_cast<unsigned long long>(faults[i]));
    }
    std::printf("\n");
  }
};

int report(std::uint64_t seed, const nexusfix::simulator::Violation& violation) {
  const ClusterOutcome again = run_cluster({.seed = seed, .trace_lines = 60});
  std::printf("%s\nseed %llu: %s: %s\nrepeat it with: cluster_test trace %llu\n",
              again.trace.c_str(), static_cast<unsigned long long>(seed),
              violation.invariant.c_str(), violation.what.c_str(),
              static_cast<unsigned long long>(seed));
  return 1;
}

template <class GoesOn>
int run_seeds(std::uint64_t seed, GoesOn goes_on) {
  Sums sums;
  for (; goes_on(sums.worlds); ++seed) {
    const ClusterOutcome outcome = run_cluster({.seed = seed});
    if (outcome.violation) return report(seed, *outcome.violation);
    sums.add(outcome);
  }
  sums.print();
  if (sums.worlds == 0) return fail("no world was run");
  if (sums.worlds < kWorldsForSums) return 0;
  for (std::size_t i = 0; i < kClusterFaults; ++i) {
    if (sums.faults[i] == 0) return fail(std::string{"never struck: "} + kFaultNames[i]);
  }
  if (sums.take_overs < 2 * sums.worlds) return fail("too few take-overs");
  if (sums.lost_confirmations == 0) return fail("no COMMIT was ever made without an answer");
  return 0;
}

bool is_found(const BugFacts& bug, std::uint64_t seeds_max) {
  for (std::uint64_t seed = 1; seed <= seeds_max; ++seed) {
    const ClusterOutcome outcome = run_cluster({.seed = seed, .bug = bug.bug});
    if (!outcome.violation) continue;
    std::printf("%-26s seed %4llu: %s\n", bug.name.data(), static_cast<unsigned long long>(seed),
                outcome.violation->invariant.c_str());
    return true;
  }
  std::printf("%-26s NOT FOUND in %llu seeds: %s\n", bug.name.data(),
              static_cast<unsigned long long>(seeds_max), bug.what.data());
  return false;
}

int find_bugs(std::string_view only, std::uint64_t seeds_max) {
  int found = 0;
  int missed = 0;
  for (const BugFacts& bug : kBugs) {
    if (!only.empty() && only != bug.name) continue;
    ++(is_found(bug, seeds_max != 0 ? seeds_max : bug.seeds_max) ? found : missed);
  }
  std::printf("%d deliberate bugs found, %d not\n", found, missed);
  return missed == 0 && found > 0 ? 0 : 1;
}

int print_rates(std::uint64_t count) {
  for (const BugFacts& bug : kBugs) {
    std::uint64_t found = 0;
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
      if (run_cluster({.seed = seed, .bug = bug.bug}).violation) ++found;
    }
    std::printf("%-26s in %llu of %llu worlds\n", bug.name.data(),
                static_cast<unsigned long long>(found), static_cast<unsigned long long>(count));
  }
  return 0;
}

int replay(std::uint64_t count) {
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const ClusterOutcome one = run_cluster({.seed = seed});
    const ClusterOutcome other = run_cluster({.seed = seed, .trace_lines = 1});
    if (one.digest != other.digest) return fail("seed " + std::to_string(seed) + " differs");
  }
  std::printf("%llu worlds repeat themselves\n", static_cast<unsigned long long>(count));
  return 0;
}

int trace(std::uint64_t seed, Bug bug) {
  const ClusterOutcome outcome = run_cluster({.seed = seed, .bug = bug, .trace_stream = stdout});
  if (outcome.violation) {
    return fail(outcome.violation->invariant + ": " + outcome.violation->what);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i) { return std::string_view{i < argc ? argv[i] : ""}; };
  const std::string_view task = argument(1);
  if (task == "seeds" && argc == 4) {
    const std::uint64_t count = number_of(argument(3));
    return run_seeds(number_of(argument(2)), [=](std::uint64_t done) { return done < count; });
  }
  if (task == "for" && argc == 4) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds{number_of(argument(2))};
    return run_seeds(number_of(argument(3)), [=](std::uint64_t) { return Clock::now() < end; });
  }
  if (task == "bugs") return find_bugs(argument(2), number_of(argument(3)));
  if (task == "rates" && argc == 3) return print_rates(number_of(argument(2)));
  if (task == "replay" && argc == 3) return replay(number_of(argument(2)));
  if (task == "trace" && argc >= 3) return trace(number_of(argument(2)), bug_of(argument(3)));
  return fail(
      "Usage: cluster_test seeds FIRST COUNT | for SECONDS FIRST | bugs [NAME [MAX]] | rates COUNT "
      "| "
      "replay COUNT | trace SEED [BUG]");
}
