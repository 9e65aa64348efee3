#include <gtest/gtest.h>

#include <nexusfix/simulator/totals.hpp>

namespace nexusfix::simulator {
namespace {

using namespace std::chrono_literals;

// docs/guide/simulator.md, "Read a failure".
TEST(Scenario, the_same_scenario_runs_the_same_way) {
  const Scenario scenario{.seed = 12, .duration = 60s, .faults = FaultSet::all()};
  const Outcome one = run_scenario(scenario);
  const Outcome other = run_scenario(scenario, {.lines = 10, .stream = nullptr});
  EXPECT_EQ(one.digest, other.digest);
  EXPECT_GT(one.statistics.delivered, 100U);
  EXPECT_NE(run_scenario({.seed = 13, .duration = 60s, .faults = FaultSet::all()}).digest,
            one.digest);
}

TEST(Scenario, without_faults_everything_is_delivered_once) {
  const Outcome outcome = run_scenario({.seed = 5, .duration = 60s, .faults = FaultSet{}});
  EXPECT_FALSE(outcome.violation);
  EXPECT_EQ(outcome.statistics.delivered_again, 0U);
  EXPECT_GE(outcome.statistics.delivered, outcome.statistics.promised);
}

TEST(Scenario, random_choices_can_be_given_instead) {
  const Scenario open{.seed = 21, .duration = 30s, .faults = {}};
  const Scenario closed = resolved(open);
  EXPECT_NE(closed.sessions, 0U);
  ASSERT_TRUE(closed.faults);
  EXPECT_EQ(run_scenario(open).digest, run_scenario(closed).digest);
}

TEST(Scenario, its_text_is_read_back) {
  const Scenario scenario = resolved({.seed = 77, .sessions = 3, .duration = 42s, .faults = {}});
  const auto read = parse_scenario(to_string(scenario));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(to_string(*read), to_string(scenario));
}

TEST(Scenario, a_wrong_part_is_named_by_the_error) {
  for (const char* text : {"seed=x", "seed=1 sessions=1001", "hours=3", "seed=1 faults=tornado"}) {
    EXPECT_FALSE(parse_scenario(text)) << text;
  }
  EXPECT_EQ(parse_scenario("seed=1 hours=3").error().substr(0, 8), "hours=3:");
}

TEST(Scenario, shrinking_ends_when_no_smaller_scenario_fails_in_the_same_way) {
  const Scenario scenario{.seed = 3, .sessions = 2, .duration = 20s, .faults = FaultSet{}};
  const Scenario same = shrink(scenario, {.invariant = "none", .what = "", .time = 5s}, 4);
  EXPECT_EQ(to_string(same), to_string(scenario));
}

TEST(Totals, are_the_sum_and_name_every_fault) {
  Totals totals;
  Outcome outcome;
  outcome.statistics.delivered = 3;
  outcome.statistics.faults[0] = 4;
  totals.add(outcome);
  totals.add(outcome);
  const std::string text = to_string(totals);
  EXPECT_NE(text.find("2 worlds"), std::string::npos);
  EXPECT_NE(text.find("6 delivered"), std::string::npos);
  EXPECT_NE(text.find("tear 8"), std::string::npos);
  EXPECT_NE(text.find("reset 0"), std::string::npos);
}

}  // namespace
}  // namespace nexusfix::simulator
