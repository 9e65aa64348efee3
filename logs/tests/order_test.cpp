#include "logs/order/order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "logs/order/order_life.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"

namespace nexusfix::command {
namespace {

using ::testing::ElementsAre;
using testing::FakeDisk;
using testing::fix;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Order : public ::testing::Test {
 protected:
  void sent(const std::string& type, const std::string& fields) { add("T", "V", type, fields); }
  void got(const std::string& type, const std::string& fields) { add("V", "T", type, fields); }
  void add(const std::string& from, const std::string& to, const std::string& type,
           const std::string& fields) {
    ++time_;
    const std::string number = std::to_string(++numbers_[from + to]);
    const std::string time = day_ + "-10:30:" + std::to_string(10 + time_);
    log_ += time + " : " +
            fix("FIX.4.4", "35=" + type + "|34=" + number + "|49=" + from + "|52=" + time +
                               "|56=" + to + "|" + fields) +
            "\n";
  }
  void accepted() {
    sent("D", "11=A1|55=SAP|54=1|38=100|44=150.5|");
    got("8", "11=A1|37=O1|17=E1|150=0|39=0|38=100|14=0|151=100|6=0|");
  }
  void begin_day(const std::string& day) {
    day_ = day;
    numbers_.clear();
  }
  void filled(const std::string& id, int last, int cum, int left, const std::string& average) {
    got("8", "11=A1|37=O1|17=" + id + "|150=F|39=" + (left == 0 ? "2" : "1") +
                 "|38=100|32=" + std::to_string(last) + "|31=150|14=" + std::to_string(cum) +
                 "|151=" + std::to_string(left) + "|6=" + average + "|");
  }

  // The JSON of all orders with this identifier.
  nlohmann::json find(const std::string& id, std::vector<std::string> files = {"/log"}) {
    disk_.set_contents("/log", log_);
    OrderOptions options{.id = id, .input = {.files = std::move(files)}, .is_json = true};
    std::FILE* const out = std::tmpfile();
    std::FILE* const err = std::tmpfile();
    status_ = order_files(options, disk_, {out, err});
    const std::string text = text_of(out);
    errors_ = text_of(err);
    return text.empty() ? nlohmann::json::array() : nlohmann::json::parse(text)["orders"];
  }
  static std::string text_of(std::FILE* file) {
    std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
    std::rewind(file);
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    return text;
  }
  // OrdStatus, CumQty, LeavesQty of the first order, and AvgPx if something was executed.
  std::string state_of(const std::string& id) {
    const nlohmann::json orders = find(id);
    if (orders.empty()) return "none";
    const nlohmann::json state = orders[0]["state"];
    std::string text =
        state["ord_status"].get<std::string>() + " " + state["cum_qty"].get<std::string>() + " " +
        (state["leaves_qty"].is_null() ? "?" : state["leaves_qty"].get<std::string>());
    if (!state["avg_px"].is_null()) text += " " + state["avg_px"].dump();
    return text;
  }

  FakeDisk disk_;
  std::string log_;
  std::map<std::string, int> numbers_;
  std::string day_ = "20240115";
  int time_ = 0;
  int status_ = -1;
  std::string errors_;
};

TEST_F(Order, has_the_requested_quantity_after_a_replace_whatever_the_report_says) {
  accepted();
  sent("G", "11=A2|41=A1|55=SAP|54=1|38=200|44=151|");
  got("8", "11=A2|41=A1|37=O1|17=E2|150=5|39=0|38=150|14=0|151=150|6=0|");
  EXPECT_EQ(state_of("A1"), "0 0 200");
}

TEST_F(Order, is_found_by_each_of_its_identifiers) {
  accepted();
  filled("E2", 40, 40, 60, "150");
  sent("G", "11=A2|41=A1|55=SAP|54=1|38=200|44=151|");
  got("8", "11=A2|41=A1|37=O1|17=E3|150=5|39=1|38=200|14=40|151=160|6=150|");
  sent("D", "11=B1|55=SAP|54=1|38=1|44=1|");
  sent("F", "11=A3|41=A2|55=SAP|54=1|38=200|");
  got("8", "11=A3|41=A2|37=O1|17=E4|150=4|39=4|38=200|14=40|151=0|6=150|");
  for (const char* const id : {"A1", "A2", "A3", "O1", "E1", "E2", "E3", "E4"}) {
    EXPECT_EQ(state_of(id), "4 40 0 150.0") << id;
    EXPECT_EQ(status_, kSuccess) << errors_;
    EXPECT_EQ(find(id)[0]["events"].size(), 7U) << id;
  }
  EXPECT_EQ(find("B1")[0]["events"].size(), 1U);
  EXPECT_EQ(state_of("C1"), "none");
  EXPECT_EQ(status_, kFailure);
  EXPECT_THAT(errors_, HasSubstr("no order has the identifier C1"));
}

TEST_F(Order, has_the_state_of_its_last_message) {
  EXPECT_EQ(state_of("A1"), "none");
  sent("D", "11=A1|55=SAP|54=1|38=100|44=150.5|");
  EXPECT_EQ(state_of("A1"), "A 0 100");
  got("8", "11=A1|37=O1|17=E1|150=0|39=0|38=100|14=0|151=100|6=0|");
  EXPECT_EQ(state_of("A1"), "0 0 100");
  filled("E2", 40, 40, 60, "150");
  EXPECT_EQ(state_of("A1"), "1 40 60 150.0");
  sent("F", "11=A2|41=A1|55=SAP|54=1|38=100|");
  EXPECT_EQ(find("A1")[0]["open_requests"][0]["cl_ord_id"], "A2");
  got("8", "11=A2|41=A1|37=O1|17=E3|150=6|39=6|38=100|14=40|151=60|6=150|");
  EXPECT_EQ(state_of("A1"), "6 40 60 150.0");
  got("9", "11=A2|41=A1|37=O1|39=1|434=1|102=0|");
  EXPECT_EQ(state_of("A1"), "1 40 60 150.0");
  EXPECT_THAT(find("A1")[0]["open_requests"], IsEmpty());
  filled("E4", 60, 100, 0, "150");
  EXPECT_EQ(state_of("A1"), "2 100 0 150.0");
  EXPECT_EQ(status_, kSuccess) << log_;
}

TEST_F(Order, counts_busts_and_corrections) {
  accepted();
  filled("E2", 40, 40, 60, "150");
  filled("E3", 10, 50, 50, "150");
  got("8", "11=A1|37=O1|17=E4|19=E2|150=H|39=1|38=100|14=10|151=90|6=150|");
  EXPECT_EQ(state_of("A1"), "1 10 90 150.0");
  got("8", "11=A1|37=O1|17=E5|19=E3|150=G|39=1|38=100|32=20|31=151|14=20|151=80|6=151|");
  EXPECT_EQ(state_of("A1"), "1 20 80 151.0");
  // FIX 4.2 says it by ExecTransType.
  got("8", "11=A1|37=O1|17=E6|19=E5|20=1|150=0|39=0|38=100|14=0|151=100|6=0|");
  EXPECT_EQ(state_of("A1"), "0 0 100");
  EXPECT_EQ(status_, kSuccess) << errors_;
}

TEST_F(Order, counts_no_fill_of_a_report_about_the_status) {
  // FIX 4.2, ExecTransType 3: the answer to an OrderStatusRequest repeats the last fill.
  accepted();
  got("8", "11=A1|37=O1|17=E2|20=0|150=1|39=1|38=100|32=40|31=150|14=40|151=60|6=150|");
  for (const char* id : {"0", "E2", "E9"}) {
    got("8", "11=A1|37=O1|17=" + std::string{id} +
                 "|20=3|150=1|39=1|38=100|32=40|31=150|14=40|151=60|6=150|");
    EXPECT_EQ(state_of("A1"), "1 40 60 150.0") << id;
    EXPECT_EQ(status_, kSuccess) << errors_;
  }
}

TEST_F(Order, counts_a_correction_that_names_its_fill_and_nothing_else) {
  // ExecRefID is enough: a venue need not repeat ClOrdID and OrderID.
  accepted();
  filled("E2", 40, 40, 60, "150");
  filled("E3", 10, 50, 50, "150");
  got("8", "17=E4|19=E2|150=G|39=1|38=100|32=30|31=152|14=40|151=60|6=151.5|");
  EXPECT_EQ(state_of("A1"), "1 40 60 151.5");
  EXPECT_EQ(status_, kSuccess) << errors_;
  // A correction of the correction: E2 is no fill any more.
  got("8", "17=E5|19=E4|150=G|39=1|38=100|32=20|31=153|14=30|151=70|6=152|");
  EXPECT_EQ(state_of("A1"), "1 30 70 152.0");
  got("8", "17=E6|19=E3|150=H|39=1|38=100|14=20|151=80|6=153|");
  EXPECT_EQ(state_of("A1"), "1 20 80 153.0");
  EXPECT_EQ(find("A1")[0]["events"].size(), 7U);
  EXPECT_EQ(status_, kSuccess) << errors_;
}

TEST_F(Order, that_is_done_for_the_day_has_nothing_left_until_it_goes_on) {
  // FIX 4.4, volume 4: DoneForDay has a higher precedence than Filled and PartiallyFilled.
  accepted();
  filled("E2", 40, 40, 60, "150");
  got("8", "11=A1|37=O1|17=E3|150=3|39=3|38=100|14=40|151=0|6=150|");
  EXPECT_EQ(state_of("A1"), "3 40 0 150.0");
  EXPECT_EQ(status_, kSuccess) << errors_;
  begin_day("20240116");
  got("8", "11=A1|37=O1|17=E4|150=0|39=1|38=100|14=40|151=60|6=150|");
  EXPECT_EQ(state_of("A1"), "1 40 60 150.0");
  filled("E5", 60, 100, 0, "150");
  EXPECT_EQ(state_of("A1"), "2 100 0 150.0");
  got("8", "11=A1|37=O1|17=E6|150=3|39=3|38=100|14=100|151=0|6=150|");
  EXPECT_EQ(state_of("A1"), "3 100 0 150.0");
  EXPECT_EQ(status_, kSuccess) << errors_;
}

TEST_F(Order, shows_where_a_report_disagrees_with_the_computed_state) {
  accepted();
  filled("E2", 40, 50, 60, "149.99");
  const nlohmann::json order = find("A1")[0];
  EXPECT_EQ(status_, kFailure);
  EXPECT_THAT(order["disagreements"],
              ElementsAre("CumQty (14): the report says 50, computed is 40",
                          "AvgPx (6): the report says 149.99, computed is 150"));
  EXPECT_EQ(order["events"][2]["disagreements"].size(), 2U);
  got("8", "11=A1|37=O1|17=E3|19=E9|150=H|39=1|38=100|14=40|151=60|6=150|");
  EXPECT_THAT(find("A1")[0]["events"][3]["disagreements"],
              ElementsAre("ExecRefID (19): E9 is no fill that the log has"));
  EXPECT_THAT(find("A1")[0]["disagreements"], IsEmpty());  // the last report is right again
}

TEST_F(Order, takes_an_average_that_is_rounded_or_cut) {
  for (const char* const average : {"150.33", "150.34", "150.333333"}) {
    log_.clear();
    accepted();
    filled("E2", 10, 10, 90, "150");
    got("8", "11=A1|37=O1|17=E3|150=F|39=1|38=100|32=20|31=150.5|14=30|151=70|6=" +
                 std::string{average} + "|");
    EXPECT_THAT(find("A1")[0]["disagreements"], IsEmpty()) << average;
  }
}

TEST_F(Order, has_the_price_of_the_replace_that_the_venue_has_accepted) {
  accepted();
  sent("G", "11=A2|41=A1|55=SAP|54=1|38=100|40=2|44=151|");
  EXPECT_EQ(find("A1")[0]["price"], "150.5");  // not accepted yet
  const std::string replaced = "37=O1|150=5|39=0|38=100|14=0|151=100|6=0|";
  got("8", "11=A2|41=A1|17=E2|" + replaced);
  EXPECT_EQ(find("A1")[0]["price"], "151");
  sent("G", "11=A3|41=A2|55=SAP|54=1|38=100|40=2|44=152|");
  got("8", "11=A3|41=A2|17=E3|44=151.5|" + replaced);
  EXPECT_EQ(find("A1")[0]["price"], "151.5");
  sent("G", "11=A4|41=A3|55=SAP|54=1|38=100|40=1|");  // a market order has no price
  got("8", "11=A4|41=A3|17=E4|" + replaced);
  EXPECT_EQ(find("A1")[0]["price"], "");
  got("8", "11=A4|37=O1|17=E5|150=D|39=0|38=100|44=153|14=0|151=100|6=0|");  // restated
  EXPECT_EQ(find("A1")[0]["price"], "153");
}

TEST_F(Order, reads_values_with_more_digits_than_a_decimal_has) {
  accepted();
  filled("E2", 10, 10, 90, "150.3333333333333333333333333");
  EXPECT_THAT(
      find("A1")[0]["disagreements"],
      ElementsAre("AvgPx (6): the report says 150.3333333333333333333333333, computed is 150"));
  log_.clear();
  accepted();
  got("8",
      "11=A1|37=O1|17=E2|150=F|39=1|38=100|32=10|31=150.3333333333333333333333333|14=10|151=90|"
      "6=150.333333333333333333333333|");
  EXPECT_THAT(find("A1")[0]["disagreements"], IsEmpty());
  EXPECT_THAT(find("A1")[0]["events"][2]["disagreements"], IsEmpty());
  got("8", "11=A1|37=O1|17=E3|150=I|39=1|38=100|14=10.000000000000000000001|151=90|6=150.3333|");
  EXPECT_THAT(find("A1")[0]["disagreements"],
              ElementsAre("CumQty (14): the report says 10.000000000000000000001, computed is 10"));
  got("8", "11=A1|37=O1|17=E4|150=I|39=1|38=100|14=10|151=90|6=none|");
  EXPECT_THAT(find("A1")[0]["disagreements"],
              ElementsAre("AvgPx (6): the report says none, computed is 150.3333333"));
}

TEST_F(Order, does_not_count_a_resend_or_an_execution_again) {
  accepted();
  filled("E2", 40, 40, 60, "150");
  filled("E2", 40, 40, 60, "150");
  const std::string first = "35=8|34=2|49=V|52=20240115-10:30:40|56=T|43=Y|122=20240115-10:30:13|";
  log_ += fix("FIX.4.4", first + "11=A1|37=O1|17=E2|150=F|39=1|38=100|32=40|31=150|14=40|151=60|");
  EXPECT_EQ(state_of("A1"), "1 40 60 150.0");
  const nlohmann::json order = find("A1")[0];
  ASSERT_EQ(order["events"].size(), 5U);
  EXPECT_FALSE(order["events"][3]["counted"]);
  EXPECT_FALSE(order["events"][4]["counted"]);
}

TEST_F(Order, has_no_open_request_after_its_answer_if_it_is_resent) {
  accepted();
  sent("F", "11=A2|41=A1|55=SAP|54=1|38=100|");
  got("9", "11=A2|41=A1|37=O1|39=0|434=1|102=0|");
  log_ += fix("FIX.4.4",
              "35=F|34=2|49=T|52=20240115-10:30:40|56=V|43=Y|122=20240115-10:30:13|11=A2|41=A1|"
              "55=SAP|54=1|38=100|");
  const nlohmann::json order = find("A1")[0];
  EXPECT_THAT(order["open_requests"], IsEmpty());
  ASSERT_EQ(order["events"].size(), 5U);
  EXPECT_FALSE(order["events"][4]["counted"]);
}

// FIX 4.0 has no ExecType: a report with LastShares is a fill.
TEST_F(Order, counts_a_fill_of_a_report_without_exec_type) {
  sent("D", "11=A1|55=SAP|54=1|38=100|44=150.5|");
  got("8", "11=A1|37=O1|17=E1|20=0|39=0|38=100|32=0|31=0|14=0|6=0|");
  EXPECT_EQ(state_of("A1"), "0 0 100");
  got("8", "11=A1|37=O1|17=E2|20=0|39=1|38=100|32=40|31=150|14=40|6=150|");
  EXPECT_EQ(state_of("A1"), "1 40 60 150.0");
}

// The other order was sent before the log.
TEST_F(Order, is_not_linked_by_what_a_venue_writes_for_no_identifier) {
  for (const std::string none : {"0", "NONE", "None", "none", "UNKNOWN"}) {
    log_.clear();
    sent("D", "11=A1|55=SAP|54=1|38=100|44=150.5|");
    got("8", "11=A1|37=" + none + "|17=0|150=0|39=0|38=100|14=0|151=100|6=0|");
    got("8", "11=B1|37=" + none + "|17=0|150=0|39=0|38=7|14=0|151=7|6=0|");
    const nlohmann::json orders = find("A1");
    ASSERT_EQ(orders.size(), 1U) << none;
    EXPECT_EQ(orders[0]["events"].size(), 2U) << none;
  }
}

TEST_F(Order, has_each_message_of_both_sides_once_with_both_times) {
  accepted();
  std::string other = log_;
  for (std::size_t at = 0; (at = other.find("10:30:1", at)) != other.npos; at += 10) {
    if (at >= 9 && (at == 9 || other[at - 10] == '\n')) other[at + 4] = '1';
  }
  disk_.set_contents("/other", other);
  const nlohmann::json order = find("A1", {"/log", "/other"})[0];
  ASSERT_EQ(order["events"].size(), 2U);
  EXPECT_EQ(order["events"][0]["time"], "20240115-10:30:11.000000");
  EXPECT_EQ(order["events"][0]["other_time"], "20240115-10:31:11.000000");
}

TEST_F(Order, has_the_time_of_the_other_side_from_its_first_copy) {
  accepted();
  // In the order of time: the own line, the other side's, and a copy of that one.
  const auto copy = [&](const std::string& minute) {
    std::string other = log_;
    for (std::size_t at = 0; at < other.size(); at = other.find('\n', at) + 1) {
      other.replace(at, 14, "20240115-10:" + minute);
    }
    return other;
  };
  disk_.set_contents("/other", copy("31"));
  disk_.set_contents("/backup", copy("32"));
  for (const auto& files : {std::vector<std::string>{"/log", "/other", "/backup"},
                            std::vector<std::string>{"/log", "/backup", "/other"}}) {
    const nlohmann::json order = find("A1", files)[0];
    ASSERT_EQ(order["events"].size(), 2U);
    EXPECT_EQ(order["events"][0]["time"], "20240115-10:30:11.000000");
    EXPECT_EQ(order["events"][0]["other_time"], "20240115-10:31:11.000000");
    EXPECT_EQ(order["events"][1]["other_time"], "20240115-10:31:12.000000");
  }
}

TEST_F(Order, has_no_time_of_the_other_side_from_a_copy_in_its_own_log) {
  accepted();
  std::string again = log_;
  for (std::size_t at = 0; at < again.size(); at = again.find('\n', at) + 1) {
    again.replace(at, 14, "20240115-10:31");
  }
  log_ += again;
  const nlohmann::json order = find("A1")[0];
  ASSERT_EQ(order["events"].size(), 2U);
  EXPECT_EQ(order["events"][0]["other_time"], "");
  EXPECT_EQ(order["events"][1]["other_time"], "");
}

TEST_F(Order, keeps_sessions_apart_that_use_the_same_identifiers) {
  accepted();
  add("OTHER", "V", "D", "11=A1|55=BMW|54=2|38=7|44=9|");
  const nlohmann::json orders = find("A1");
  ASSERT_EQ(orders.size(), 2U);
  EXPECT_EQ(orders[0]["symbol"], "BMW");
  EXPECT_EQ(orders[1]["symbol"], "SAP");
}

TEST_F(Order, begins_with_the_first_report_if_the_order_was_sent_before_the_log) {
  got("8", "11=A1|37=O1|17=E5|150=F|39=1|38=100|32=10|31=160|14=50|151=50|6=152|");
  EXPECT_EQ(state_of("A1"), "1 50 50 152.0");
  EXPECT_TRUE(find("A1")[0]["begins_before_the_log"]);
  filled("E6", 10, 60, 40, "151.67");
  EXPECT_THAT(find("A1")[0]["disagreements"], IsEmpty());
}

TEST_F(Order, has_the_rejects_of_its_messages) {
  sent("D", "11=A1|55=SAP|54=1|38=100|44=150.5|");
  got("3", "45=1|372=D|373=5|58=no such side|");
  EXPECT_EQ(state_of("A1"), "8 0 0");
  EXPECT_EQ(find("A1")[0]["events"].size(), 2U);
  sent("D", "11=A2|55=SAP|54=1|38=100|44=150.5|");
  got("j", "45=2|372=D|379=A2|380=3|");
  EXPECT_EQ(find("A2")[0]["events"].size(), 2U);
}

TEST_F(Order, has_no_reject_of_another_message_with_its_number) {
  sent("D", "11=DAY1|55=SAP|54=1|38=100|44=150.5|");
  got("3", "45=1|372=D|373=5|58=no such side|");
  numbers_.clear();  // a reset
  sent("D", "11=DAY2|55=SAP|54=1|38=100|44=150.5|");
  got("8", "11=DAY2|37=O1|17=E1|150=0|39=0|38=100|14=0|151=100|6=0|");
  numbers_.clear();
  sent("0", "");
  got("3", "45=1|372=0|373=5|");
  EXPECT_EQ(state_of("DAY2"), "0 0 100");
  EXPECT_EQ(find("DAY2")[0]["events"].size(), 2U);
  EXPECT_EQ(state_of("DAY1"), "8 0 0");
}

TEST_F(Order, has_no_answer_to_a_request_that_another_reject_is_about) {
  accepted();
  sent("F", "11=A2|41=A1|55=SAP|54=1|38=100|");
  sent("G", "11=A3|41=A1|55=SAP|54=1|38=120|44=150.5|");
  got("3", "45=2|372=F|373=5|58=no such side|");
  const auto open = find("A1")[0]["open_requests"];
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0]["cl_ord_id"], "A3");
}

