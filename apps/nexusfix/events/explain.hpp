// Explains the events of the logs, with the texts of observe's event table, and the metrics of an
// engine, which a product describes.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nexusfix::metrics {
struct MetricDescription;
}  // namespace nexusfix::metrics

namespace nexusfix::command {

enum class ExplainForm : std::uint8_t { Text, Json };

// events: "NXF-1042", "1042" or the event's name; none: a list of all. The error names the first
// unknown event, and the event with the most similar name or number.
[[nodiscard]] std::expected<std::string, std::string> explain_events(
    const std::vector<std::string>& events, ExplainForm form);

// docs/reference/events.md
[[nodiscard]] std::string events_page();

// In console/command. command.cpp replaces them in a program that is built without metrics: the
// error names the option.

// names: of metrics; none: a list of all. The error names the first unknown metric, and the one
// with the most similar name.
[[nodiscard]] std::expected<std::string, std::string> explain_metrics(
    const std::vector<std::string>& names, ExplainForm form);
// docs/reference/metrics.md
[[nodiscard]] std::expected<std::string, std::string> metrics_page();

// In stream/: the metrics of `nexusfix stream`, with static lifetime; none if the program is built
// without it.
[[nodiscard]] std::span<const metrics::MetricDescription> stream_metrics() noexcept;

}  // namespace nexusfix::command
