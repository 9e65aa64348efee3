// Proves that the simulator finds faults: each deliberate bug of mutations.json, enabled alone,
// must be found within the seeds that CI runs. Prints the invariant that found it, and the world.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <nexusfix/simulator/scenario.hpp>

#include "mutated_acceptor.hpp"
#include "mutation.hpp"

namespace {

struct Mutation {
  const char* name;
  const char* bug;
  std::uint64_t world;  // is tried first: it showed the bug when this was written
};

constexpr Mutation kMutations[] = {
#include "mutations.inl"
};

using nexusfix::simulator::Outcome;
using nexusfix::simulator::run_scenario;

// Whether one of the worlds shows it.
bool is_found(const Mutation& mutation, std::uint64_t seeds_max) {
  for (std::uint64_t i = 0; i <= seeds_max; ++i) {
    const std::uint64_t seed = i == 0 ? mutation.world : i;
    const Outcome outcome = run_scenario({.seed = seed, .faults = {}});
    if (!outcome.violation) continue;
    std::printf("%-34s world %4llu: %s\n", mutation.name, static_cast<unsigned long long>(seed),
                outcome.violation->invariant.c_str());
    std::fflush(stdout);
    return true;
  }
  std::printf("%-34s NOT FOUND in %llu worlds: %s\n", mutation.name,
              static_cast<unsigned long long>(seeds_max), mutation.bug);
  return false;
}

int serve(std::string_view name) {
  int index = 0;
  for (const Mutation& mutation : kMutations) {
    ++index;
    if (name == mutation.name) nexusfix::test::active_mutation = index;
  }
  if (nexusfix::test::active_mutation == 0 && name != "none") return 2;
  return nexusfix::test::run_mutated_acceptor();
}

}  // namespace

// mutants_test SEEDS_MAX [NAME]
// mutants_test acceptor NAME     an acceptor with this bug; none: without one
int main(int argc, char** argv) {
  if (argc > 2 && std::string_view{argv[1]} == "acceptor") return serve(argv[2]);
  const std::uint64_t seeds_max = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 5'000;
  const std::string_view only = argc > 2 ? argv[2] : "";
  int found = 0;
  int missed = 0;
  int index = 0;
  for (const Mutation& mutation : kMutations) {
    ++index;
    if (!only.empty() && only != mutation.name) continue;
    nexusfix::test::active_mutation = index;
    ++(is_found(mutation, seeds_max) ? found : missed);
  }
  std::printf("%d deliberate bugs found, %d not\n", found, missed);
  return missed == 0 && found > 0 ? 0 : 1;
}