// FIX 4.4, ClOrdID (11): unique only within one trading day.
TEST_F(Order, is_another_order_if_all_its_identifiers_are_used_again_on_the_next_day) {
  accepted();
  filled("E2", 100, 100, 0, "150");
  begin_day("20240116");
  sent("D", "11=A1|55=BMW|54=2|38=50|44=20|");
  got("8", "11=A1|37=O1|17=E1|150=0|39=0|38=50|14=0|151=50|6=0|");
  got("8", "11=A1|37=O1|17=E2|150=F|39=1|38=50|32=40|31=20|14=40|151=10|6=20|");
  for (const char* const id : {"A1", "O1", "E1", "E2"}) {
    const nlohmann::json orders = find(id);
    EXPECT_EQ(status_, kSuccess) << errors_;
    ASSERT_EQ(orders.size(), 2U) << id;
    EXPECT_EQ(orders[0]["symbol"], "SAP");
    EXPECT_EQ(orders[0]["state"]["ord_status"], "2");
    EXPECT_EQ(orders[1]["symbol"], "BMW");
    EXPECT_EQ(orders[1]["state"]["cum_qty"], "40");
    EXPECT_TRUE(orders[1]["events"][2]["counted"]);
  }
  filled("E3", 10, 60, 40, "150");  // wrong: it is about the second order
  EXPECT_THAT(find("A1")[0]["disagreements"], IsEmpty());
  EXPECT_EQ(find("A1")[1]["disagreements"].size(), 5U);
  EXPECT_EQ(status_, kFailure);
}

