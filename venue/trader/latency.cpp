#include "venue/trader/latency.hpp"

#include <algorithm>
#include <cmath>

namespace nexusfix::trader {
namespace {

// per_mille of 1000 is the maximum.
Nanoseconds percentile(const std::vector<Nanoseconds>& sorted, std::size_t per_mille) {
  const std::size_t rank = (sorted.size() * per_mille + 999) / 1000;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

LatencySummary summarize(std::vector<Nanoseconds> samples) {
  if (samples.empty()) return {};
  std::ranges::sort(samples);
  return {.count = samples.size(),
          .p50 = percentile(samples, 500),
          .p90 = percentile(samples, 900),
          .p99 = percentile(samples, 990),
          .p999 = percentile(samples, 999),
          .max = samples.back()};
}

std::vector<HistogramRow> histogram(std::vector<Nanoseconds> samples, std::size_t rows) {
  if (samples.empty()) return {};
  std::ranges::sort(samples);
  const Nanoseconds low = std::max(samples.front(), Nanoseconds{1});
  const Nanoseconds high = std::max(percentile(samples, 999), low) + Nanoseconds{1};
  const double ratio =
      std::pow(static_cast<double>(high.count()) / static_cast<double>(low.count()),
               1.0 / static_cast<double>(rows));
  std::vector<HistogramRow> result;
  auto next = samples.begin();
  Nanoseconds from = samples.front();
  double edge = static_cast<double>(low.count());
  for (std::size_t row = 0; row < rows; ++row) {
    edge *= ratio;
    Nanoseconds to{row + 1 == rows ? high.count() : std::llround(edge)};
    to = std::clamp(to, from, high);
    const auto end = std::lower_bound(next, samples.end(), to);
    result.push_back({from, to, static_cast<std::size_t>(end - next)});
    next = end;
    from = to;
  }
  if (next != samples.end()) {
    result.push_back(
        {from, samples.back() + Nanoseconds{1}, static_cast<std::size_t>(samples.end() - next)});
  }
  return result;
}

}  // namespace nexusfix::trader
