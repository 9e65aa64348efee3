// The body of a Send: docs/reference/gateway-protocol.md.
#include "gateway/rights/message_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/rights/owner_fields.hpp"
#include "support/fix_text.hpp"

namespace nexusfix::gateway {
namespace {

using ::testing::HasSubstr;
using testing::soh;

std::string error_of(const std::string& text) {
  MessageFields fields;
  const auto read = fields.read(text);
  return read ? "none" : read.error();
}

TEST(GatewayMessageFields, fields_keep_their_order_and_those_of_the_session_are_left_out) {
  const std::string text =
      soh("8=FIX.4.4|9=50|35=D|49=ME|56=YOU|34=7|43=Y|52=20240115-10:30:00|11=A1|453=1|448=X|"
          "10=000|");
  MessageFields fields;
  ASSERT_TRUE(fields.read(text));
  EXPECT_EQ(fields.msg_type(), "D");
  ASSERT_EQ(fields.fields().size(), 3U);
  EXPECT_EQ(fields.fields()[0].tag, 11U);
  EXPECT_EQ(fields.fields()[0].value, "A1");
  EXPECT_EQ(fields.fields()[2].value, "X");
}

TEST(GatewayMessageFields, a_data_field_may_have_any_byte) {
  const std::string text = soh("35=B|95=5|96=a|b=c|58=end|");
  MessageFields fields;
  ASSERT_TRUE(fields.read(text));
  ASSERT_EQ(fields.fields().size(), 2U);
  EXPECT_EQ(fields.fields()[0].length_tag, 95U);
  EXPECT_EQ(fields.fields()[0].value, soh("a|b=c"));
  EXPECT_EQ(fields.value(58), "end");
}

TEST(GatewayMessageFields, a_length_beyond_the_message_is_an_error) {
  EXPECT_THAT(error_of(soh("35=B|95=6|96=abc|")), HasSubstr("field 96"));
  EXPECT_THAT(error_of(soh("35=B|95=18446744073709551615|96=abc|")), HasSubstr("field 96"));
  EXPECT_THAT(error_of(soh("35=B|95=x|96=abc|")), HasSubstr("field 95 at byte 5 is no length"));
}

TEST(GatewayMessageFields, errors_name_the_byte) {
  EXPECT_THAT(error_of(soh("35=D|X=1|")), HasSubstr("at byte 5: a tag"));
  EXPECT_THAT(error_of(soh("35=D|11=A1")), HasSubstr("field 11 at byte 5 has no SOH"));
  EXPECT_THAT(error_of(""), HasSubstr("no MsgType"));
  EXPECT_THAT(error_of(soh("35=D|99999999999=1|")), HasSubstr("a tag"));
  EXPECT_THAT(error_of(soh("00=|35=D|")), HasSubstr("at byte 0: a tag"));
}

TEST(GatewayMessageFields, a_field_before_the_msg_type_is_an_error) {
  for (const char* const text : {"11=A1|", "11=A1|35=D|", "9=5|35=D|", "8=FIX.4.4|11=A1|35=D|",
                                 "8=FIX.4.4|8=FIX.4.4|35=D|", "34=7|35=D|"}) {
    EXPECT_THAT(error_of(soh(text)), HasSubstr("before MsgType (35)")) << text;
  }
  EXPECT_THAT(error_of(soh("35=|11=A1|")), HasSubstr("no MsgType"));
  EXPECT_EQ(error_of(soh("8=FIX.4.4|35=D|11=A1|")), "none");
}

TEST(GatewayMessageFields, owner_is_found_by_cl_ord_id_or_else_orig_cl_ord_id) {
  MessageFields fields;
  const std::string cancel = soh("35=9|41=A1|1=ACC|55=AAPL|");
  ASSERT_TRUE(fields.read(cancel));
  EXPECT_EQ(owner_fields(fields).cl_ord_id, "A1");
  EXPECT_EQ(owner_fields(fields).account, "ACC");
  EXPECT_EQ(owner_fields(fields).symbol, "AAPL");
  const std::string order = soh("35=D|11=A2|41=A1|");
  ASSERT_TRUE(fields.read(order));
  EXPECT_EQ(owner_fields(fields).cl_ord_id, "A2");
}

}  // namespace
}  // namespace nexusfix::gateway