TEST_F(Order, is_another_order_after_a_reset_on_the_same_day) {
  sent("D", "11=A1|55=SAP|54=1|38=100|44=150.5|");
  numbers_.clear();
  sent("D", "11=A1|55=SAP|54=1|38=50|44=150.5|");
  got("8", "11=A1|37=O1|17=E1|150=2|39=2|38=50|32=50|31=150|14=50|151=0|6=150|");
  const nlohmann::json orders = find("A1");
  EXPECT_EQ(status_, kSuccess);
  ASSERT_EQ(orders.size(), 2U);
  EXPECT_EQ(orders[0]["state"]["ord_status"], "A");
  EXPECT_EQ(orders[1]["state"]["ord_status"], "2");
}

TEST_F(Order, has_no_message_of_another_order_that_shares_an_identifier_on_another_day) {
  accepted();
  sent("G", "11=A2|41=A1|55=SAP|54=1|38=200|44=151|");
  got("8", "11=A2|41=A1|37=O1|17=E2|150=5|39=0|38=200|14=0|151=200|6=0|");
  begin_day("20240116");
  sent("D", "11=B1|55=BMW|54=2|38=50|44=20|");
  got("8", "11=B1|37=O1|17=E1|150=0|39=0|38=50|14=0|151=50|6=0|");
  sent("G", "11=A2|41=B1|55=BMW|54=2|38=60|44=20|");
  got("8", "11=A2|41=B1|37=O1|17=E2|150=5|39=0|38=60|14=0|151=60|6=0|");
  begin_day("20240117");
  sent("D", "11=C1|55=BMW|54=2|38=50|44=20|");
  got("8", "11=C1|37=O7|17=E2|150=0|39=0|38=50|14=0|151=50|6=0|");
  got("8", "11=D1|37=O8|17=E2|150=0|39=0|38=50|14=0|151=50|6=0|");  // its order is not in the log
  nlohmann::json orders = find("A1");
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0]["events"].size(), 4U);
  EXPECT_EQ(find("B1")[0]["events"].size(), 4U);
  EXPECT_EQ(find("C1")[0]["events"].size(), 2U);
  orders = find("A2");
  ASSERT_EQ(orders.size(), 2U);
  EXPECT_EQ(orders[1]["events"].size(), 4U);
  EXPECT_EQ(find("E2").size(), 4U);
  EXPECT_EQ(status_, kSuccess);
}

