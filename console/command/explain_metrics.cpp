// Explains the metrics of an engine, with the texts of their table.
#include <algorithm>
#include <fmt/format.h>

#include <nexusfix/metrics.hpp>

#include "dictionary/api/nearest_name.hpp"
#include "nexusfix/events/explain.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

using metrics::MetricDescription;

constexpr std::size_t kMetricColumns = 100;

// The metrics of one section of the page: their names begin alike.
struct Section {
  std::string_view title;
  std::string_view prefix;
};
constexpr std::string_view kSessions = "Sessions";
constexpr Section kSections[] = {{"Event loops", "nexusfix_loop_"},
                                 {"Stores", "nexusfix_store_"},
                                 {kSessions, "nexusfix_session_"},
                                 {"Audit streams", "nexusfix_stream_"}};

std::string_view section_of(std::string_view name) {
  const auto found = std::ranges::find_if(
      kSections, [&](const Section& one) { return name.starts_with(one.prefix); });
  return found == std::end(kSections) ? "Engine" : found->title;
}

std::vector<MetricDescription> all_metrics() {
  const auto of_streams = stream_metrics();
  std::vector<MetricDescription> all = metrics::described_metrics();
  all.insert(all.end(), of_streams.begin(), of_streams.end());
  return all;
}

std::string in_full(const MetricDescription& metric) {
  std::string text = fmt::format("{}\n  type     {}\n", metric.name, to_string(metric.type));
  if (!metric.unit.empty()) text += fmt::format("  unit     {}\n", metric.unit);
  if (!metric.labels.empty()) text += fmt::format("  labels   {}\n", metric.labels);
  append_wrapped(text, "  meaning  ", metric.help, kMetricColumns);
  return text;
}

std::string in_json(const MetricDescription& metric) {
  return Json::object({{"name", metric.name},
                       {"type", to_string(metric.type)},
                       {"unit", metric.unit},
                       {"labels", metric.labels},
                       {"meaning", metric.help},
                       {"essential", metric.is_essential}})
             .line() +
         '\n';
}

std::string no_metric(std::string_view text, const std::vector<MetricDescription>& all) {
  std::vector<std::string_view> names;
  names.reserve(all.size());
  for (const MetricDescription& metric : all) names.push_back(metric.name);
  const std::string what = "there is no metric " + Json{text}.line();
  const auto nearest = dictionary::nearest_name(text, names);
  if (!nearest) return what + "; `nexusfix explain --metrics` lists all";
  return fmt::format("{}. Did you mean {}?", what, *nearest);
}

constexpr std::string_view kMetricsPageBegin =
    R"(# Metrics

`MetricsPort` serves these metrics to Prometheus at `/metrics`: [monitor an
engine](../operations/monitoring.md) shows how, and has a dashboard and alerts. `nexusfix explain
METRIC` explains one; `nexusfix explain --metrics --markdown` prints this page. `nexusfix stream
--metrics-port` serves those of [audit streams](#audit-streams).

- *Unit*: of the value. An empty cell: it is 1 or 0.
- *Labels*: `session` is the session's name, as `nexusfix ctl status` shows it; `loop` the number of
  an event loop, from 0; `direction` is `in` for received and `out` for sent messages.
- A counter begins at 0 when the engine starts. A metric without a value is absent: a session that
  has received nothing has no time of its last message.
- The buckets of a histogram end at powers of two, from 256 ns to 34 s. What the latencies mean:
  [statistics](../guide/statistics.md#latencies).

An engine with more than 500 sessions writes only the metrics with *every session* for each of them,
about 8 time series a session. Below that it writes all, about 40 a session that trades. The label
`msg_type` has at most 17 values a session and direction, `reason` at most 32 a direction, whatever
the counterparty sends.
)";

}  // namespace

std::expected<std::string, std::string> explain_metrics(const std::vector<std::string>& names,
                                                        ExplainForm form) {
  const std::vector<MetricDescription> all = all_metrics();
  std::string text;
  if (names.empty()) {
    for (const MetricDescription& metric : all) {
      text += form == ExplainForm::Json
                  ? in_json(metric)
                  : fmt::format("{:<52}  {}\n", metric.name, to_string(metric.type));
    }
    return text;
  }
  for (const std::string& name : names) {
    const auto found = std::ranges::find(all, std::string_view{name}, &MetricDescription::name);
    if (found == all.end()) return std::unexpected{no_metric(name, all)};
    if (!text.empty() && form == ExplainForm::Text) text += '\n';
    text += form == ExplainForm::Json ? in_json(*found) : in_full(*found);
  }
  return text;
}

std::expected<std::string, std::string> metrics_page() {
  std::string page{kMetricsPageBegin};
  std::string_view section;
  for (const MetricDescription& metric : all_metrics()) {
    if (const std::string_view own = section_of(metric.name); own != section) {
      section = own;
      const bool are_sessions = section == kSessions;
      page += fmt::format(
          "\n## {}\n\n| metric | type | unit | labels | meaning |{}\n|---|---|---|---|---|{}\n",
          section, are_sessions ? " written for |" : "", are_sessions ? "---|" : "");
    }
    std::string labels{metric.labels};
    for (std::size_t at = 0; (at = labels.find(',', at)) != std::string::npos; at += 2) {
      labels.replace(at, 1, ", ");
    }
    page += fmt::format("| `{}` | {} | {} | {} | {} |", metric.name, to_string(metric.type),
                        metric.unit, labels, metric.help);
    if (section == kSessions) page += metric.is_essential ? " every session |" : " up to 500 |";
    page += '\n';
  }
  return page;
}

}  // namespace nexusfix::command
