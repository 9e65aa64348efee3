#include "bench/measure/measure.hpp"

#include <algorithm>
#include <cstdint>

#include "bench/measure/timer.hpp"
#include "bench/report/statistics.hpp"

namespace nexusfix::bench {
namespace {

constexpr double kNsPerSecond = 1e9;

// The phases of one contestant.
class Course {
 public:
  Course(Contestant& contestant, const MeasureSettings& settings, double ns_per_tick)
      : contestant_{contestant}, settings_{settings}, ns_per_tick_{ns_per_tick} {}

  // Doubles the number of calls until it is enough or takes too long. Then the time of a call is
  // known.
  void warm_up() {
    double spent_ns = 0;
    std::size_t done = 0;
    const CallLimits limits = contestant_.limits();
    for (std::size_t calls = 1;; calls = std::min(calls * 2, limits.most)) {
      const std::uint64_t before = read_ticks();
      const double ns = timed_run(calls);
      call_ns_ = std::max(ns / static_cast<double>(calls), kCallNsMin);
      spent_ns += static_cast<double>(read_ticks() - before) * ns_per_tick_;
      done += calls;
      if (done >= settings_.warm_up_calls || spent_ns > phase_ns_max() / 4) break;
    }
    constexpr double kChunkNs = 1e6;
    constexpr std::size_t kChunkCallsMax = 1'000;
    chunk_.resize(std::clamp<std::size_t>(static_cast<std::size_t>(kChunkNs / call_ns_), 1,
                                          std::min(kChunkCallsMax, limits.most)));
    const std::size_t wanted = static_cast<std::size_t>(settings_.batch_ns / call_ns_) + 1;
    const std::size_t inputs = contestant_.inputs();
    // Each input has the same number of calls.
    batch_calls_ = (std::max(wanted, limits.least) + inputs - 1) / inputs * inputs;
    batch_calls_ = std::min(batch_calls_, limits.most);
  }

  [[nodiscard]] bool needs_singles() const {
    return singles_.size() < settings_.single_calls && singles_ns_ < phase_ns_max();
  }
  void time_singles() {
    const std::uint64_t before = read_ticks();
    contestant_.prepare();
    contestant_.time_each(chunk_.data(), chunk_.size());
    contestant_.settle();
    singles_ns_ += static_cast<double>(read_ticks() - before) * ns_per_tick_;
    singles_.insert(singles_.end(), chunk_.begin(), chunk_.end());
  }

  [[nodiscard]] bool needs_batches() const {
    return batches_.size() < settings_.batches &&
           (batches_ns_ < phase_ns_max() || batches_.empty());
  }
  void time_batch() {
    const std::uint64_t before = read_ticks();
    // The caches and branch predictors still have the data of the contestant before.
    constexpr double kRefreshNsMax = 1e6;
    const std::size_t inputs = contestant_.inputs();
    if (call_ns_ * static_cast<double>(inputs) < kRefreshNsMax) (void)timed_run(inputs);
    const double ns = timed_run(batch_calls_);
    batches_ns_ += static_cast<double>(read_ticks() - before) * ns_per_tick_;
    batches_.push_back(ns / static_cast<double>(batch_calls_));
  }

  [[nodiscard]] Figures figures() {
    std::sort(singles_.begin(), singles_.end());
    std::sort(batches_.begin(), batches_.end());
    const auto single = [&](double share) {
      return static_cast<double>(quantile_of_sorted(singles_, share)) * ns_per_tick_;
    };
    Figures figures{.p50 = single(0.5),
                    .p99 = single(0.99),
                    .p999 = single(0.999),
                    .min = single(0),
                    .max = single(1),
                    .single_calls = singles_.size(),
                    .batch = quantile_of_sorted(batches_, 0.1),
                    .batch_median = quantile_of_sorted(batches_, 0.5),
                    .batch_best = batches_.front(),
                    .batches = batches_.size(),
                    .batch_calls = batch_calls_};
    std::ranges::transform(kPercentileShares, figures.percentiles.begin(), single);
    return figures;
  }

 private:
  static constexpr double kCallNsMin = 0.1;

  [[nodiscard]] double phase_ns_max() const { return settings_.phase_seconds_max * kNsPerSecond; }
  double timed_run(std::size_t calls) {
    contestant_.prepare();
    const std::uint64_t elapsed = contestant_.timed_run(calls);
    contestant_.settle();
    return static_cast<double>(elapsed) * ns_per_tick_;
  }

  Contestant& contestant_;
  const MeasureSettings& settings_;
  double ns_per_tick_;
  double call_ns_ = 1;
  std::vector<std::uint32_t> chunk_;
  std::vector<std::uint32_t> singles_;
  double singles_ns_ = 0;
  std::size_t batch_calls_ = 1;
  std::vector<double> batches_;
  double batches_ns_ = 0;
};

}  // namespace

std::vector<Figures> measure(std::span<Contestant* const> contestants,
                             const MeasureSettings& settings, double ns_per_tick) {
  std::vector<Course> courses;
  for (Contestant* contestant : contestants)
    courses.emplace_back(*contestant, settings, ns_per_tick);
  for (Course& course : courses) course.warm_up();
  const auto alternate = [&](auto needs_more, auto turn) {
    while (true) {
      bool any = false;
      for (Course& course : courses) {
        if (!needs_more(course)) continue;
        turn(course);
        any = true;
      }
      if (!any) return;
    }
  };
  alternate([](const Course& course) { return course.needs_singles(); },
            [](Course& course) { course.time_singles(); });
  alternate([](const Course& course) { return course.needs_batches(); },
            [](Course& course) { course.time_batch(); });
  std::vector<Figures> figures;
  for (Course& course : courses) figures.push_back(course.figures());
  return figures;
}

}  // namespace nexusfix::bench
