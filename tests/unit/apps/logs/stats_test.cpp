#include "nexusfix/logs/stats/stats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "nexusfix/logs/stats/latency_histogram.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"
#include "support/output_text.hpp"

namespace nexusfix::command {
namespace {

using testing::fix;
using ::testing::HasSubstr;

class Stats : public ::testing::Test {
 protected:
  // A line of the venue's log. second: of 10:30.
  void add(const std::string& second, const std::string& sender, const std::string& target,
           const std::string& number, const std::string& type, const std::string& body = {}) {
    const std::string time = "20240115-10:30:" + second;
    text_ += time + " : " +
             fix("FIX.4.4", "35=" + type + "|34=" + number + "|49=" + sender + "|52=" + time +
                                "|56=" + target + "|" + body) +
             "\n";
  }
  int run(StatsOptions options) {
    disk_.set_contents("log", text_);
    options.input.files = {"log"};
    return stats_files(options, disk_, {out_.stream(), err_.stream()});
  }
  nlohmann::json json() {
    const std::size_t before = out_.text().size();
    EXPECT_EQ(run({.is_json = true}), kSuccess);
    return nlohmann::json::parse(out_.text().substr(before));
  }

  std::string text_;
  testing::FakeDisk disk_;
  testing::OutputText out_;
  testing::OutputText err_;
};

TEST_F(Stats, has_no_busiest_second_without_a_message_with_a_time) {
  text_ = fix("FIX.4.4", "35=0|");
  EXPECT_TRUE(json()["busiest_second"].is_null());
}

TEST_F(Stats, counts_gaps_duplicates_resends_and_resets) {
  add("00", "T", "V", "1", "A");
  add("01", "T", "V", "2", "0");
  add("02", "T", "V", "5", "0");           // 3 and 4 are missing
  add("03", "T", "V", "3", "D", "43=Y|");  // and come
  add("04", "T", "V", "4", "4", "43=Y|36=6|");
  add("05", "T", "V", "5", "0");  // again without PossDupFlag
  add("06", "T", "V", "6", "4", "123=Y|36=9|");
  add("07", "T", "V", "9", "0");
  add("08", "T", "V", "1", "A", "141=Y|");
  const auto session = json()["sessions"][0];
  EXPECT_EQ(session["gaps"], 1);
  EXPECT_EQ(session["missing"], 0);
  EXPECT_EQ(session["resends"], 2);
  EXPECT_EQ(session["duplicates"], 1);
  EXPECT_EQ(session["resets"], 1);
  EXPECT_EQ(session["messages"], 9);
  EXPECT_EQ(session["types"]["0"], 4);
}

TEST_F(Stats, misses_a_number_until_it_comes_whatever_is_resent) {
  for (const char* const number : {"1", "2", "4", "5"}) add("00", "T", "V", number, "0");
  add("01", "T", "V", "4", "0", "43=Y|");
  add("01", "T", "V", "5", "0", "43=Y|");
  add("01", "T", "V", "5", "0", "43=Y|");
  auto session = json()["sessions"][0];
  EXPECT_EQ(session["missing"], 1);
  EXPECT_EQ(session["resends"], 3);
  add("02", "T", "V", "3", "0", "43=Y|");
  add("02", "T", "V", "3", "0", "43=Y|");
  EXPECT_EQ(json()["sessions"][0]["missing"], 0);
}

TEST_F(Stats, takes_a_number_that_comes_late_for_no_duplicate) {
  for (const char* const number : {"1", "2", "5", "6", "8", "4", "3"}) {
    add("00", "T", "V", number, "0");
  }
  auto session = json()["sessions"][0];
  EXPECT_EQ(session["gaps"], 2);
  EXPECT_EQ(session["missing"], 1);
  EXPECT_EQ(session["duplicates"], 0);
  add("01", "T", "V", "4", "0");
  EXPECT_EQ(json()["sessions"][0]["duplicates"], 1);
}

TEST_F(Stats, fills_the_numbers_of_a_gap_up_to_new_seq_no) {
  for (const char* const number : {"1", "10", "20", "30"}) add("00", "T", "V", number, "0");
  add("01", "T", "V", "5", "4", "43=Y|123=Y|36=25|");
  EXPECT_EQ(json()["sessions"][0]["missing"], 3 + 5);  // 2 to 4, 25 to 29
  add("02", "T", "V", "2", "4", "43=Y|123=Y|36=40|");
  add("03", "T", "V", "40", "0");
  const auto session = json()["sessions"][0];
  EXPECT_EQ(session["missing"], 0);
  EXPECT_EQ(session["gaps"], 3);
}

TEST_F(Stats, counts_resends_that_come_before_the_next_new_message) {
  for (const char* const number : {"1", "2"}) add("00", "T", "V", number, "0");
  add("01", "T", "V", "3", "D", "43=Y|");
  add("01", "T", "V", "4", "4", "43=Y|123=Y|36=6|");
  add("02", "T", "V", "6", "0");
  const auto session = json()["sessions"][0];
  EXPECT_EQ(session["missing"], 0);
  EXPECT_EQ(session["gaps"], 0);
}

TEST_F(Stats, fills_no_gap_from_before_a_reset) {
  for (const char* const number : {"1", "5", "1", "2", "6", "3"}) add("00", "T", "V", number, "0");
  const auto session = json()["sessions"][0];
  EXPECT_EQ(session["missing"], 3 + 2);  // 2 to 4, then 4 and 5
  EXPECT_EQ(session["resets"], 1);
}

// More gaps than are kept open: the older ones stay missing.
TEST_F(Stats, keeps_a_thousand_gaps_open) {
  for (int number = 1; number <= 2003; number += 2)
    add("00", "T", "V", std::to_string(number), "0");
  EXPECT_EQ(json()["sessions"][0]["missing"], 1001);
  for (int number = 2002; number >= 2; number -= 2)
    add("01", "T", "V", std::to_string(number), "0");
  const auto session = json()["sessions"][0];
  EXPECT_EQ(session["missing"], 1);
  EXPECT_EQ(session["duplicates"], 1);
}

TEST_F(Stats, keeps_the_parts_of_a_gap_within_the_same_limit) {
  add("00", "T", "V", "1", "0");
  add("00", "T", "V", "4004", "0");
  for (int number = 3; number <= 4001; number += 2) {
    add("01", "T", "V", std::to_string(number), "0", "43=Y|");
  }
  for (int number = 2; number <= 4002; number += 2) {
    add("02", "T", "V", std::to_string(number), "0", "43=Y|");
  }
  add("03", "T", "V", "4003", "0", "43=Y|");
  EXPECT_EQ(json()["sessions"][0]["missing"], 4002 - 2000 - 1000 - 1);
}

TEST_F(Stats, finds_the_busiest_second) {
  add("00", "T", "V", "1", "0");
  add("01", "T", "V", "2", "0");
  add("01.5", "V", "T", "1", "0");
  add("02", "T", "V", "3", "0");
  const auto result = json();
  EXPECT_EQ(result["busiest_second"]["messages"], 2);
  EXPECT_EQ(result["busiest_second"]["time"], "2024-01-15 10:30:01");
}

TEST_F(Stats, measures_orders_and_other_requests_apart) {
  add("00.000", "T", "V", "1", "D", "11=A1|");
  add("00.010", "V", "T", "1", "8", "11=A1|37=X|39=0|150=0|");
  add("00.500", "V", "T", "2", "8", "11=A1|37=X|39=2|150=F|");
  add("01.000", "T", "V", "2", "F", "11=A2|41=A1|");
  add("01.020", "V", "T", "3", "9", "11=A2|41=A1|39=2|102=0|58=too late|");
  add("02.000", "T", "V", "3", "D", "11=A3|");
  const auto result = json();
  EXPECT_EQ(result["order_to_first_report"]["count"], 1);
  EXPECT_EQ(result["order_to_first_report"]["max_ns"], 10'000'000);
  EXPECT_EQ(result["request_to_ack"]["count"], 1);
  EXPECT_EQ(result["request_to_ack"]["max_ns"], 20'000'000);
  EXPECT_EQ(result["orders"]["new"], 2);
  EXPECT_EQ(result["orders"]["filled"], 1);
  EXPECT_EQ(result["orders"]["fills"], 1);
  EXPECT_EQ(result["orders"]["unanswered"], 1);
  EXPECT_EQ(result["rejects"][0]["kind"], "cancel rejected");
  EXPECT_EQ(result["rejects"][0]["text"], "too late");
}

TEST_F(Stats, names_the_message_that_was_rejected) {
  const std::string first_line_prefix = "20240115-10:30:00 : ";
  add("00", "T", "V", "7", "D", "11=A1|");
  const std::size_t second = text_.size() + first_line_prefix.size();
  add("01", "V", "T", "3", "3", "45=7|371=55|373=1|58=Symbol is missing|");
  add("02", "V", "T", "4", "3", "45=8|371=55|373=1|58=Symbol is missing|");
  const auto reject = json()["rejects"][0];
  EXPECT_EQ(reject["count"], 2);
  EXPECT_EQ(reject["first_id"], "7");
  EXPECT_EQ(reject["rejected"]["offset"], first_line_prefix.size());
  EXPECT_EQ(reject["first"]["offset"], second);
  EXPECT_EQ(reject["reason_name"], "REQUIRED_TAG_MISSING");
}

TEST_F(Stats, names_the_order_that_was_rejected_also_in_another_file) {
  add("00", "T", "V", "7", "D", "11=A1|");
  disk_.set_contents("orders.log", text_);
  text_.clear();
  add("01", "V", "T", "3", "8", "11=A1|39=8|150=8|103=2|58=closed|");
  disk_.set_contents("reports.log", text_);
  StatsOptions options;
  options.input.files = {"orders.log", "reports.log"};
  EXPECT_EQ(stats_files(options, disk_, {out_.stream(), err_.stream()}), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("order rejected, reason 2 (EXCHANGE_CLOSED): closed\n"));
  EXPECT_THAT(out_.text(),
              HasSubstr("first at byte 20 of reports.log, of A1 at byte 20 of orders.log\n"));
}

TEST_F(Stats, counts_the_quantity_of_orders_and_of_fills) {
  add("00", "T", "V", "1", "D", "11=A1|38=100|");
  add("00", "T", "V", "2", "D", "11=A2|38=50.5|");
  add("01", "V", "T", "1", "8", "11=A1|37=X|39=1|150=F|32=40|38=100|");
  add("01", "V", "T", "2", "8", "11=A1|37=X|39=2|150=F|32=60|38=100|");
  // The answer to an OrderStatusRequest is no execution, nor are these in other forms.
  add("02", "V", "T", "3", "8", "11=A1|37=X|39=2|150=I|32=60|38=100|");
  add("02", "V", "T", "4", "8", "11=A1|37=X|39=2|20=3|32=60|38=100|");
  add("02", "V", "T", "5", "8", "11=A1|37=X|39=1|150=F|20=1|32=60|38=100|");
  // Nor is a correction or a restatement another filled order.
  add("02", "V", "T", "6", "8", "11=A1|37=X|39=2|150=G|32=60|38=100|");
  add("02", "V", "T", "7", "8", "11=A1|37=X|39=2|150=D|38=100|");
  // FIX 4.0 has no ExecType.
  add("03", "V", "T", "8", "8", "11=A2|37=Y|39=0|20=0|32=0|38=50.5|");
  add("03", "V", "T", "9", "8", "11=A2|37=Y|39=1|20=0|32=0.5|38=50.5|");
  const auto orders = json()["orders"];
  EXPECT_EQ(orders["ordered_quantity"], 150.5);
  EXPECT_EQ(orders["filled_quantity"], 100.5);
  EXPECT_EQ(orders["fills"], 3);
  EXPECT_EQ(orders["filled"], 1);
}

// The quantity after replaces counts, and so does an order from before the log.
TEST_F(Stats, has_a_fill_ratio_of_the_orders_that_ended) {
  add("00", "T", "V", "1", "D", "11=A1|38=100|");
  add("01", "T", "V", "2", "G", "11=A2|41=A1|38=500|");
  add("01", "V", "T", "1", "8", "11=A2|41=A1|37=X|39=0|150=5|38=500|14=0|151=500|");
  add("02", "V", "T", "2", "8", "11=A2|37=X|39=2|150=F|38=500|14=500|151=0|32=500|");
  add("03", "V", "T", "3", "8", "11=B|37=Y|39=2|150=2|38=50|32=50|14=50|151=0|");
  add("04", "V", "T", "4", "8", "11=C|37=Z|39=4|150=4|38=50|14=10|151=0|");
  add("05", "V", "T", "5", "8", "11=D|37=W|39=C|150=C|38=100|14=0|151=0|");
  add("06", "V", "T", "6", "8", "11=E|37=V|39=8|150=8|38=100|14=0|151=0|");
  // These do not end one.
  add("07", "T", "V", "3", "D", "11=F|38=1000|");
  add("07", "V", "T", "7", "8", "11=F|37=U|39=1|150=F|38=1000|14=10|151=990|32=10|");
  add("08", "V", "T", "8", "8", "11=A2|37=X|39=2|150=D|38=500|14=500|151=0|");
  add("08", "V", "T", "9", "8", "11=C|37=Z|39=4|150=I|38=50|14=10|151=0|");
  const auto orders = json()["orders"];
  EXPECT_EQ(orders["ended_quantity"], 800);
  EXPECT_EQ(orders["ended_filled_quantity"], 560);
  EXPECT_EQ(orders["filled"], 2);
  EXPECT_EQ(orders["canceled"], 1);
  EXPECT_EQ(orders["expired"], 1);
  EXPECT_EQ(orders["rejected"], 1);
  EXPECT_EQ(run({}), kSuccess);
  EXPECT_THAT(out_.text(),
              HasSubstr("560  filled of the quantity 800 of the orders that ended, 70.0 %"));
  EXPECT_THAT(out_.text(), HasSubstr("2  filled, 40.0 % of the orders that ended"));
}

TEST_F(Stats, prints_tables_for_people) {
  add("00", "T", "V", "1", "D", "11=A1|38=100|");
  add("01", "V", "T", "1", "8", "11=A1|38=100|14=0|39=8|150=8|103=1|58=\x1b[2Jno|");
  EXPECT_EQ(run({}), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("2 messages, "));
  EXPECT_THAT(out_.text(), HasSubstr("NewOrderSingle (D)"));
  EXPECT_THAT(out_.text(), HasSubstr("T -> V"));
  EXPECT_THAT(out_.text(), HasSubstr("order rejected, reason 1 (UNKNOWN_SYMBOL): \\x1b[2Jno"));
  EXPECT_THAT(out_.text(), HasSubstr("of A1"));
  EXPECT_THAT(out_.text(),
              HasSubstr("0  filled of the quantity 100 of the orders that ended, 0.0 %"));
  EXPECT_THAT(out_.text(), HasSubstr("From a new order to its first report, 1 time\n  p50 1.0"));
}

TEST_F(Stats, counts_only_what_an_expression_selects) {
  add("00", "T", "V", "1", "D", "11=A1|");
  add("01", "V", "T", "1", "0");
  EXPECT_EQ(run({.expression = "MsgType=D", .is_json = true}), kSuccess);
  EXPECT_EQ(nlohmann::json::parse(out_.text())["messages"], 1);
  EXPECT_EQ(run({.expression = "Nosuch=D"}), kUsage);
}

TEST_F(Stats, fails_without_messages) {
  text_ = "nothing\n";
  EXPECT_EQ(run({}), kFailure);
  EXPECT_THAT(err_.text(), HasSubstr("no message"));
}

TEST_F(Stats, bounds_what_hostile_messages_make_it_keep) {
  for (int i = 0; i < 3000; ++i) {
    const std::string id = std::to_string(i);
    add("00", "S" + id, "V", "1", "X" + id, "11=A|");
    add("00", "S", "V", id, "Y" + id, "11=" + id + "|");
  }
  const auto result = json();
  EXPECT_EQ(result["messages"], 6000);
  EXPECT_EQ(result["sessions"].size(), 3001U);
  EXPECT_LE(result["sessions"][0]["types"].size(), 501U);
}

TEST(LatencyHistogram, has_percentiles_within_three_percent) {
  logs::LatencyHistogram histogram;
  for (int i = 1; i <= 10'000; ++i) histogram.add(std::chrono::microseconds{i});
  EXPECT_EQ(histogram.count(), 10'000U);
  for (const double share : {0.001, 0.5, 0.9, 0.99, 1.0}) {
    const double expected = share * 10'000'000;
    const auto found = static_cast<double>(histogram.percentile(share).count());
    EXPECT_GE(found, expected * 0.999);
    EXPECT_LE(found, expected * 1.035);
  }
  EXPECT_EQ(histogram.max(), std::chrono::milliseconds{10});
  histogram.add(std::chrono::nanoseconds{-5});  // clocks may differ
  histogram.add(std::chrono::nanoseconds::max());
  EXPECT_EQ(histogram.percentile(1.0), std::chrono::nanoseconds::max());
}

}  // namespace
}  // namespace nexusfix::command