TEST_F(Order, is_one_order_if_its_new_order_comes_again_as_a_resend) {
  accepted();
  const std::string order = "11=A1|55=SAP|54=1|38=100|44=150.5|";
  log_ += fix("FIX.4.4", "35=D|34=1|49=T|52=20240115-10:31:00|56=V|43=Y|" + order) + "\n";
  sent("D", "97=Y|" + order);
  const nlohmann::json orders = find("A1");
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0]["events"].size(), 4U);
  disk_.set_contents("/other", log_);
  EXPECT_EQ(find("A1", {"/log", "/other"}).size(), 1U);
}

TEST_F(Order, is_one_order_if_a_report_comes_before_it_on_the_same_day) {
  got("8", "11=A1|37=O1|17=E1|150=0|39=0|38=100|14=0|151=100|6=0|");
  sent("D", "11=A1|55=SAP|54=1|38=100|44=150.5|");  // clocks of two logs
  EXPECT_EQ(find("A1").size(), 1U);
  begin_day("20240116");
  sent("D", "11=A1|55=SAP|54=1|38=100|44=150.5|");
  EXPECT_EQ(find("A1").size(), 2U);
  got("8", "11=B1|37=O2|17=E2|150=0|39=0|38=100|14=0|151=100|6=0|");
  begin_day("20240117");
  sent("D", "11=B1|55=SAP|54=1|38=100|44=150.5|");
  EXPECT_EQ(find("B1").size(), 2U);
}

