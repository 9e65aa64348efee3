// Rebuilds the venue's book from stored reports. command_test.py and the crash test restore
// complete runs; these tests restore a damaged or a foreign store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/wire/parser.hpp>

#include "support/fix_text.hpp"
#include "venue/venue.hpp"

namespace nexusfix::venue {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kSession = "FIX.4.4:V->A";

class VenueRecoveryTest : public ::testing::Test {
 protected:
  void recover(std::string_view body, std::string_view session = kSession) {
    const std::string bytes = testing::fix("FIX.4.4", body);
    wire::Parser parser;
    const auto message = parser.parse(bytes);
    ASSERT_TRUE(message.has_value()) << body;
    venue_.on_recovered({session, ++msg_seq_num_, *message});
  }

  // ids: "17=...|37=...|11=...|150=...|".
  static std::string report(std::string_view ids, std::string_view more = {}) {
    return "35=8|" + std::string{ids} + "39=0|55=AAPL|54=1|38=100|40=2|44=10.5|59=0|" +
           std::string{more};
  }

  void accept_first_order() { recover(report("17=E1|37=O1|11=A1|150=0|")); }
  const Order& order(OrderIndex index) { return venue_.book().order(index); }

  Venue venue_{{.orders = 16, .hash_seed = 0}};
  std::uint64_t msg_seq_num_ = 1;
};

TEST_F(VenueRecoveryTest, every_kind_of_report_is_restored) {
  accept_first_order();
  recover(report("17=E2|37=O1|11=A1|150=F|", "32=30|31=10.5|"));
  recover(report("17=E3|37=O1|11=A1|150=1|20=0|", "32=20|31=10.5|"));
  recover(report("17=E4|37=NONE|11=A1|150=8|"));
  recover(report("17=E5|37=O1|11=A1|150=I|"));
  recover(report("17=E6|37=O1|11=A1|150=1|20=3|", "32=20|31=10.5|"));
  ASSERT_EQ(venue_.failure(), "");
  EXPECT_EQ(order(0).cum, 50 * kUnitsPerOne);
  EXPECT_EQ(order(0).leaves(), 50 * kUnitsPerOne);
  recover(report("17=E7|37=O1|11=A2|41=A1|150=5|"));
  EXPECT_EQ(venue_.book().cl_ord_id(order(0)), "A2");
  recover(report("17=E8|37=O1|11=A3|41=A2|150=4|"));
  ASSERT_EQ(venue_.failure(), "");
  EXPECT_EQ(order(0).state, OrderState::Canceled);
  for (const char* id : {"A1", "A2", "A3"}) EXPECT_EQ(venue_.book().find(0, id), OrderIndex{0});
}

TEST_F(VenueRecoveryTest, order_that_could_not_rest_is_canceled_under_its_own_name) {
  recover(report("17=E1|37=O1|11=A1|150=0|59=3|"));
  recover(report("17=E2|37=O1|11=A1|150=4|59=3|"));
  ASSERT_EQ(venue_.failure(), "");
  EXPECT_EQ(order(0).state, OrderState::Canceled);
}

TEST_F(VenueRecoveryTest, sessions_keep_their_orders_apart) {
  recover(report("17=E1|37=O1|11=A1|150=0|"), "FIX.4.4:V->A");
  recover(report("17=E2|37=O2|11=A1|150=0|"), "FIX.4.4:V->B");
  ASSERT_EQ(venue_.failure(), "");
  EXPECT_EQ(venue_.owner_name(order(0).owner), "FIX.4.4:V->A");
  EXPECT_EQ(venue_.owner_name(order(1).owner), "FIX.4.4:V->B");
}

TEST_F(VenueRecoveryTest, other_messages_of_the_venue_are_skipped) {
  recover("35=9|37=O7|11=A9|41=A8|39=8|434=1|");
  accept_first_order();
  EXPECT_EQ(venue_.failure(), "");
}

TEST_F(VenueRecoveryTest, reports_that_are_missing_are_named_and_the_rest_is_restored) {
  accept_first_order();
  recover(report("17=E4|37=O3|11=A3|150=0|"));
  recover(report("17=E5|37=O1|11=A1|150=F|", "32=30|31=10.5|"));
  recover(report("17=E6|37=O2|11=A2|150=F|", "32=30|31=10.5|"));  // of a lost order
  recover(report("17=E7|37=O4|11=A4|150=0|"));
  ASSERT_EQ(venue_.failure(), "");
  EXPECT_THAT(venue_.loss(),
              HasSubstr("reports E2 to E3 (ExecID) before message 3 of session FIX.4.4:V->A"));
  EXPECT_EQ(venue_.book().order_count(), 3U);
  EXPECT_EQ(venue_.order_id(0), 1U);
  EXPECT_EQ(venue_.order_id(1), 3U);
  EXPECT_EQ(venue_.order_id(2), 4U);
  EXPECT_EQ(order(0).cum, 30 * kUnitsPerOne);
}

TEST_F(VenueRecoveryTest, order_in_doubt_may_contradict_its_reports_and_a_later_one_may_not) {
  accept_first_order();
  recover(report("17=E3|37=O2|11=A2|150=0|"));
  recover(report("17=E4|37=O1|11=A1|150=F|", "32=101|31=10.5|"));
  EXPECT_EQ(venue_.failure(), "");
  recover(report("17=E5|37=O2|11=A2|150=F|", "32=101|31=10.5|"));
  EXPECT_THAT(venue_.failure(), HasSubstr("message 5 of session"));
}

TEST_F(VenueRecoveryTest, loss_that_was_settled_is_no_loss) {
  accept_first_order();
  recover(report("17=E16777218|37=O1|11=A1|150=4|"));
  EXPECT_NE(venue_.loss(), "") << "not all owners were notified";
  recover(report("17=E33554433|37=O16777216|11=A2|150=0|"));
  EXPECT_EQ(venue_.failure(), "");
  EXPECT_EQ(venue_.loss(), "");
  EXPECT_EQ(venue_.order_id(1), 16'777'216U);
}

class ImpossibleReport : public VenueRecoveryTest,
                         public ::testing::WithParamInterface<std::string_view> {};

TEST_P(ImpossibleReport, is_refused_with_its_place) {
  accept_first_order();
  ASSERT_EQ(venue_.failure(), "");
  // The parser's index returns the first of repeated fields: the parameter's fields come first.
  recover("35=8|" + std::string{GetParam()} + "39=0|55=AAPL|54=1|38=100|40=2|44=10.5|59=0|");
  EXPECT_THAT(venue_.failure(), HasSubstr("message 3 of session FIX.4.4:V->A"));
}

INSTANTIATE_TEST_SUITE_P(
    Each, ImpossibleReport,
    ::testing::Values("17=E1|37=O2|11=A2|150=0|",                      // E1 twice
                      "17=X|37=O2|11=A2|150=0|",                       // no ExecID of the venue
                      "17=E2|37=O3|11=A2|150=0|",                      // O2 is missing
                      "17=E2|37=O0|11=A2|150=0|",                      //
                      "17=E2|37=x|11=A2|150=0|",                       //
                      "17=E2|37=O2|11=A1|150=0|",                      // a ClOrdID twice
                      "17=E2|37=O2|11=A2|150=0|38=0|",                 // no quantity
                      "17=E2|37=O1|11=A1|150=Z|",                      // an unknown ExecType
                      "17=E2|37=O1|11=A1|",                            // no ExecType
                      "17=E2|37=O1|11=A1|150=F|",                      // a trade of nothing
                      "17=E2|37=O1|11=A1|150=F|32=101|31=10.5|",       // more than was ordered
                      "17=E2|37=O1|11=A1|150=F|32=0.000000001|31=1|",  // finer than the book
                      "17=E2|37=O2|11=A2|150=F|32=1|31=1|",            // an order never accepted
                      "17=E2|37=O1|11=A1|150=5|41=A1|"));              // replaced by itself

}  // namespace
}  // namespace nexusfix::venue
