// metrics: the statistics of a running engine as text for Prometheus, and whether it is healthy and
// ready.
//
// What it is: pure functions over Engine::statistics(). A program that has an HTTP server of its
// own answers /metrics, /healthz and /readyz with them; `MetricsPort` does the same without code.
//
// What it is not: a server, or a client of Prometheus. It needs no other library.
//
//   const nexusfix::EngineStatistics now = engine.statistics();
//   answer(200, metrics::kContentType, metrics::to_prometheus(now));
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/statistics.hpp>

namespace nexusfix::metrics {

// The Content-Type of to_prometheus().
inline constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

// How much to_prometheus() writes.
struct PrometheusOptions {
  // With more sessions than this, each session has only its essential metrics, as the page
  // docs/reference/metrics.md marks them: about 7 time series a session, in place of about 40.
  std::size_t detailed_sessions_max = 500;
};

// All metrics in the text format 0.0.4 of Prometheus, as UTF-8; at most about 5 KiB a session.
// docs/reference/metrics.md describes each. Any thread. Allocates the text.
[[nodiscard]] std::string to_prometheus(const engine::EngineStatistics& engine,
                                        const PrometheusOptions& options = {});

// What a probe gets to know.
struct Health {
  std::vector<std::string> reasons{};  // why not, one a line; empty: all is well

  // Whether all is well.
  [[nodiscard]] bool is_ok() const noexcept { return reasons.empty(); }
  // The body of an answer: "ok\n", or the reasons, one a line. At most 20 of them; then their
  // count.
  [[nodiscard]] std::string text() const;
};

// When an event loop counts as stuck.
struct HealthLimits {
  // A loop that run() or start() serves turns at least once a second. One that has not turned for
  // this time is stuck, in a callback or on the disk.
  std::chrono::nanoseconds silence_max = std::chrono::seconds{10};
};

// Whether the process should live on: each event loop turns, and none has ended because its store
// failed. A program that gets a bad answer several times in a row restarts the process. Loops that
// the program polls itself are not judged by their turns. Any thread.
[[nodiscard]] Health check_health(const engine::EngineStatistics& engine,
                                  const HealthLimits& limits = {});
// Whether the engine does its work: check_health(), it is not stopping, each store takes records,
// and each session that should be logged on is (SessionStatistics::is_expected). Any thread.
[[nodiscard]] Health check_readiness(const engine::EngineStatistics& engine,
                                     const HealthLimits& limits = {});

// The types of Prometheus.
enum class MetricType : std::uint8_t { Gauge, Counter, Histogram };
// "gauge", "counter", "histogram".
[[nodiscard]] std::string_view to_string(MetricType type) noexcept;

// One row of docs/reference/metrics.md. All texts have static lifetime.
struct MetricDescription {
  std::string_view name;                // "nexusfix_session_logged_on"
  MetricType type = MetricType::Gauge;  // of its samples
  std::string_view unit;     // "seconds", "bytes", "messages"; empty: the value is 0 or 1
  std::string_view labels;   // their names, with commas between them
  std::string_view help;     // a sentence
  bool is_essential = true;  // false: absent above PrometheusOptions::detailed_sessions_max
};

// Every metric, in the order of to_prometheus(). Any thread.
[[nodiscard]] std::vector<MetricDescription> described_metrics();

}  // namespace nexusfix::metrics
