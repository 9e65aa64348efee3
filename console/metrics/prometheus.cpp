#include <algorithm>
#include <array>

#include <nexusfix/metrics.hpp>

#include "console/metrics/metric_table.hpp"
#include "console/metrics/samples.hpp"

namespace nexusfix::metrics {

std::string to_prometheus(const engine::EngineStatistics& engine,
                          const PrometheusOptions& options) {
  const bool has_details = engine.sessions.size() <= options.detailed_sessions_max;
  Samples samples;
  for (const Metric& metric : metric_table()) {
    if (!metric.described.is_essential && !has_details) continue;
    samples.begin(metric.described);
    metric.write(samples, engine);
  }
  return samples.release_text();
}

std::vector<MetricDescription> described_metrics() {
  std::vector<MetricDescription> all;
  all.reserve(metric_table().size());
  for (const Metric& metric : metric_table()) all.push_back(metric.described);
  return all;
}

std::string_view to_string(MetricType type) noexcept {
  switch (type) {
    case MetricType::Gauge:
      return "gauge";
    case MetricType::Counter:
      return "counter";
    case MetricType::Histogram:
      return "histogram";
  }
  return "untyped";
}

}  // namespace nexusfix::metrics
