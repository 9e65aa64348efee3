#include "bench/measure/measure.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nexusfix::bench {
namespace {

constexpr double kNsPerTick = 1;

MeasureSettings few_calls() {
  return {.warm_up_calls = 10,
          .single_calls = 100,
          .batches = 5,
          .batch_ns = 1'000,
          .phase_seconds_max = 60};
}

// Records the inputs of its calls.
struct Recorder {
  std::vector<std::size_t>* inputs;
  std::uint64_t operator()(std::size_t input) const {
    inputs->push_back(input);
    return input;
  }
};

TEST(ContestantTest, inputs_are_taken_in_rotation_across_single_calls_and_batches) {
  std::vector<std::size_t> seen;
  const ContestantPtr contestant = make_contestant(Recorder{&seen}, Answers{0, 1, 2, 3});
  contestant->run(3);
  std::uint32_t ticks[3] = {};
  contestant->time_each(ticks, 3);
  EXPECT_THAT(seen, testing::ElementsAre(0, 1, 2, 3, 0, 1));
}

TEST(ContestantTest, a_wrong_answer_is_named_with_its_input) {
  std::vector<std::size_t> seen;
  const ContestantPtr right = make_contestant(Recorder{&seen}, Answers{0, 1});
  EXPECT_EQ(right->check(), "");
  const ContestantPtr wrong = make_contestant(Recorder{&seen}, Answers{0, 7});
  EXPECT_EQ(wrong->check(), "input 1: 7 is right, the answer was 1");
}

TEST(MeasureTest, every_contestant_is_called_as_often_as_the_settings_say) {
  std::vector<std::size_t> a_inputs;
  std::vector<std::size_t> b_inputs;
  const ContestantPtr a = make_contestant(Recorder{&a_inputs}, Answers{0, 1, 2, 3});
  const ContestantPtr b = make_contestant(Recorder{&b_inputs}, Answers{0, 1, 2, 3});
  Contestant* const both[] = {a.get(), b.get()};
  const std::vector<Figures> figures = measure(both, few_calls(), kNsPerTick);
  ASSERT_EQ(figures.size(), 2U);
  for (const Figures& one : figures) {
    EXPECT_GE(one.single_calls, 100U);
    EXPECT_EQ(one.batches, 5U);
    EXPECT_EQ(one.batch_calls % 4, 0U) << "an input would be measured more often than another";
  }
  EXPECT_GE(a_inputs.size(), 100 + 5 * figures[0].batch_calls);
  EXPECT_GE(b_inputs.size(), 100 + 5 * figures[1].batch_calls);
}

TEST(MeasureTest, figures_are_in_order) {
  std::vector<std::size_t> inputs;
  const ContestantPtr contestant = make_contestant(Recorder{&inputs}, Answers{0, 1});
  Contestant* const one[] = {contestant.get()};
  const Figures f = measure(one, few_calls(), kNsPerTick).front();
  EXPECT_LE(f.min, f.p50);
  EXPECT_LE(f.p50, f.p99);
  EXPECT_LE(f.p99, f.p999);
  EXPECT_LE(f.p999, f.max);
  EXPECT_TRUE(std::ranges::is_sorted(f.percentiles));
  EXPECT_GE(f.percentiles.front(), f.min);
  EXPECT_LE(f.percentiles.back(), f.max);
  EXPECT_LE(f.batch_best, f.batch);
  EXPECT_LE(f.batch, f.batch_median);
  EXPECT_GT(f.batch_best, 0);
}

TEST(MeasureTest, contestants_take_turns_batch_by_batch) {
  // Both write to one list. If one were measured after the other, the list would change sides once.
  struct Side {
    std::vector<int>* sides;
    int side;
    std::uint64_t operator()(std::size_t) const {
      if (sides->empty() || sides->back() != side) sides->push_back(side);
      return 0;
    }
  };
  std::vector<int> sides;
  const ContestantPtr a = make_contestant(Side{&sides, 1}, Answers{0});
  const ContestantPtr b = make_contestant(Side{&sides, 2}, Answers{0});
  Contestant* const both[] = {a.get(), b.get()};
  (void)measure(both, few_calls(), kNsPerTick);
  EXPECT_GE(sides.size(), 2U * few_calls().batches);
}

TEST(MeasureTest, a_slow_contestant_is_measured_less_often_but_at_least_once) {
  std::vector<std::size_t> inputs;
  const ContestantPtr contestant = make_contestant(Recorder{&inputs}, Answers{0, 1});
  Contestant* const one[] = {contestant.get()};
  MeasureSettings settings = few_calls();
  settings.single_calls = 1'000'000'000;
  settings.batches = 1'000'000'000;
  settings.phase_seconds_max = 0;
  const Figures f = measure(one, settings, kNsPerTick).front();
  EXPECT_EQ(f.batches, 1U);
  EXPECT_LT(f.single_calls, 1'000'000U);
  EXPECT_GT(f.batch, 0);
}

// Fills a container for eight elements, and records its maximum size.
struct Filler {
  std::size_t* most;
  std::size_t held = 0;
  bool open = false;

  std::uint64_t operator()(std::size_t) {
    EXPECT_TRUE(open);
    *most = std::max(*most, ++held);
    return 0;
  }
  void prepare() {
    EXPECT_FALSE(open);
    open = true;
  }
  void settle() {
    EXPECT_TRUE(open);
    open = false;
    held = 0;
  }
  static CallLimits limits() { return {.least = 4, .most = 8}; }
};

TEST(MeasureTest, a_contestant_with_a_limit_is_emptied_before_it_is_full) {
  std::size_t most = 0;
  const ContestantPtr contestant =
      make_prepared_contestant(Filler{&most}, 2, [](Filler&) { return std::string{}; });
  Contestant* const one[] = {contestant.get()};
  const Figures f = measure(one, few_calls(), kNsPerTick).front();
  EXPECT_EQ(most, 8U);
  EXPECT_LE(f.batch_calls, 8U);
  EXPECT_GE(f.batch_calls, 4U);
  EXPECT_GE(f.single_calls, 100U);
}

TEST(TimerTest, counter_is_calibrated_and_its_cost_is_known) {
  const TimerFacts facts = calibrate_timer();
  EXPECT_GT(facts.ns_per_tick, 0);
  EXPECT_GE(facts.cost_ns, facts.cost_min_ns);
  EXPECT_GE(facts.step_ns, 0);
}

}  // namespace
}  // namespace nexusfix::bench
