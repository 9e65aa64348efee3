#include "logs/stats/stats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "logs/stats/latency_histogram.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"
#include "support/output_text.hpp"

namespace nexusfix::command {
namespace {

using ::testing::ElementsAre;
using testing::fix;
using ::testing::HasSubstr;
using ::testing::Not;

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
  int number_ = 0;
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

TEST_F(Stats, has_no_gap_after_the_resends_with_which_a_log_begins) {
  add("00", "T", "V", "3", "D", "43=Y|");
  add("00", "T", "V", "4", "D", "43=Y|");
  add("01", "T", "V", "10", "0");
  add("02", "T", "V", "12", "0");
  const auto session = json()["sessions"][0];
  EXPECT_EQ(session["gaps"], 1);
  EXPECT_EQ(session["missing"], 1);
  EXPECT_EQ(session["resends"], 2);
}

TEST_F(Stats, fills_no_gap_from_before_a_reset) {
  for (const char* const number : {"1", "5"}) add("00", "T", "V", number, "0");
  add("00", "T", "V", "1", "A", "141=Y|");
  for (const char* const number : {"2", "8", "3"}) add("00", "T", "V", number, "0");
  const auto session = json()["sessions"][0];
  EXPECT_EQ(session["missing"], 3 + 4);  // 2 to 4, then 4 to 7
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

TEST_F(Stats, takes_only_a_reset_that_is_announced_for_one) {
  const auto resets = [&] {
    const auto session = json()["sessions"][0];
    return std::pair{session["resets"].get<int>(), session["duplicates"].get<int>()};
  };
  for (const char* const number : {"1", "2", "3"}) add("00", "T", "V", number, "0");
  add("01", "T", "V", "1", "D", "11=A1|");
  EXPECT_EQ(resets(), std::pair(0, 1));
  add("02", "T", "V", "2", "A");  // too low: it is refused
  EXPECT_EQ(resets(), std::pair(0, 2));
  add("03", "T", "V", "1", "A");  // and so is this one
  add("03", "T", "V", "4", "0");
  EXPECT_EQ(resets(), std::pair(0, 3));
  add("04", "T", "V", "1", "A");  // the start of the schedule
  add("04", "T", "V", "2", "0");
  add("04", "T", "V", "3", "0");
  EXPECT_EQ(resets(), std::pair(1, 3));
  add("05", "T", "V", "1", "A", "141=Y|");
  EXPECT_EQ(resets(), std::pair(2, 3));
  add("06", "T", "V", "2", "0");
  add("06", "T", "V", "3", "4", "36=1|");  // SequenceReset without GapFillFlag
  add("06", "T", "V", "1", "0");
  add("06", "T", "V", "2", "0");
  EXPECT_EQ(resets(), std::pair(3, 3));
  EXPECT_EQ(json()["sessions"][0]["gaps"], 0);
}

TEST_F(Stats, names_two_programs_with_one_identity) {
  for (int number = 1; number <= 20; ++number) add("00", "T", "V", std::to_string(number), "0");
  add("01", "T", "V", "1", "A");
  for (int number = 2; number <= 6; ++number) {
    add("01", "T", "V", std::to_string(number), "0", "112=b|");
    add("02", "T", "V", std::to_string(number + 19), "0", "112=a|");
  }
  const auto session = json()["sessions"][0];
  EXPECT_FALSE(session["two_programs"].is_null());
  EXPECT_EQ(session["gaps"], 0);
  EXPECT_EQ(run({}), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("two programs with this identity?"));
}

TEST_F(Stats, names_two_programs_if_the_second_is_ahead_from_its_first_message) {
  for (int turn = 0; turn < 6; ++turn) {
    add("01", "T", "V", std::to_string(100 + turn), "0", "112=a|");
    add("02", "T", "V", std::to_string(500 + turn), "0", "112=b|");
  }
  EXPECT_FALSE(json()["sessions"][0]["two_programs"].is_null());
}

// As threads of one program write them, and as it sends what was missing.
TEST_F(Stats, takes_late_messages_that_fill_their_gap_for_one_program) {
  for (int base = 0; base < 60; base += 6) {
    for (const int number : {1, 4, 2, 5, 3, 6}) {
      add("01", "T", "V", std::to_string(base + number), "0");
    }
  }
  add("02", "T", "V", "100", "0");
  for (int number = 61; number < 100; ++number) add("03", "T", "V", std::to_string(number), "0");
  add("04", "T", "V", "101", "0");
  const auto session = json()["sessions"][0];
  EXPECT_TRUE(session["two_programs"].is_null());
  EXPECT_EQ(session["missing"], 0);
}

// The log of both sides, and a program that sends a few messages again.
TEST_F(Stats, takes_messages_that_come_twice_for_one_program) {
  for (int number = 1; number <= 20; ++number) {
    for (int times = 0; times < 2; ++times) add("00", "T", "V", std::to_string(number), "0");
  }
  for (int number = 5; number <= 20; ++number) {
    add("01", "T", "V", std::to_string(number), "0", "112=again|");
  }
  add("02", "T", "V", "21", "0");
  const auto session = json()["sessions"][0];
  EXPECT_TRUE(session["two_programs"].is_null());
  EXPECT_EQ(session["duplicates"], 20 + 16);
  EXPECT_EQ(session["gaps"], 0);
  EXPECT_EQ(session["resets"], 0);
}

TEST_F(Stats, has_the_numbers_and_times_of_gaps) {
  add("00", "T", "V", "1", "0");
  const std::size_t second = text_.size() + 20;
  add("01", "T", "V", "5", "0");
  add("02", "T", "V", "2", "0", "43=Y|");
  add("03", "T", "V", "3", "4", "43=Y|123=Y|36=5|");
  add("04", "T", "V", "9", "0");
  add("05", "T", "V", "7", "0", "43=Y|");
  const auto gaps = json()["sessions"][0]["gap_list"];
  ASSERT_EQ(gaps.size(), 2U);
  EXPECT_EQ(gaps[0]["first"], 2);
  EXPECT_EQ(gaps[0]["last"], 4);
  EXPECT_EQ(gaps[0]["missing"], 0);
  EXPECT_EQ(gaps[0]["time"], "2024-01-15 10:30:01.000");
  EXPECT_EQ(gaps[0]["closed"], "2024-01-15 10:30:03.000");
  EXPECT_EQ(gaps[0]["before"]["offset"], second);
  EXPECT_EQ(gaps[1]["first"], 6);
  EXPECT_EQ(gaps[1]["last"], 8);
  EXPECT_EQ(gaps[1]["missing"], 2);
  EXPECT_TRUE(gaps[1]["closed"].is_null());
  EXPECT_EQ(run({}), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("2 to 4  T -> V  before byte"));
  EXPECT_THAT(out_.text(), HasSubstr(", all came by 2024-01-15 10:30:03.000"));
  EXPECT_THAT(out_.text(), HasSubstr(", 2 never came"));
}

// What an expression filters out is neither missing nor unanswered.
TEST_F(Stats, claims_nothing_of_what_an_expression_filters_out) {
  add("00", "T", "V", "1", "A");
  add("01", "T", "V", "2", "D", "11=A1|");
  add("02", "T", "V", "3", "0");
  add("03", "T", "V", "4", "D", "11=A2|");
  add("03.5", "V", "T", "7", "8", "11=A1|37=X|39=0|150=0|");
  add("04", "T", "V", "5", "0");
  add("05", "T", "V", "9", "D", "11=A3|");
  EXPECT_EQ(run({.expression = "MsgType=D", .is_json = true}), kSuccess);
  const auto result = nlohmann::json::parse(out_.text());
  ASSERT_EQ(result["sessions"].size(), 1U);
  EXPECT_EQ(result["sessions"][0]["messages"], 3);
  EXPECT_EQ(result["sessions"][0]["gaps"], 1);  // 6 to 8, which no expression hides
  EXPECT_EQ(result["sessions"][0]["missing"], 3);
  EXPECT_EQ(result["orders"]["unanswered"], 2);
  EXPECT_EQ(result["order_to_first_report"]["count"], 1);
}

TEST_F(Stats, has_no_latency_of_0_ns) {
  add("00.000", "T", "V", "1", "D", "11=A1|");
  add("00.000", "V", "T", "1", "8", "11=A1|37=X|39=0|150=0|");
  add("01.000", "T", "V", "2", "D", "11=A2|");
  add("01.500", "V", "T", "2", "8", "11=A2|37=Y|39=0|150=0|");
  add("02.500", "T", "V", "3", "D", "11=A3|");
  add("02.400", "V", "T", "3", "8", "11=A3|37=Z|39=0|150=0|");
  const auto latency = json()["order_to_first_report"];
  EXPECT_EQ(latency["count"], 2);
  EXPECT_EQ(latency["same_stamp"], 1);
  EXPECT_EQ(latency["negative"], 1);
  EXPECT_TRUE(latency["p50_ns"].is_null());
  EXPECT_EQ(latency["p90_ns"], 500'000'000);
  EXPECT_EQ(run({}), kSuccess);
  EXPECT_THAT(out_.text(), Not(HasSubstr(" 0 ns")));
  EXPECT_THAT(out_.text(), HasSubstr("p50 same stamp  p90 "));
  EXPECT_THAT(out_.text(), HasSubstr("1 of 2 have the stamp of their request"));
  EXPECT_THAT(out_.text(), HasSubstr("1 before their request are left out"));
}

TEST_F(Stats, measures_latencies_between_logs_of_several_zones) {
  const auto line = [](const std::string& stamp, const std::string& body) {
    return stamp + " " + fix("FIX.4.4", body) + "\n";
  };
  disk_.set_contents("orders.log", line("2024-01-15T12:30:00.000+02:00",
                                        "35=D|34=1|49=T|52=20240115-10:30:00|56=V|11=A1|"));
  disk_.set_contents("reports.log",
                     line("2024-01-15 05:30:00,040 -0500",
                          "35=8|34=1|49=V|52=20240115-10:30:00|56=T|11=A1|37=X|39=0|150=0|"));
  StatsOptions options{.is_json = true};
  options.input = {.files = {"reports.log", "orders.log"}, .is_merged = true};
  EXPECT_EQ(stats_files(options, disk_, {out_.stream(), err_.stream()}), kSuccess);
  const auto latency = nlohmann::json::parse(out_.text())["order_to_first_report"];
  EXPECT_EQ(latency["count"], 1);
  EXPECT_EQ(latency["max_ns"], 40'000'000);
}

TEST_F(Stats, names_the_slowest_requests) {
  for (int i = 1; i <= 5; ++i) {
    const std::string number = std::to_string(i);
    const bool is_order = i != 3;
    add("0" + number, "T", "V", number, is_order ? "D" : "F", "11=A" + number + "|");
    add("0" + number + ".00" + number, "V", "T", number, "8",
        "11=A" + number + "|37=X|39=0|150=0|");
  }
  EXPECT_EQ(run({.is_json = true, .slowest_max = 3}), kSuccess);
  const auto slowest = nlohmann::json::parse(out_.text())["slowest"];
  ASSERT_EQ(slowest.size(), 3U);
  EXPECT_EQ(slowest[0]["cl_ord_id"], "A5");
  EXPECT_EQ(slowest[0]["latency_ns"], 5'000'000);
  EXPECT_EQ(slowest[0]["sender"], "T");
  EXPECT_EQ(slowest[0]["time"], "2024-01-15 10:30:05.000");
  EXPECT_EQ(slowest[2]["cl_ord_id"], "A3");
  EXPECT_EQ(slowest[2]["type"], "F");
  EXPECT_EQ(run({.slowest_max = 1}), kSuccess);
  EXPECT_THAT(out_.text(),
              HasSubstr("5.00 ms  order A5 of T -> V, 2024-01-15 10:30:05.000 at byte"));
}

TEST_F(Stats, has_a_time_line_of_each_session) {
  add("00", "T", "V", "7", "A", "108=2|");
  add("00.1", "V", "T", "3", "5", "58=MsgSeqNum too low, expecting 9|");
  add("01", "T", "V", "9", "A", "108=2|");
  add("01.1", "V", "T", "4", "A", "108=2|");
  add("02", "V", "T", "9", "0");
  add("02.1", "T", "V", "10", "2", "7=5|16=0|");
  add("02.2", "V", "T", "5", "8", "43=Y|");
  add("02.3", "V", "T", "6", "4", "43=Y|123=Y|36=9|");
  add("03", "T", "V", "11", "0");
  add("10", "V", "T", "10", "0");
  add("10.5", "T", "V", "12", "0");
  add("20", "T", "V", "1", "A", "108=2|141=Y|");
  add("20.1", "V", "T", "1", "A", "108=2|141=Y|");
  add("21", "T", "V", "2", "5", "58=end of day|");
  add("21.1", "V", "T", "2", "5");
  EXPECT_EQ(run({.is_json = true, .has_timeline = true}), kSuccess);
  const auto lines = nlohmann::json::parse(out_.text())["time_lines"];
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["is_on"], false);
  std::vector<std::string> seen;
  for (const auto& entry : lines[0]["entries"]) {
    seen.push_back(entry["time"].get<std::string>().substr(17) + " " +
                   entry["text"].get<std::string>());
  }
  EXPECT_THAT(
      seen,
      ElementsAre(
          "00.000 connected: Logon of T with MsgSeqNum 7",
          "00.100 refused by V: MsgSeqNum too low, expecting 9", "01.000 gap: 8 of T did not come",
          "01.000 connected: Logon of T with MsgSeqNum 9",
          "01.100 logged on: V answers after 100 ms", "02.000 gap: 5 to 8 of V did not come",
          "02.100 T requests 5 and all later ones again",
          "02.200 V resends 5 to 8, with 2 messages in 100 ms",
          "02.300 silent: no message of V for 7.70 s", "03.000 silent: no message of T for 7.50 s",
          "10.500 off: no Logout; the next Logon comes after 9.50 s",
          "20.000 T resets its numbers to 1", "20.000 connected: Logon of T with MsgSeqNum 1",
          "20.100 V resets its numbers to 1", "20.100 logged on: V answers after 100 ms",
          "21.000 Logout of T: end of day", "21.100 Logout of V",
          "21.100 off: both sides have logged out"));
  EXPECT_EQ(run({.has_timeline = true}), kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("Time line of T and V\n  2024-01-15 10:30:00.000  connected"));
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

TEST_F(Stats, counts_a_second_that_comes_again) {
  // The lines of two sides, or of two writers, are not always in the order of time.
  for (const char* second : {"01", "02", "01.5", "03", "01.7", "02", "04"}) {
    add(second, "T", "V", std::to_string(++number_), "0");
  }
  const auto result = json();
  EXPECT_EQ(result["busiest_second"]["messages"], 3);
  EXPECT_EQ(result["busiest_second"]["time"], "2024-01-15 10:30:01");
}

TEST_F(Stats, counts_an_end_once_whatever_is_reported_of_it_later) {
  add("00", "T", "V", "1", "D", "11=A1|38=100|");
  add("01", "V", "T", "1", "8", "11=A1|37=X|39=2|150=F|32=100|38=100|14=100|");
  // FIX 4.2: the status (ExecTransType 3), a bust and a correction; then done for the day.
  add("02", "V", "T", "2", "8", "11=A1|37=X|39=2|150=2|20=3|32=100|38=100|14=100|");
  add("02", "V", "T", "3", "8", "11=A1|37=X|39=2|150=2|20=2|32=90|38=100|14=100|");
  add("02", "V", "T", "4", "8", "11=A1|37=X|39=2|150=2|20=1|32=100|38=100|14=100|");
  add("03", "V", "T", "5", "8", "11=A1|37=X|39=2|150=3|38=100|14=100|");
  add("03", "V", "T", "6", "8", "11=A1|37=X|39=2|150=B|38=100|14=100|");
  const auto orders = json()["orders"];
  EXPECT_EQ(orders["fills"], 1);
  EXPECT_EQ(orders["filled_quantity"], 100);
  EXPECT_EQ(orders["filled"], 1);
  EXPECT_EQ(orders["ended_quantity"], 100);
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

// By a hash that reads eight bytes at a time.
TEST_F(Stats, answers_a_request_by_every_byte_of_its_identifier) {
  int number = 0;
  for (std::size_t size = 1; size < 26; ++size) {
    const std::string asked(size, 'a');
    add("00.000", "T", "V", std::to_string(++number), "D", "11=" + asked + "|");
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = asked;
      other[at] = 'b';
      add("00.001", "V", "T", std::to_string(++number), "8", "11=" + other + "|39=0|150=0|");
    }
  }
  EXPECT_EQ(json()["orders"]["unanswered"], 25);
  for (std::size_t size = 1; size < 26; ++size) {
    add("00.002", "V", "T", std::to_string(++number), "8",
        "11=" + std::string(size, 'a') + "|39=0|150=0|");
  }
  EXPECT_EQ(json()["orders"]["unanswered"], 0);
}

TEST_F(Stats, counts_rejects_by_reason_and_text) {
  for (const char* const text : {"unknown account", "unknown account", "no such account"}) {
    const std::string number = std::to_string(++number_);
    add("00", "V", "T", number, "3", "45=" + number + "|373=5|58=" + text + "|");
  }
  const auto rejects = json()["rejects"];
  ASSERT_EQ(rejects.size(), 2U);
  EXPECT_EQ(rejects[0]["text"], "unknown account");
  EXPECT_EQ(rejects[0]["count"], 2);
  EXPECT_EQ(rejects[1]["text"], "no such account");
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
TEST_F(Stats, reads_quantities_of_any_number_of_digits) {
  const std::string digits = "123456789012";
  for (std::size_t size = 1; size <= digits.size(); ++size) {
    text_.clear();
    const std::string quantity = digits.substr(0, size);
    add("00", "T", "V", "1", "D", "11=A1|38=" + quantity + "|");
    EXPECT_EQ(json()["orders"]["ordered_quantity"], std::stod(quantity));
  }
}

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

// The nearest rank: at least the share of all times is not longer.
TEST(LatencyHistogram, has_no_percentile_below_its_rank) {
  for (const int count : {1, 2, 3, 5, 6, 7, 9, 10, 11, 20, 99, 100, 101, 999, 1000, 1001}) {
    logs::LatencyHistogram histogram;
    std::vector<std::int64_t> all;
    for (int i = 1; i <= count; ++i) {
      all.push_back(std::int64_t{i} * i * 1000);
      histogram.add(std::chrono::nanoseconds{all.back()});
    }
    for (const auto& [share, thousandths] :
         {std::pair{0.5, 500}, {0.9, 900}, {0.99, 990}, {0.999, 999}, {1.0, 1000}}) {
      const int rank = (count * thousandths + 999) / 1000;
      const auto expected = static_cast<double>(all[static_cast<std::size_t>(rank) - 1]);
      const auto found = static_cast<double>(histogram.percentile(share).count());
      EXPECT_GE(found, expected) << count << " " << share;
      EXPECT_LE(found, expected * 1.035) << count << " " << share;
    }
  }
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