TEST_F(Order, is_left_out_after_the_messages_that_fit) {
  accepted();
  const std::string text(1'000'000, 'x');
  for (int day = 0; day < 34; ++day) sent("D", "11=A1|55=SAP|54=1|38=100|44=1|58=" + text + "|");
  sent("D", "11=E1|55=BMW|54=1|38=100|44=1|");
  const nlohmann::json orders = find("E1");
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0]["symbol"], "SAP");
  EXPECT_EQ(status_, kFailure);
  EXPECT_THAT(errors_, HasSubstr("the later ones are left out"));
}

TEST_F(Order, has_its_reports_after_another_order_with_its_identifier_was_rejected) {
  accepted();
  sent("D", "11=A1|55=SAP|54=1|38=100|44=150.5|");
  const std::string rejected = "11=A1|37=NONE|17=E2|150=8|39=8|103=6|38=100|14=0|151=0|6=0|";
  got("8", rejected);
  filled("E3", 40, 40, 60, "150");
  log_ += fix("FIX.4.4", "35=8|34=2|49=V|52=20240115-10:31:00|56=T|43=Y|" + rejected) + "\n";
  const nlohmann::json orders = find("A1");
  EXPECT_EQ(status_, kSuccess);
  ASSERT_EQ(orders.size(), 2U);
  EXPECT_EQ(orders[0]["state"]["cum_qty"], "40");
  EXPECT_EQ(orders[1]["state"]["ord_status"], "8");
  EXPECT_EQ(orders[1]["events"].size(), 3U);
}

TEST(DecimalText, has_no_zeros_at_its_end) {
  EXPECT_EQ(logs::decimal_text(Decimal{15050, 2}), "150.5");
  EXPECT_EQ(logs::decimal_text(Decimal{-5, 3}), "-0.005");
  EXPECT_EQ(logs::decimal_text(Decimal{100, 2}), "1");
  EXPECT_EQ(logs::decimal_text(Decimal{100, 0}), "100");
}

}  // namespace
}  // namespace nexusfix::command
