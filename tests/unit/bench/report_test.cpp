#include "bench/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <tuple>

#include "bench/report/report_chart.hpp"
#include "bench/report/report_growth.hpp"
#include "bench/report/report_published.hpp"

namespace nexusfix::bench {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

Figures figures_of(double ns) {
  return {.p50 = ns,
          .p99 = ns * 2,
          .p999 = ns * 3,
          .min = ns / 2,
          .max = ns * 4,
          .percentiles = {ns * 0.75, ns},
          .single_calls = 100,
          .batch = ns,
          .batch_median = ns * 1.1,
          .batch_best = ns * 0.9,
          .batches = 10,
          .batch_calls = 64};
}

RowReport parse_row() {
  return {.spec = {.name = "parse/X", .purpose = "a <b>", .published = 246, .budget = 17},
          .bytes = 200,
          .ours = {"NexusFIX", figures_of(20)},
          .peers = {{"QuickFIX", figures_of(1000)}, {"reference", figures_of(500)}}};
}

Report report_of(std::vector<RowReport> rows) {
  Report report;
  report.date = "2026-11-23";
  report.machine.cpu = "CPU \"A\"";
  report.timer = {.ns_per_tick = 0.5, .cost_ns = 20, .cost_min_ns = 19, .step_ns = 10};
  report.rows = std::move(rows);
  return report;
}

TEST(ReportTest, rates_follow_from_the_batch_figure) {
  const RowReport row = parse_row();
  EXPECT_DOUBLE_EQ(row.operations_per_second(), 50e6);
  EXPECT_DOUBLE_EQ(row.megabytes_per_second().value_or(0), 10'000);
  EXPECT_DOUBLE_EQ(times_faster(row, row.peers[0]), 50);
  RowReport without_bytes = row;
  without_bytes.bytes = 0;
  EXPECT_FALSE(without_bytes.megabytes_per_second());
}

TEST(ReportTest, a_budget_is_kept_up_to_its_own_value) {
  RowReport row = parse_row();
  EXPECT_FALSE(within_budget(row));
  row.spec.budget = 20;
  EXPECT_TRUE(within_budget(row));
  row.spec.budget = {};
  EXPECT_TRUE(within_budget(row));
}

TEST(ReportTest, a_budget_may_be_a_multiple_of_the_devices_time) {
  RowReport row = parse_row();
  row.spec.budget = {};
  row.spec.budget_of_device = 1.1;
  EXPECT_FALSE(budget_of(row));  // no device was measured
  EXPECT_TRUE(within_budget(row));
  row.peers[1] = {"device", figures_of(10)};
  EXPECT_DOUBLE_EQ(budget_of(row).value_or(0), 11);
  EXPECT_FALSE(within_budget(row));
  row.ours = {"NexusFIX", figures_of(10.9)};
  EXPECT_TRUE(within_budget(row));
}

TEST(ReportTest, a_budget_of_the_99th_percentile_is_checked_in_addition) {
  RowReport row = parse_row();
  row.spec.budget = 20;
  row.spec.budget_p99 = row.ours.figures.p99;
  EXPECT_TRUE(within_budget(row));
  row.spec.budget_p99 = row.ours.figures.p99 - 1;
  EXPECT_FALSE(within_budget(row));
}

TEST(ReportTest, of_a_rate_more_is_better) {
  RowReport row = parse_row();
  row.spec.unit = Unit::GigabytesPerSecond;
  row.ours.figures.batch = 10;
  row.peers[0].figures.batch = 0.5;
  row.spec.budget = 9;
  EXPECT_TRUE(within_budget(row));
  EXPECT_DOUBLE_EQ(times_faster(row, row.peers[0]), 20);
  EXPECT_DOUBLE_EQ(row.operations_per_second(), 50e6);  // 200 bytes each
}

TEST(ReportTest, a_call_of_several_operations_is_divided_among_them) {
  const Figures f =
      in_unit(figures_of(80), {.name = "x", .purpose = "x", .published = {}, .budget = {}}, 8, 0);
  EXPECT_DOUBLE_EQ(f.p50, 10);
  EXPECT_DOUBLE_EQ(f.batch, 10);
  EXPECT_DOUBLE_EQ(f.max, 40);
  EXPECT_DOUBLE_EQ(f.percentiles[1], 10);
  EXPECT_EQ(f.single_calls, 100U);
}

TEST(ReportTest, times_become_gigabytes_per_second_and_the_longest_the_smallest) {
  const RowSpec spec{
      .name = "x", .purpose = "x", .unit = Unit::GigabytesPerSecond, .published = {}, .budget = {}};
  const Figures f = in_unit(figures_of(1000), spec, 10, 200);  // 100 ns for 200 bytes
  EXPECT_DOUBLE_EQ(f.batch, 2);
  EXPECT_DOUBLE_EQ(f.p99, 1);
  EXPECT_DOUBLE_EQ(f.min, 0.5);
  EXPECT_DOUBLE_EQ(f.max, 4);
}

TEST(ReportTest, times_become_operations_per_second) {
  const RowSpec spec{
      .name = "x", .purpose = "x", .unit = Unit::PerSecond, .published = {}, .budget = {}};
  RowReport row = parse_row();
  row.spec = spec;
  row.ours.figures = in_unit(figures_of(1000), spec, 10, 0);  // 100 ns for one
  EXPECT_DOUBLE_EQ(row.ours.figures.batch, 10e6);
  EXPECT_DOUBLE_EQ(row.ours.figures.p99, 5e6);
  EXPECT_DOUBLE_EQ(row.ours.figures.min, 2.5e6);
  EXPECT_DOUBLE_EQ(row.operations_per_second(), 10e6);
  row.peers[0].figures.batch = 5e6;
  EXPECT_DOUBLE_EQ(times_faster(row, row.peers[0]), 2);
}

// On one line, with a blank where a line ended.
std::string json_line_of(const Report& report) {
  return std::regex_replace(to_json(report), std::regex{"\\n *"}, " ");
}

TEST(ReportTest, json_has_a_row_with_its_figures_and_peers) {
  const std::string json = json_line_of(report_of({parse_row()}));
  EXPECT_THAT(json, HasSubstr(R"("name": "parse/X", "unit": "ns")"));
  EXPECT_THAT(json,
              HasSubstr(R"("p50": 20.0, "p99": 40.0, "p999": 60.0, "min": 10.0, "max": 80.0, )"
                        R"("batch": 20.0, "batch_median": 22.0, "batch_best": 18.0)"));
  EXPECT_THAT(json, HasSubstr(R"("percentiles": { "25": 15.0, "50": 20.0, "75": 0.0,)"));
  EXPECT_THAT(json, HasSubstr(R"("date": "2026-11-23")"));
  EXPECT_THAT(json, HasSubstr(R"("QuickFIX": { "p50": 1000.0)"));
  EXPECT_THAT(json, HasSubstr(R"("reference": { "p50": 500.0)"));
  EXPECT_THAT(json, HasSubstr(R"("messages_per_s": 50000000.0, "mb_per_s": 10000.0)"));
  EXPECT_THAT(json, HasSubstr(R"("published": 246.0, "budget": 17.0, "within_budget": false)"));
  EXPECT_THAT(json, HasSubstr(R"("cpu": "CPU \"A\"")"));
  EXPECT_THAT(json, HasSubstr(R"("cost_ns": 20.0, "cost_min_ns": 19.0, "step_ns": 10.0)"));
}

TEST(ReportTest, unknown_values_are_null) {
  RowReport row = parse_row();
  row.spec.published = {};
  row.spec.budget = {};
  row.bytes = 0;
  row.peers.clear();
  const std::string json = json_line_of(report_of({row}));
  EXPECT_THAT(json, HasSubstr(R"("mb_per_s": null, "message_bytes": null, "published": null, )"
                              R"("budget": null, "within_budget": null)"));
  EXPECT_THAT(json, HasSubstr(R"("peers": {})"));
  EXPECT_THAT(json, HasSubstr(R"("commit": null)"));
}

TEST(ReportTest, a_page_needs_no_network_and_escapes_what_it_shows) {
  Report report = report_of({parse_row()});
  report.failures = {"parse/Y, QuickFIX: <wrong>"};
  const std::string html = to_html(report);
  EXPECT_THAT(html, HasSubstr("<svg"));
  EXPECT_THAT(html, HasSubstr("parse/X"));
  EXPECT_THAT(html, HasSubstr("a &lt;b&gt;"));
  EXPECT_THAT(html, HasSubstr("&lt;wrong&gt;"));
  EXPECT_THAT(html, HasSubstr("CPU &quot;A&quot;"));
  for (const char* foreign : {"http:", "https:", "<script", "@import", "url("}) {
    EXPECT_THAT(html, Not(HasSubstr(foreign)));
  }
}

TEST(ReportTest, reports_without_rows_or_peers_can_be_written) {
  EXPECT_THAT(to_html(report_of({})), HasSubstr("</html>"));
  EXPECT_THAT(to_json(report_of({})), HasSubstr("\"rows\": []"));
}

TEST(ReportTest, a_bar_is_longer_for_a_larger_value) {
  const Chart chart = bar_chart({{"a", {{"ours", 10, "10"}}, {}}, {"b", {{"ours", 99, "99"}}, {}}});
  const auto width_of = [&](std::size_t from) {
    const std::size_t at = chart.elements.find(" width=\"", from) + 8;
    return std::make_pair(std::stod(chart.elements.substr(at)), at);
  };
  const auto [first, at] = width_of(chart.elements.find("<rect"));
  const auto [second, end] = width_of(chart.elements.find("<rect", at));
  EXPECT_GT(first, 0);
  EXPECT_GT(second, first);
}

TEST(ReportTest, the_table_marks_a_missed_budget_and_shows_both_peers) {
  RowReport row = parse_row();
  EXPECT_THAT(table_line(row), HasSubstr("missed"));
  EXPECT_THAT(table_line(row), HasSubstr("50.0x"));
  EXPECT_THAT(table_line(row), HasSubstr("25.0x"));
  row.ours.figures.batch = 16;
  EXPECT_THAT(table_line(row), Not(HasSubstr("missed")));
  EXPECT_THAT(table_line(row), HasSubstr("met"));
  row.spec.budget = {};
  EXPECT_THAT(table_line(row), Not(HasSubstr("met")));
}

TEST(ReportTest, each_subject_keeps_the_figures_of_its_own_best_round) {
  RowReport first = parse_row();
  RowReport second = parse_row();
  second.ours.figures.batch = first.ours.figures.batch + 1;
  second.peers[0].figures.batch = first.peers[0].figures.batch - 1;
  const double ours = first.ours.figures.batch;
  const double peer = second.peers[0].figures.batch;
  keep_better(first, second);
  EXPECT_EQ(first.ours.figures.batch, ours);
  EXPECT_EQ(first.peers[0].figures.batch, peer);
}

TEST(ReportTest, ratio_to_a_peer_is_a_limit_of_a_time_and_wanted_of_a_rate) {
  RowReport row = parse_row();
  row.peers = {{"bare", figures_of(19)}};
  row.spec.ratios = {{"bare", 1.1}};
  EXPECT_THAT(table_line(row), HasSubstr("p50 1.05x, 1.1x allowed: met"));
  row.spec.unit = Unit::PerSecond;
  EXPECT_THAT(table_line(row), HasSubstr("p50 1.05x, 1.1x wanted: missed"));
  row.spec.ratios = {{"bare", 0.97}};
  EXPECT_THAT(table_line(row), HasSubstr("p50 1.05x, 0.97x wanted: met"));
}

TEST(ReportTest, of_rates_the_larger_one_is_kept) {
  RowReport first = parse_row();
  first.spec.unit = Unit::GigabytesPerSecond;
  RowReport second = first;
  second.ours.figures.batch = first.ours.figures.batch + 1;
  keep_better(first, second);
  EXPECT_EQ(first.ours.figures.batch, second.ours.figures.batch);
}

TEST(Growth, the_exponent_is_that_of_the_power_law_from_100_sessions_on) {
  GrowthCurve curve{.name = "all live", .figure = "memory", .points = {{10, 900}}};
  EXPECT_FALSE(growth_exponent(curve));
  curve.points.emplace_back(100, 20);
  EXPECT_FALSE(growth_exponent(curve));
  curve.points.emplace_back(10'000, 200);
  EXPECT_NEAR(growth_exponent(curve).value(), 0.5, 1e-9);
  curve.points.emplace_back(100'000, 0);
  EXPECT_FALSE(growth_exponent(curve));
}

TEST(Growth, the_law_is_named_by_the_exponent) {
  EXPECT_EQ(growth_law(-0.5), "falls: sessions share a fixed part");
  EXPECT_EQ(growth_law(-0.1), "constant: linear in all");
  EXPECT_EQ(growth_law(0.1), "constant: linear in all");
  EXPECT_EQ(growth_law(0.3), "grows slowly");
  EXPECT_EQ(growth_law(0.31), "grows: worse than linear in all");
}

TEST(Growth, each_curve_has_a_line_a_chart_and_its_points_in_the_json) {
  Report report;
  EXPECT_EQ(growth_table(report), "");
  for (const double sessions : {1000.0, 100.0}) {
    RowReport row = parse_row();
    row.growth = {.curve = "all live",
                  .sessions = sessions,
                  .live = sessions,
                  .open_us = 50,
                  .memory_kib = 12,
                  .logon_us = 20,
                  .order_us = sessions / 10,
                  .idle_us = 1};
    report.rows.push_back(row);
  }
  EXPECT_THAT(growth_table(report),
              ContainsRegex("CPU of an order, µs\n  all live +100: 10.0, 1k: 100 +"
                            "sessions\\^1.00, grows: worse than linear in all\n"));
  EXPECT_THAT(growth_table(report), ContainsRegex("KiB a session\n  all live .*constant"));
  EXPECT_THAT(to_html(report), HasSubstr("<polyline class=\"range\""));
  EXPECT_THAT(to_json(report), HasSubstr(R"("growth": {)"));
}

TEST(Published, every_figure_names_a_row_and_no_figure_is_twice) {
  std::set<std::string> names;
  for (const Row& row : all_rows(Amount::Quick)) names.insert(row.spec.name);
  std::set<std::tuple<std::string_view, PublishedMetric, double>> seen;
  for (const PublishedFigure& figure : published_figures()) {
    EXPECT_TRUE(names.contains(std::string{figure.row})) << figure.row;
    EXPECT_TRUE(seen.insert({figure.row, figure.metric, figure.first}).second) << figure.row;
  }
}

}  // namespace
}  // namespace nexusfix::bench
