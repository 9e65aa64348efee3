// The metrics of an engine, as its port answers them to Prometheus, as metrics of OpenTelemetry.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::stream {

// Metrics of one request, with commas between, and the number of their data points.
struct MetricPart {
  std::string text{};
  std::uint64_t points = 0;
};

// A part is about this large, or is one metric.
inline constexpr std::size_t kMetricPartBytes = 1U << 20U;

// text: the text format 0.0.4. Counters are cumulative since nexusfix_start_time_seconds, or since
// started_before if the text has none. Names: nexusfix_session_messages_total, in messages, is
// nexusfix.session.messages, in {message}; _seconds is left out, too. The labels session, direction
// and msg_type are attributes with fix. before them; others have nexusfix. The error is one line:
// the text is not of this format, or has no metric.
[[nodiscard]] std::expected<std::vector<MetricPart>, std::string> to_metric_parts(
    std::string_view text, WallTime now, WallTime started_before);

// {"name":...,"gauge":...} with one point without attributes, of this value.
[[nodiscard]] std::string gauge_point(std::string_view name, std::string_view help,
                                      std::uint64_t value, WallTime now);
// The sum since started, of one signal.
[[nodiscard]] std::string dropped_points(std::uint64_t metric_points, std::uint64_t log_records,
                                         WallTime now, WallTime started);

}  // namespace nexusfix::stream
