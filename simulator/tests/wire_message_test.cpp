#include "simulator/check/wire_message.hpp"

#include <gtest/gtest.h>
#include <string>

#include "support/fix_text.hpp"

namespace nexusfix::simulator {
namespace {

std::string fix(const std::string& body) { return nexusfix::testing::fix("FIX.4.4", body); }

// Session Layer, "Message construction": BodyLength and CheckSum.
TEST(WireMessage, a_whole_message_has_its_size_and_a_part_of_one_needs_more) {
  const std::string bytes = fix("35=D|34=7|49=A|56=B|52=20240115-10:30:00|11=X|");
  EXPECT_EQ(wire_message_size(bytes), bytes.size());
  EXPECT_EQ(wire_message_size(bytes + "8=FIX"), bytes.size());
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_EQ(wire_message_size(bytes.substr(0, size)), 0U) << size;
  }
}

TEST(WireMessage, bytes_that_are_no_message_have_no_size) {
  EXPECT_EQ(wire_message_size("hello, world, and a good deal more than a head has of bytes"),
            std::nullopt);
  EXPECT_EQ(wire_message_size("8=FIX.4.4\x01"
                              "35=A\x01"
                              "9=12\x01"),
            std::nullopt);
}

TEST(WireMessage, a_wrong_check_sum_or_no_MsgSeqNum_is_no_message) {
  std::string bytes = fix("35=D|34=7|49=A|56=B|52=20240115-10:30:00|11=X|");
  ASSERT_TRUE(read_wire_message(bytes));
  bytes[bytes.find("11=X") + 3] = 'Y';
  EXPECT_FALSE(read_wire_message(bytes));
  EXPECT_FALSE(read_wire_message(fix("35=D|49=A|56=B|")));
}

TEST(WireMessage, a_resent_message_has_the_fingerprint_of_the_original) {
  const auto first = read_wire_message(fix("35=D|34=7|49=A|56=B|52=20240115-10:30:00|11=X|"));
  const auto again = read_wire_message(
      fix("35=D|34=7|43=Y|49=A|56=B|52=20240116-11:00:00|122=20240115-10:30:00|11=X|"));
  const auto other = read_wire_message(fix("35=D|34=7|49=A|56=B|52=20240115-10:30:00|11=Z|"));
  ASSERT_TRUE(first && again && other);
  EXPECT_EQ(first->fingerprint, again->fingerprint);
  EXPECT_NE(first->fingerprint, other->fingerprint);
  EXPECT_FALSE(first->poss_dup);
  EXPECT_TRUE(again->poss_dup);
}

TEST(WireMessage, the_fields_of_a_gap_fill_and_of_a_reset_are_read) {
  const std::string bytes = fix("35=4|34=3|43=Y|49=A|56=B|52=x|36=9|123=Y|");
  const auto fill = read_wire_message(bytes);
  ASSERT_TRUE(fill);
  EXPECT_TRUE(fill->gap_fill);
  EXPECT_EQ(fill->new_seq_no, 9U);
  EXPECT_TRUE(fill->is_administrative());
  const auto logon = read_wire_message(fix("35=A|34=1|49=A|56=B|52=x|141=Y|"));
  ASSERT_TRUE(logon);
  EXPECT_TRUE(logon->reset_flag);
}

}  // namespace
}  // namespace nexusfix::simulator
