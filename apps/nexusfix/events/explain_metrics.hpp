// Explains the metrics of an engine, with the texts of their table.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/metrics.hpp>

#include "nexusfix/events/explain.hpp"

namespace nexusfix::command {

using MoreMetrics = std::span<const metrics::MetricDescription>;

// The metrics of `nexusfix stream`, with static lifetime; none if the program is built without it.
[[nodiscard]] MoreMetrics stream_metrics() noexcept;

// Whether the argument of `nexusfix explain` is a metric, and not an event.
[[nodiscard]] bool is_metric_name(std::string_view text) noexcept;

// names: of metrics; none: a list of all. The error names the first unknown metric, and the one
// with the most similar name.
[[nodiscard]] std::expected<std::string, std::string> explain_metrics(
    const std::vector<std::string>& names, ExplainForm form, MoreMetrics of_streams);

// docs/reference/metrics.md
[[nodiscard]] std::string metrics_page(MoreMetrics of_streams);

}  // namespace nexusfix::command
