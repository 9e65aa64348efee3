// The metrics of an engine as metrics of OpenTelemetry.
#include "stream/otlp/metric_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include <nexusfix/metrics.hpp>

#include "stream/otlp/exposition_text.hpp"

namespace nexusfix::stream {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr WallTime kAsked{std::chrono::nanoseconds{2'000'000'000'000'000'000}};
constexpr WallTime kBefore{std::chrono::nanoseconds{1'000}};
constexpr std::string_view kStart =
    "# HELP nexusfix_start_time_seconds When.\n# TYPE nexusfix_start_time_seconds gauge\n"
    "nexusfix_start_time_seconds 1800000000\n";

json metrics_of(std::string_view text) {
  const auto parts = to_metric_parts(text, kAsked, kBefore);
  EXPECT_TRUE(parts) << parts.error();
  std::string all;
  for (const MetricPart& one : *parts) all += (all.empty() ? "" : ",") + one.text;
  return json::parse('[' + all + ']');
}

std::string exposed(std::string_view type, std::string_view name, std::string_view samples) {
  return std::string{kStart} + "# HELP " + std::string{name} + " What it is.\n# TYPE " +
         std::string{name} + ' ' + std::string{type} + '\n' + std::string{samples};
}

// The metric after the start time.
json metric_of(std::string_view type, std::string_view name, std::string_view samples) {
  return metrics_of(exposed(type, name, samples)).at(1);
}

TEST(MetricPoints, counter_is_a_monotonic_sum_since_the_start_of_the_engine) {
  const json found =
      metric_of("counter", "nexusfix_session_messages_total",
                "nexusfix_session_messages_total{session=\"FIX.4.4:A->B\",direction=\"in\"} 7\n");
  EXPECT_EQ(found["name"], "nexusfix.session.messages");
  EXPECT_EQ(found["unit"], "{message}");
  EXPECT_EQ(found["description"], "What it is.");
  EXPECT_EQ(found["sum"]["aggregationTemporality"], 2);
  EXPECT_EQ(found["sum"]["isMonotonic"], true);
  const json& point = found["sum"]["dataPoints"][0];
  EXPECT_EQ(point["startTimeUnixNano"], "1800000000000000000");
  EXPECT_EQ(point["timeUnixNano"], "2000000000000000000");
  EXPECT_EQ(point["asInt"], "7");
  EXPECT_EQ(point["attributes"][0], json::parse(R"({"key":"fix.session",
            "value":{"stringValue":"FIX.4.4:A->B"}})"));
  EXPECT_EQ(point["attributes"][1]["key"], "fix.direction");
}

TEST(MetricPoints, gauge_of_a_time_is_in_seconds_and_no_integer) {
  const json found = metric_of("gauge", "nexusfix_session_unsent_seconds",
                               "nexusfix_session_unsent_seconds{session=\"S\"} 2\n");
  EXPECT_EQ(found["name"], "nexusfix.session.unsent");
  EXPECT_EQ(found["unit"], "s");
  EXPECT_EQ(found["gauge"]["dataPoints"][0]["asDouble"], 2.0);
  EXPECT_FALSE(found["gauge"]["dataPoints"][0].contains("startTimeUnixNano"));
}

TEST(MetricPoints, histogram_has_explicit_bounds_and_counts_of_each_bucket) {
  const json found =
      metric_of("histogram", "nexusfix_loop_receive_to_sent_seconds",
                "nexusfix_loop_receive_to_sent_seconds_bucket{loop=\"0\",le=\"0.1\"} 2\n"
                "nexusfix_loop_receive_to_sent_seconds_bucket{loop=\"0\",le=\"0.2\"} 5\n"
                "nexusfix_loop_receive_to_sent_seconds_bucket{loop=\"0\",le=\"+Inf\"} 6\n"
                "nexusfix_loop_receive_to_sent_seconds_sum{loop=\"0\"} 1.5\n"
                "nexusfix_loop_receive_to_sent_seconds_count{loop=\"0\"} 6\n"
                "nexusfix_loop_receive_to_sent_seconds_bucket{loop=\"1\",le=\"+Inf\"} 0\n"
                "nexusfix_loop_receive_to_sent_seconds_count{loop=\"1\"} 0\n");
  EXPECT_EQ(found["name"], "nexusfix.loop.receive_to_sent");
  const json& points = found["histogram"]["dataPoints"];
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0]["explicitBounds"], json::parse("[0.1,0.2]"));
  EXPECT_EQ(points[0]["bucketCounts"], json::parse(R"(["2","3","1"])"));
  EXPECT_EQ(points[0]["count"], "6");
  EXPECT_EQ(points[0]["sum"], 1.5);
  EXPECT_EQ(points[1]["attributes"][0]["key"], "nexusfix.loop");
  EXPECT_EQ(points[1]["bucketCounts"], json::parse(R"(["0"])"));
}

// Every metric of this engine and its port.
TEST(MetricPoints, each_metric_of_an_engine_has_a_name_and_a_unit_of_its_own) {
  engine::EngineStatistics engine;
  engine.started = kAsked;
  engine.taken_at = kAsked;
  engine.loops.emplace_back();
  engine.sessions.emplace_back().name = "FIX.4.4:A->B";
  const std::string text = metrics::to_prometheus(engine);
  std::set<std::string> names;
  for (const json& one : metrics_of(text)) {
    const std::string name = one["name"];
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_THAT(name, ::testing::StartsWith("nexusfix."));
    EXPECT_THAT(name, ::testing::Not(::testing::EndsWith("_total")));
    const std::string unit = one["unit"];
    EXPECT_TRUE(unit.empty() || unit == "s" || unit == "By" || unit.front() == '{') << name << unit;
  }
  EXPECT_GT(names.size(), 40U);
}

TEST(MetricPoints, labels_of_a_hostile_counterparty_stay_values) {
  const json found = metric_of("gauge", "nexusfix_session_logged_on",
                               "nexusfix_session_logged_on{session=\"a\\\"}\\\\b\\nc,d=\"} 1\n");
  EXPECT_EQ(found["gauge"]["dataPoints"][0]["attributes"][0]["value"]["stringValue"],
            "a\"}\\b\nc,d=");
}

TEST(MetricPoints, large_answer_is_cut_into_parts_between_metrics) {
  std::string text{kStart};
  for (int metric = 0; metric < 30; ++metric) {
    const std::string name = "nexusfix_m" + std::to_string(metric);
    text += "# TYPE " + name + " gauge\n";
    for (int i = 0; i < 500; ++i) text += name + "{session=\"S" + std::to_string(i) + "\"} 1\n";
  }
  const auto parts = to_metric_parts(text, kAsked, kBefore);
  ASSERT_TRUE(parts);
  EXPECT_GT(parts->size(), 1U);
  std::uint64_t points = 0;
  for (const MetricPart& one : *parts) {
    EXPECT_LE(one.text.size(), kMetricPartBytes + (256U << 10U));
    EXPECT_FALSE(json::parse('[' + one.text + ']').empty());
    points += one.points;
  }
  EXPECT_EQ(points, 30U * 500U + 1);
}

TEST(MetricPoints, what_is_no_text_of_prometheus_is_refused_with_its_line) {
  for (const std::string_view bad :
       {"<html>\n", "nexusfix_a\n", "nexusfix_a{\n", "nexusfix_a{x} 1\n", "nexusfix_a{x=\"1} 1\n",
        "nexusfix_a 1x\n", "{} 1\n", "nexusfix_a{x=\"\\", "# TYPE \n"}) {
    const auto parts = to_metric_parts(std::string{kStart} + std::string{bad}, kAsked, kBefore);
    ASSERT_FALSE(parts) << bad;
    EXPECT_THAT(parts.error(), HasSubstr("line 4"));
  }
  EXPECT_FALSE(to_metric_parts("", kAsked, kBefore));
  EXPECT_FALSE(to_metric_parts("# a comment\n", kAsked, kBefore));
}

TEST(MetricPoints, other_types_and_values_that_are_not_finite_are_left_out) {
  const json found = metrics_of(std::string{kStart} +
                                "# TYPE a summary\na 1\n# TYPE b gauge\nb NaN\nb{x=\"1\"} +Inf\n"
                                "# TYPE c gauge\nc 1 1700000000000\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1]["name"], "c");
}

TEST(MetricPoints, own_metrics_are_metrics) {
  const json up = json::parse(gauge_point("nexusfix.up", "Whether.", 1, kAsked));
  EXPECT_EQ(up["gauge"]["dataPoints"][0]["asInt"], "1");
  const json dropped = json::parse(dropped_points(3, 4, kAsked, kBefore));
  EXPECT_EQ(dropped["sum"]["dataPoints"][0]["asInt"], "3");
  EXPECT_EQ(dropped["sum"]["dataPoints"][1]["asInt"], "4");
  EXPECT_EQ(dropped["sum"]["dataPoints"][1]["attributes"][0]["value"]["stringValue"], "logs");
}

}  // namespace
}  // namespace nexusfix::stream
