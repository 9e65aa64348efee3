// All metrics.
#pragma once

#include <span>

#include <nexusfix/metrics.hpp>
#include <nexusfix/statistics.hpp>

#include "console/metrics/samples.hpp"

namespace nexusfix::metrics {

struct Metric {
  MetricDescription described;
  void (*write)(Samples& samples, const engine::EngineStatistics& engine);
};

[[nodiscard]] std::span<const Metric> metric_table() noexcept;

}  // namespace nexusfix::metrics
