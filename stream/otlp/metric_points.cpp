#include "stream/otlp/metric_points.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>

#include <nexusfix/metrics.hpp>

#include "base/api/printable_text.hpp"
#include "stream/otlp/exposition_text.hpp"
#include "stream/otlp/otlp_json.hpp"

namespace nexusfix::stream {
namespace {

constexpr int kCumulative = 2;  // AggregationTemporality
constexpr std::string_view kStart = "nexusfix_start_time_seconds";

using Labels = std::vector<std::pair<std::string, std::string>>;

struct Times {
  std::string start;  // ns since 1970
  std::string now;
};
std::string text_of(WallTime time) { return std::to_string(time.time_since_epoch().count()); }

// As the table of the metrics has it; of a metric that this program does not know, by its name.
std::string_view unit_of(const ExposedMetric& metric) {
  static const std::vector<metrics::MetricDescription> kKnown = metrics::described_metrics();
  const auto found = std::ranges::find(kKnown, metric.name, &metrics::MetricDescription::name);
  if (found != kKnown.end()) return found->unit;
  const std::string_view name = metric.name;
  if (name.ends_with("_seconds") || name.ends_with("_seconds_total")) return "seconds";
  return name.ends_with("_bytes") || name.ends_with("_bytes_total") ? "bytes" : "";
}

// UCUM, and what is counted in braces: "s", "By", "{message}".
std::string otel_unit(std::string_view unit) {
  if (unit.empty()) return "";
  if (unit == "seconds") return "s";
  if (unit == "bytes") return "By";
  if (unit.ends_with('s')) unit.remove_suffix(1);
  return fmt::format("{{{}}}", unit);
}

// "nexusfix_session_messages_total": "nexusfix.session.messages".
std::string otel_name(std::string_view name) {
  for (const std::string_view ending : {"_total", "_seconds"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  std::string result{name};
  const std::size_t prefix = result.find('_');
  if (prefix == result.npos) return result;
  result[prefix] = '.';
  for (const std::string_view part :
       {"cluster_", "log_", "loop_", "session_", "standby_", "store_", "stream_"}) {
    if (std::string_view{result}.substr(prefix + 1).starts_with(part)) {
      result[prefix + part.size()] = '.';
    }
  }
  return result;
}

void append_labels(std::string& to, const Labels& labels) {
  to += R"("attributes":[)";
  for (const auto& [name, value] : labels) {
    const bool is_fix = name == "session" || name == "direction" || name == "msg_type";
    append_attribute(to, (is_fix ? "fix." : "nexusfix.") + name, value);
  }
  to += ']';
}

void append_time(std::string& to, const Times& times, bool has_start) {
  if (has_start) {
    fmt::format_to(std::back_inserter(to), R"(,"startTimeUnixNano":"{}")", times.start);
  }
  fmt::format_to(std::back_inserter(to), R"(,"timeUnixNano":"{}")", times.now);
}

void append_value(std::string& to, double value, bool is_whole) {
  constexpr double kWholeMax = 1ULL << 53U;  // above it, a double is not exact
  if (is_whole && std::trunc(value) == value && std::abs(value) <= kWholeMax) {
    fmt::format_to(std::back_inserter(to), R"(,"asInt":"{}")", static_cast<std::int64_t>(value));
  } else {
    fmt::format_to(std::back_inserter(to), R"(,"asDouble":{})", value);
  }
}

struct Histogram {
  Labels labels{};
  std::map<double, std::uint64_t> below{};  // the end of a bucket, and the count up to it
  std::uint64_t count = 0;
  double sum = 0;
};

std::uint64_t as_count(double value) {
  constexpr double kCountMax = 1ULL << 53U;
  return static_cast<std::uint64_t>(std::clamp(value, 0.0, kCountMax));
}

std::vector<Histogram> histograms_of(const ExposedMetric& metric) {
  std::vector<Histogram> all;
  for (const ExposedSample& sample : metric.samples) {
    Labels labels = sample.labels;
    std::optional<std::string> end;
    std::erase_if(labels, [&](const auto& one) {
      if (one.first != "le") return false;
      end = one.second;
      return true;
    });
    // The samples of one histogram stand together.
    if (all.empty() || all.back().labels != labels) all.push_back({.labels = labels});
    Histogram& found = all.back();
    if (sample.suffix == "_sum") found.sum = sample.value;
    if (sample.suffix == "_count") found.count = as_count(sample.value);
    if (sample.suffix != "_bucket" || !end || *end == "+Inf") continue;
    double limit = 0;
    const char* const last = end->data() + end->size();
    const auto [stop, error] = std::from_chars(end->data(), last, limit);
    const bool is_bound = error == std::errc{} && stop == last && std::isfinite(limit);
    if (is_bound) found.below[limit] = as_count(sample.value);
  }
  return all;
}

void append_histogram(std::string& to, const Histogram& found, const Times& times) {
  to += to.back() == '[' ? "{" : ",{";
  append_labels(to, found.labels);
  append_time(to, times, true);
  std::string bounds;
  std::string counts;
  std::uint64_t before = 0;
  for (const auto& [end, below] : found.below) {
    fmt::format_to(std::back_inserter(bounds), "{}{}", bounds.empty() ? "" : ",", end);
    fmt::format_to(std::back_inserter(counts), "\"{}\",", below - std::min(below, before));
    before = std::max(before, below);
  }
  const std::uint64_t count = std::max(found.count, before);
  fmt::format_to(std::back_inserter(to),
                 R"(,"count":"{}","sum":{},"bucketCounts":[{}"{}"],"explicitBounds":[{}]}})", count,
                 found.sum, counts, count - before, bounds);
}

struct Written {
  std::string text;
  std::uint64_t points = 0;
};

Written written(const ExposedMetric& metric, const std::string& name, std::string_view unit,
                const Times& times) {
  Written to;
  to.text = R"({"name":)";
  append_json_text(to.text, name);
  to.text += R"(,"description":)";
  append_json_text(to.text, metric.help);
  to.text += R"(,"unit":)";
  append_json_text(to.text, otel_unit(unit));
  const bool is_sum = metric.type == "counter";
  if (metric.type == "gauge") {
    to.text += R"(,"gauge":{"dataPoints":[)";
  } else {
    fmt::format_to(
        std::back_inserter(to.text), R"(,"{}":{{"aggregationTemporality":{},{}"dataPoints":[)",
        is_sum ? "sum" : "histogram", kCumulative, is_sum ? R"("isMonotonic":true,)" : "");
  }
  if (metric.type == "histogram") {
    for (const Histogram& one : histograms_of(metric)) {
      append_histogram(to.text, one, times);
      ++to.points;
    }
  } else {
    for (const ExposedSample& sample : metric.samples) {
      to.text += to.text.back() == '[' ? "{" : ",{";
      append_labels(to.text, sample.labels);
      append_time(to.text, times, is_sum);
      append_value(to.text, sample.value, unit != "seconds");
      to.text += '}';
      ++to.points;
    }
  }
  to.text += "]}}";
  return to;
}

WallTime start_of(std::span<const ExposedMetric> metrics, WallTime started_before) {
  const auto found = std::ranges::find(metrics, kStart, &ExposedMetric::name);
  if (found == metrics.end()) return started_before;
  constexpr double kSecondsMax = 9e9;  // what ns since 1970 can be
  const double seconds = std::clamp(found->samples.front().value, 0.0, kSecondsMax);
  return WallTime{
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>{seconds})};
}

}  // namespace

std::expected<std::vector<MetricPart>, std::string> to_metric_parts(std::string_view text,
                                                                    WallTime now,
                                                                    WallTime started_before) {
  const auto metrics = read_exposition(text);
  if (!metrics) return std::unexpected{metrics.error()};
  if (metrics->empty()) return std::unexpected{"the answer has no metric"};
  const Times times{.start = text_of(start_of(*metrics, started_before)), .now = text_of(now)};
  std::vector<MetricPart> parts(1);
  for (const ExposedMetric& metric : *metrics) {
    const std::string_view unit = unit_of(metric);
    const Written one = written(metric, otel_name(metric.name), unit, times);
    if (!parts.back().text.empty()) {
      if (parts.back().text.size() + one.text.size() > kMetricPartBytes) {
        parts.emplace_back();
      } else {
        parts.back().text += ',';
      }
    }
    parts.back().text += one.text;
    parts.back().points += one.points;
  }
  return parts;
}

std::string gauge_point(std::string_view name, std::string_view help, std::uint64_t value,
                        WallTime now) {
  const ExposedMetric metric{.name = std::string{name},
                             .help = std::string{help},
                             .type = "gauge",
                             .samples = {{.value = static_cast<double>(value)}}};
  return written(metric, metric.name, "", {.start = {}, .now = text_of(now)}).text;
}

std::string dropped_points(std::uint64_t metric_points, std::uint64_t log_records, WallTime now,
                           WallTime started) {
  const ExposedMetric metric{
      .name = "nexusfix.otlp.dropped",
      .help =
          "What this process has not delivered: the collector was away too long, or refused it.",
      .type = "counter",
      .samples = {{.labels = {{"signal", "metrics"}}, .value = static_cast<double>(metric_points)},
                  {.labels = {{"signal", "logs"}}, .value = static_cast<double>(log_records)}}};
  return written(metric, metric.name, "items", {.start = text_of(started), .now = text_of(now)})
      .text;
}

}  // namespace nexusfix::stream
