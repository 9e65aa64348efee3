// Percentiles and a histogram of measured times.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nexusfix::trader {

using Nanoseconds = std::chrono::nanoseconds;

struct LatencySummary {
  std::size_t count = 0;
  Nanoseconds p50{0};
  Nanoseconds p90{0};
  Nanoseconds p99{0};
  Nanoseconds p999{0};
  Nanoseconds max{0};
};

// Percentiles by nearest rank: the smallest sample that at least this share of all samples does not
// exceed.
[[nodiscard]] LatencySummary summarize(std::vector<Nanoseconds> samples);

struct HistogramRow {
  Nanoseconds from{0};  // included
  Nanoseconds to{0};    // excluded
  std::size_t count = 0;
};

// Rows of equal ratio from the smallest sample to the 99.9th percentile, and one more row for the
// samples above it, if there are any. rows ≥ 1.
[[nodiscard]] std::vector<HistogramRow> histogram(std::vector<Nanoseconds> samples,
                                                  std::size_t rows);

}  // namespace nexusfix::trader
