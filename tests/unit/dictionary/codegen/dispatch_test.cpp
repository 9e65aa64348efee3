// From a MessageView to the handler of its type.
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <type_traits>

#include <nexusfix/fix42/new_order_single.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/fix44/trade_capture_report_request.hpp>
#include <nexusfix/fix50sp2/security_status_message.hpp>
#include <nexusfix/fixt11/logon.hpp>
#include <nexusfix/tiny/basket.hpp>
#include <nexusfix/tiny/status_message.hpp>
#include <nexusfix/wire/parser.hpp>
#include <nexusfix/wire/typed.hpp>

#include "support/fix_text.hpp"

namespace nexusfix {
namespace {

using wire::FieldError;
using wire::MessageView;

struct Namer {
  std::string operator()(const fix42::NewOrderSingle&) { return "order of 4.2"; }
  std::string operator()(const fix44::NewOrderSingle&) { return "order of 4.4"; }
  std::string operator()(const fix44::ExecutionReport&) { return "report"; }
  std::string operator()(const fix44::TradeCaptureReportRequest&) { return "request"; }
  std::string operator()(const fix50sp2::SecurityStatusMessage&) { return "status of 5.0 SP2"; }
  std::string operator()(const fixt11::Logon&) { return "logon"; }
  std::string operator()(const tiny::Basket&) { return "basket"; }
  std::string operator()(const tiny::StatusMessage&) { return "status"; }
  std::string operator()(const MessageView& message) {
    return "other " + std::string{message.msg_type()};
  }
  std::string operator()(const MessageView&, const FieldError& error) {
    return "faulty at " + std::to_string(error.tag);
  }
};

class Dispatch : public ::testing::Test {
 protected:
  MessageView parse(std::string_view body, std::string_view begin_string = "FIX.4.4") {
    bytes_ = testing::fix(begin_string, body);
    return parser_.parse(bytes_).value_or(MessageView{});
  }
  std::string name(std::string_view body, std::string_view begin_string = "FIX.4.4") {
    return wire::dispatch<fix42::NewOrderSingle, fix44::NewOrderSingle, fix44::ExecutionReport,
                          fix44::TradeCaptureReportRequest, fix50sp2::SecurityStatusMessage,
                          fixt11::Logon, tiny::Basket, tiny::StatusMessage>(
        parse(body, begin_string), Namer{});
  }

  std::string bytes_;
  wire::Parser parser_;
};

constexpr std::string_view kOrder = "35=D|11=A|21=1|55=X|54=1|60=20240115-10:30:00|40=1|38=1|";

TEST_F(Dispatch, calls_the_handler_of_the_type_and_version) {
  EXPECT_EQ(name(kOrder), "order of 4.4");
  EXPECT_EQ(name(kOrder, "FIX.4.2"), "order of 4.2");
  EXPECT_EQ(name("35=AD|568=R|569=0|"), "request");
  EXPECT_EQ(name("35=UBasketList|5000=AA|53=1|"), "basket");
  EXPECT_EQ(name("35=UStatus|5005=2|"), "status");
}

TEST_F(Dispatch, passes_other_messages_to_the_handler_of_messages) {
  EXPECT_EQ(name("35=9|11=A|"), "other 9");
  EXPECT_EQ(name("35=A|98=0|108=30|"), "other A");  // the first letter of AD
  EXPECT_EQ(name("35=DA|"), "other DA");
  EXPECT_EQ(name("35=UBasket|"), "other UBasket");
  EXPECT_EQ(name(kOrder, "FIX.4.3"), "other D");
}

TEST_F(Dispatch, passes_a_listed_message_with_an_error_to_the_handler_of_errors) {
  EXPECT_EQ(name("35=D|11=A|55=X|54=?|60=20240115-10:30:00|40=1|"), "faulty at 54");
  EXPECT_EQ(name("35=UStatus|"), "faulty at 5005");
}

TEST_F(Dispatch, takes_the_application_version_of_fixt_from_the_message) {
  EXPECT_EQ(name("35=f|1128=9|55=X|", "FIXT.1.1"), "status of 5.0 SP2");
  EXPECT_EQ(name("35=f|1128=7|55=X|", "FIXT.1.1"), "other f");
  EXPECT_EQ(name("35=f|55=X|", "FIXT.1.1"), "status of 5.0 SP2");  // no other version is named
  EXPECT_EQ(name("35=A|98=0|108=30|1137=9|", "FIXT.1.1"), "logon");
}

TEST_F(Dispatch, prefers_the_messages_version_to_the_sessions) {
  using Status = wire::Messages<fix50sp2::SecurityStatusMessage>;
  const auto by_session = [&](std::string_view body, std::string_view version) {
    return wire::dispatch(Status{}, version, parse(body, "FIXT.1.1"), Namer{});
  };
  EXPECT_EQ(by_session("35=f|55=X|", "FIX.5.0SP2"), "status of 5.0 SP2");
  EXPECT_EQ(by_session("35=f|55=X|", "FIX.5.0"), "other f");
  EXPECT_EQ(by_session("35=f|1128=9|55=X|", "FIX.5.0"), "status of 5.0 SP2");
  EXPECT_EQ(by_session("35=f|1128=8|55=X|", "FIX.5.0SP2"), "other f");
}

TEST_F(Dispatch, without_types_passes_all_to_the_handler_of_messages) {
  EXPECT_EQ(wire::dispatch<>(parse(kOrder), Namer{}), "other D");
}

TEST_F(Dispatch, may_return_nothing) {
  struct Counter {
    int orders = 0;
    int others = 0;
    void operator()(const fix44::NewOrderSingle&) { ++orders; }
    void operator()(const MessageView&) { ++others; }
    void operator()(const MessageView&, const FieldError&) {}
  };
  Counter counter;
  // [dispatch]
  wire::dispatch<fix44::NewOrderSingle>(parse(kOrder), counter);
  // [end]
  wire::dispatch<fix44::NewOrderSingle>(parse("35=0|"), counter);
  EXPECT_EQ(counter.orders, 1);
  EXPECT_EQ(counter.others, 1);
}

TEST(ApplicationVersion, is_found_by_appl_ver_id_text) {
  EXPECT_EQ(wire::application_version("2"), "FIX.4.0");
  EXPECT_EQ(wire::application_version("9"), "FIX.5.0SP2");
  EXPECT_EQ(wire::application_version(""), "");
  EXPECT_EQ(wire::application_version("1"), "");
  // FIX Latest, and later versions.
  EXPECT_EQ(wire::application_version("10"), "FIX.5.0SP2");
  EXPECT_EQ(wire::application_version("99"), "FIX.5.0SP2");
  EXPECT_EQ(wire::application_version("100"), "");
  EXPECT_EQ(wire::application_version("0"), "");
  EXPECT_EQ(wire::application_version("1x"), "");
}

}  // namespace
}  // namespace nexusfix
