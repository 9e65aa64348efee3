#include "console/json/message_json.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace nexusfix::web {
namespace {

std::string with_soh(std::string text) {
  std::ranges::replace(text, '|', '\x01');
  return text;
}

TEST(MessageJson, fields_have_the_names_and_meanings_of_their_version) {
  const Json message = message_json(
      with_soh("8=FIX.4.4|9=70|35=D|34=7|49=A|52=20240115-10:30:00|56=B|11=ORD-5|54=1|10=000|"));
  EXPECT_EQ(message["type"], "D");
  EXPECT_EQ(message["name"], "NewOrderSingle");
  EXPECT_EQ(message["number"], "7");
  EXPECT_EQ(message["fields"][7], Json::array({"11", "ClOrdID", "ORD-5", ""}));
  EXPECT_EQ(message["fields"][8], Json::array({"54", "Side", "1", "BUY"}));
}

TEST(MessageJson, markup_and_control_bytes_of_a_counterparty_stay_text) {
  const std::string text = to_text(
      message_json(with_soh("8=FIX.4.4|35=0|58=<script>alert(1)</script>\x1b[2J\xff|10=000|")));
  EXPECT_NE(text.find("<script>alert(1)</script>\\\\x1b[2J\\\\xff"), std::string::npos) << text;
}

TEST(MessageJson, data_field_may_have_soh_in_its_value) {
  const Json message = message_json(with_soh("8=FIX.4.4|35=B|95=3|96=a|b|10=000|"));
  EXPECT_EQ(message["fields"][3][0], "96");
  EXPECT_EQ(message["fields"][3][2], "a\\x01b");
  EXPECT_EQ(message["fields"].size(), 5U);
}

TEST(MessageJson, garbled_bytes_are_decoded_as_far_as_they_go) {
  for (const char* const bytes : {"", "=", "x", "8=", "35=D|95=99|96=a|", "0=a|99999999999=b|"}) {
    EXPECT_FALSE(to_text(message_json(with_soh(bytes))).empty()) << bytes;
  }
}

TEST(MessageJson, fixt_message_has_the_names_of_its_application_version) {
  const Json message = message_json(with_soh("8=FIXT.1.1|35=D|1128=7|54=1|10=000|"));
  EXPECT_EQ(message["name"], "NewOrderSingle");
  EXPECT_EQ(message["fields"][3][1], "Side");
}

TEST(MessageJson, field_of_another_version_has_its_name) {
  const Json message = message_json(with_soh("8=FIX.4.2|35=D|453=1|47=A|10=000|"));
  EXPECT_EQ(message["fields"][2][1], "NoPartyIDs");
}

}  // namespace
}  // namespace nexusfix::web
