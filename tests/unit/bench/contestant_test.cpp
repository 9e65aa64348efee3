#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/compare/contestant_subject.hpp"
#include "bench/messages/messages.hpp"
#include "bench/nexusfix_subject.hpp"
#include "bench/report/report.hpp"
#include "bench/row.hpp"

namespace nexusfix::bench {
namespace {

std::vector<std::unique_ptr<Subject>> ours_and(const char* contestant) {
  std::vector<std::unique_ptr<Subject>> subjects;
  subjects.push_back(make_nexusfix_subject());
  subjects.push_back(open_contestant(contestant));
  return subjects;
}

// The error of the contestant in a row; "none" if it is not in the row.
std::string error_in(std::string_view row_name, const char* contestant) {
  const auto subjects = ours_and(contestant);
  for (const Row& row : all_rows(Amount::Quick)) {
    if (row.spec.name != row_name) continue;
    const Plan plan = row.plan(subjects);
    if (plan.contestants.size() != 2) return "none";
    EXPECT_EQ(plan.contestants.back().first, "sample");
    return plan.contestants.back().second->check();
  }
  return "no such row";
}

TEST(Contestant, does_its_jobs_beside_ours_and_is_checked) {
  for (const char* const row : {"parse/ExecutionReport", "parse/published", "frame",
                                "encode/NewOrderSingle", "group/MarketDataSnapshot-100"}) {
    EXPECT_EQ(error_in(row, NEXUSFIX_CONTESTANT_RIGHT), "") << row;
    EXPECT_NE(error_in(row, NEXUSFIX_CONTESTANT_WRONG), "") << row;
    EXPECT_NE(error_in(row, NEXUSFIX_CONTESTANT_WRONG), "none") << row;
  }
}

TEST(Contestant, is_left_out_of_rows_that_it_cannot_do) {
  for (const char* const row : {"parse-and-read-4/ExecutionReport", "encode/ExecutionReport"}) {
    EXPECT_EQ(error_in(row, NEXUSFIX_CONTESTANT_RIGHT), "none") << row;
  }
}

TEST(Contestant, runs_and_times_each_call) {
  const auto subjects = ours_and(NEXUSFIX_CONTESTANT_RIGHT);
  const Messages messages = execution_reports();
  const ContestantPtr parse = subjects.back()->parse(messages);
  EXPECT_EQ(parse->inputs(), messages.texts.size());
  parse->run(1'000);
  std::vector<std::uint32_t> ticks(100, 0);
  parse->time_each(ticks.data(), ticks.size());
  EXPECT_THAT(ticks, ::testing::Each(::testing::Gt(0U)));
}

TEST(Contestant, of_another_interface_or_none_is_refused) {
  const auto error_of = [](const std::string& path) -> std::string {
    try {
      static_cast<void>(open_contestant(path));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(
      error_of(NEXUSFIX_CONTESTANT_NEWER),
      ::testing::HasSubstr("has version 4 of the contestants' interface, this program has 3"));
  EXPECT_THAT(error_of(NEXUSFIX_BENCH_MODULE), ::testing::HasSubstr("is no contestant"));
  EXPECT_THAT(error_of("/nowhere.so"), ::testing::HasSubstr("/nowhere.so"));
}

TEST(Contestant, has_a_line_in_the_table_and_the_published_figures) {
  RowReport row{
      .spec = {.name = std::string{kPublishedRow}, .purpose = "", .published = 193, .budget = {}},
      .bytes = 210,
      .ours = {.subject = "NexusFIX", .figures = {}},
      .peers = {{.subject = "Fix8", .figures = {}, .is_external = true}}};
  row.ours.figures.batch = row.ours.figures.p50 = row.ours.figures.p99 = row.ours.figures.min = 10;
  row.peers[0].figures.batch = 80;
  row.peers[0].figures.p50 = 90;
  row.peers[0].figures.p99 = 120;
  row.peers[0].figures.min = 70;
  EXPECT_THAT(table_line(row), ::testing::HasSubstr("\n  Fix8"));
  Report report;
  report.rows.push_back(row);
  const std::string foot = table_foot(report);
  EXPECT_THAT(foot, ::testing::ContainsRegex("P50 +Fix8 1453 +193 +10.0 +Fix8 90.0\n"));
  EXPECT_THAT(foot, ::testing::ContainsRegex("P99 +Fix8 2203 +398 +10.0 +Fix8 120\n"));
  EXPECT_THAT(foot, ::testing::ContainsRegex("minimum +Fix8 1262 +184 +10.0 +Fix8 70.0\n"));
  EXPECT_THAT(foot, ::testing::ContainsRegex("P50 +254 +240 +10.0 +Fix8 90.0\n"));
  EXPECT_THAT(to_html(report), ::testing::HasSubstr("<td>minimum</td><td>Fix8 1262</td>"));
}

}  // namespace
}  // namespace nexusfix::bench
