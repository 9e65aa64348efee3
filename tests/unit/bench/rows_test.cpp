// Row names are a contract: two reports can be compared, because both have the same rows.
#include <algorithm>
#include <gmock/gmock.h>
#include <set>
#include <stdexcept>

#include "bench/compare/reference.hpp"
#include "bench/messages/messages.hpp"
#include "bench/module.hpp"
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

constexpr const char* kContract[] = {"parse/ExecutionReport",
                                     "parse/Heartbeat",
                                     "parse/NewOrderSingle",
                                     "parse/MarketDataSnapshot-100",
                                     "parse/MarketDataSnapshot-5000",
                                     "parse/flow",
                                     "parse/one-sequence",
                                     "parse/published",
                                     "parse/ExecutionReport-slow-path",
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
                                     "draft/build",
                                     "draft/amend",
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
                                     "store/open-10M-killed",
                                     "store/range-scan",
                                     "store/random-read",
                                     "typed-read/one-sequence",
                                     "validate/flow",
                                     "validate/one-sequence",
                                     "inside",
                                     "inside/one-shape",
                                     "inside/requests",
                                     "inside/scratch",
                                     "inside/live",
                                     "inside/live-one-shape",
                                     "inside/inbound",
                                     "inside/logs",
                                     "store/append-process-inbound",
                                     "inside/remote",
                                     "rtt/spin",
                                     "rtt/one-shape",
                                     "rtt/timestamps",
                                     "rtt/remote",
                                     "rtt/block",
                                     "rtt/sleep",
                                     "throughput/one-way",
                                     "throughput/orders",
                                     "throughput/one-shape",
#ifdef NEXUSFIX_BENCH_GATEWAY
                                     "gateway/ring",
                                     "gateway/shm",
                                     "gateway/socket",
#endif
#ifdef NEXUSFIX_BENCH_WEB
                                     "gateway/websocket",
#endif
                                     "hardened/parse",
                                     "hardened/encode",
                                     "hardened/inside",
#ifdef NEXUSFIX_BENCH_TLS
                                     "rtt/tls-spin",
                                     "tls/handshakes",
#endif
                                     "sessions/1",
                                     "sessions/10",
                                     "sessions/100",
                                     "sessions/1000",
                                     "sessions/10000",
                                     "sessions/configured-100",
                                     "sessions/configured-1000",
                                     "sessions/configured-10000",
                                     "sessions/configured-100000",
                                     "sessions/loops-1000",
                                     "sessions/loops-10000"};

TEST(RowsTest, every_name_of_the_contract_exists) {
  const std::set<std::string> names = names_of(all_rows(Amount::Quick));
  for (const char* name : kContract) {
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

TEST(RowsTest, rows_of_the_parser_have_the_reference_as_a_peer) {
  const auto all = subjects();
  for (const Row& row : all_rows(Amount::Quick)) {
    if (!row.spec.name.starts_with("parse")) continue;
    const Plan plan = row.plan(all);
    EXPECT_GT(plan.bytes, 0) << row.spec.name;
    // The reference does not support data fields.
    if (row.spec.name.starts_with("parse/data")) continue;
    ASSERT_EQ(plan.contestants.size(), 2U) << row.spec.name;
    EXPECT_EQ(plan.contestants.back().first, "reference") << row.spec.name;
  }
}

std::vector<Row> rows_of(std::string_view name, const std::string& hardened_module = {}) {
  std::vector<Row> rows = all_rows(Amount::Quick, hardened_module);
  std::erase_if(rows, [&](const Row& row) { return !row.spec.name.starts_with(name); });
  return rows;
}

#ifdef NEXUSFIX_BENCH_TLS
TEST(RowsTest, rows_with_tls_say_that_the_peer_has_the_same_protection) {
  const auto all = subjects();
  std::vector<Row> rows = rows_of("rtt/tls");
  for (Row& row : rows_of("tls/")) rows.push_back(std::move(row));
  EXPECT_EQ(rows.size(), 2U);
  for (const Row& row : rows) {
    const Plan plan = row.plan(all);
    constexpr std::string_view kOurs = "NexusFIX: ";
    constexpr std::string_view kPeers = "; bare TLS: ";
    const std::size_t ours = plan.note.find(kOurs);
    const std::size_t peers = plan.note.find(kPeers);
    ASSERT_TRUE(ours < peers && peers != std::string::npos) << plan.note;
    const std::string protection =
        plan.note.substr(ours + kOurs.size(), peers - ours - kOurs.size());
    EXPECT_TRUE(protection.starts_with("TLSv1.3, TLS_")) << plan.note;
    EXPECT_EQ(plan.note.substr(peers + kPeers.size()), protection);
  }
}
#endif

TEST(RowsTest, without_a_hardened_build_its_rows_say_how_to_add_it) {
  const auto all = subjects();
  for (const Row& row : rows_of("hardened/")) {
    const Plan plan = row.plan(all);
    EXPECT_EQ(plan.contestants.size(), 1U);
    EXPECT_THAT(plan.note, ::testing::HasSubstr("--hardened"));
  }
}

TEST(RowsTest, module_of_a_build_does_its_jobs_next_to_this_one) {
  const Module module = open_module(NEXUSFIX_BENCH_MODULE);
  const Messages messages = execution_reports();
  EXPECT_EQ(module.subject->parse(messages)->check(), "");
  EXPECT_EQ(make_nexusfix_subject()->parse(messages)->check(), "");
  const auto inside = module.subject->inside();
  EXPECT_EQ(inside->check(), "");
  EXPECT_EQ(make_nexusfix_subject()->inside()->check(), "");
  inside->prepare();
  EXPECT_EQ(inside->check(), "");
}

// In a hardened build, its own module is hardened.
TEST(RowsTest, module_is_compared_with_only_if_it_is_hardened) {
  const bool is_hardened = !open_module(NEXUSFIX_BENCH_MODULE).hardening.empty();
  try {
    const std::vector<Row> rows = rows_of("hardened/", NEXUSFIX_BENCH_MODULE);
    EXPECT_TRUE(is_hardened);
    EXPECT_EQ(rows.size(), 3U);
    const auto all = subjects();
    for (const Row& row : rows) {
      const Plan plan = row.plan(all);
      ASSERT_EQ(plan.contestants.size(), 2U);
      EXPECT_EQ(plan.contestants.back().first, "NexusFIX hardened");
      EXPECT_EQ(plan.contestants.back().second->check(), "");
    }
  } catch (const std::runtime_error& error) {
    EXPECT_FALSE(is_hardened);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("of a build that is not hardened"));
  }
}

TEST(RowsTest, file_that_is_no_module_is_refused) {
  EXPECT_THROW((void)all_rows(Amount::Quick, "/dev/null"), std::runtime_error);
  EXPECT_THROW((void)all_rows(Amount::Quick, "no-such-file.so"), std::runtime_error);
}

}  // namespace
}  // namespace nexusfix::bench
