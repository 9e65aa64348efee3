// Row names are a contract: whoever compares two reports finds the same rows in both.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "bench/compare/reference.hpp"
#include "bench/nexusfix_subject.hpp"
#include "bench/row.hpp"
#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::bench {
namespace {

std::vector<std::unique_ptr<Subject>> subjects() {
  std::vector<std::unique_ptr<Subject>> both;
  both.push_back(make_nexusfix_subject());
  both.push_back(make_reference_subject());
  return both;
}

std::set<std::string> names_of(const std::vector<Row>& rows) {
  std::set<std::string> names;
  for (const Row& row : rows) names.insert(row.spec.name);
  return names;
}

TEST(RowsTest, every_name_of_the_contract_is_there) {
  const std::set<std::string> names = names_of(all_rows(Amount::Quick));
  for (const char* name : {"parse/ExecutionReport",
                           "parse/Heartbeat",
                           "parse/NewOrderSingle",
                           "parse/MarketDataSnapshot-100",
                           "parse/MarketDataSnapshot-5000",
                           "parse/ExecutionReport-unusual",
                           "parse-and-read-4/ExecutionReport",
                           "frame",
                           "lookup",
                           "group/MarketDataSnapshot-100",
                           "group/MarketDataSnapshot-5000",
                           "checksum",
                           "integer",
                           "price",
                           "timestamp",
                           "price/FixedPrice",
                           "integer/text",
                           "price/text",
                           "timestamp/text",
                           "parse/fields-20",
                           "parse/fields-100",
                           "parse/fields-1000",
                           "parse/fields-10000",
                           "parse/data-fields-1000",
                           "parse/long-values-1000",
                           "encode/NewOrderSingle",
                           "encode/ExecutionReport",
                           "stream-parse",
                           "deferred/submit",
                           "deferred/inline",
                           "spsc/push",
                           "spsc/sustained",
                           "log/call",
                           "log/message",
                           "ladder/0",
                           "ladder/1",
                           "ladder/2",
                           "ladder/3",
                           "ladder/4",
                           "ladder/5",
                           "ladder/6",
                           "store/open-10M",
                           "store/range-scan",
                           "store/random-read",
                           "inside",
                           "rtt/spin",
                           "rtt/block",
                           "throughput/one-way",
                           "throughput/orders",
                           "sessions/1",
                           "sessions/10",
                           "sessions/100",
                           "sessions/1000",
                           "sessions/10000"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(RowsTest, no_name_is_used_twice_and_each_row_says_what_it_does) {
  const std::vector<Row> rows = all_rows(Amount::Quick);
  EXPECT_EQ(names_of(rows).size(), rows.size());
  for (const Row& row : rows) EXPECT_FALSE(row.spec.purpose.empty()) << row.spec.name;
}

TEST(RowsTest, there_is_a_row_for_every_kernel_that_this_cpu_can_run) {
  const std::set<std::string> names = names_of(all_rows(Amount::Quick));
  const wire::kernels::KernelList kernels = wire::kernels::all();
  for (std::size_t i = 0; i < kernels.count; ++i) {
    const std::string name = std::string{"kernel/"} + kernels.tables[i]->name + "/ExecutionReport";
    EXPECT_EQ(names.contains(name), kernels.tables[i]->supported()) << name;
  }
}

TEST(RowsTest, every_subject_of_every_row_gives_the_right_answers) {
  const auto all = subjects();
  for (const Row& row : all_rows(Amount::Quick)) {
    Plan plan = row.plan(all);
    ASSERT_FALSE(plan.contestants.empty()) << row.spec.name;
    EXPECT_EQ(plan.contestants.front().first, "NexusFIX") << row.spec.name;
    EXPECT_GT(plan.operations_per_call, 0) << row.spec.name;
    for (const auto& [name, contestant] : plan.contestants) {
      EXPECT_EQ(contestant->check(), "") << row.spec.name << ", " << name;
      const std::size_t inputs = contestant->inputs();
      EXPECT_TRUE(inputs > 0 && (inputs & (inputs - 1)) == 0) << row.spec.name << ": " << inputs;
    }
  }
}

TEST(RowsTest, rows_of_the_parser_have_the_reference_beside_them) {
  const auto all = subjects();
  for (const Row& row : all_rows(Amount::Quick)) {
    if (!row.spec.name.starts_with("parse")) continue;
    const Plan plan = row.plan(all);
    EXPECT_GT(plan.bytes, 0) << row.spec.name;
    if (row.spec.name.starts_with("parse/data")) continue;  // the reference knows no data fields
    ASSERT_EQ(plan.contestants.size(), 2U) << row.spec.name;
    EXPECT_EQ(plan.contestants.back().first, "reference") << row.spec.name;
  }
}

}  // namespace
}  // namespace nexusfix::bench
