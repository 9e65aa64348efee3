// The rules that the tester asks of every message: docs/guide/test-scripts.md.
#include "tester/play/received_message.hpp"

#include <gtest/gtest.h>

#include "support/fix_text.hpp"

namespace nexusfix::tester {
namespace {

constexpr Standing kStanding{.begin_string = "FIX.4.4",
                             .sender_comp_id = "VENUE",
                             .target_comp_id = "TESTER",
                             .msg_seq_num = 7};
constexpr std::string_view kBody = "35=0|34=7|49=VENUE|52=20240115-10:30:00|56=TESTER|";

std::string breach_in(const std::string& bytes) {
  const auto breach = breach_of(bytes, kStanding);
  return breach ? breach->what : "none";
}

std::string with(std::string_view old_text, std::string_view new_text) {
  std::string body{kBody};
  body.replace(body.find(old_text), old_text.size(), new_text);
  return testing::fix("FIX.4.4", body);
}

TEST(ReceivedMessage, each_broken_rule_is_named) {
  EXPECT_EQ(breach_in(testing::fix("FIX.4.4", kBody)), "none");
  EXPECT_EQ(breach_in(testing::fix("FIX.4.2", kBody)),
            "BeginString (8) is FIX.4.2, and must be FIX.4.4");
  EXPECT_EQ(breach_in(with("34=7", "34=8")), "MsgSeqNum (34) is 8, and must be 7");
  EXPECT_EQ(breach_in(with("34=7|", "34=1|43=Y|")), "none");
  EXPECT_EQ(breach_in(with("34=7|", "")), "MsgSeqNum (34) is missing or no number");
  EXPECT_EQ(breach_in(with("VENUE", "ELSE")), "SenderCompID (49) is ELSE, and must be VENUE");
  EXPECT_EQ(breach_in(with("56=TESTER|", "")), "TargetCompID (56) is absent, and must be TESTER");
  EXPECT_EQ(breach_in(with("52=20240115-10:30:00|", "")), "SendingTime (52) is missing");
  EXPECT_EQ(breach_in(with("35=0|34=7", "34=7|35=0")),
            "BeginString (8), BodyLength (9) and MsgType (35) must come first");
  std::string bytes = testing::fix("FIX.4.4", kBody);
  bytes[bytes.size() - 2] = bytes[bytes.size() - 2] == '0' ? '1' : '0';
  EXPECT_EQ(breach_in(bytes).substr(0, 16), "CheckSum (10) is");
  EXPECT_EQ(breach_in(testing::with_checksum(testing::soh("8=FIX.4.4|9=10|" + std::string{kBody}))),
            "BodyLength (9) is 10, and must be 50");
  const std::string zeros = testing::soh("8=FIX.4.4|9=0050|" + std::string{kBody});
  EXPECT_EQ(breach_in(testing::with_checksum(zeros)), "none");
  EXPECT_EQ(breach_in(""), "BeginString (8), BodyLength (9) and MsgType (35) must come first");
}

TEST(ReceivedMessage, next_number_follows_the_message) {
  const auto next = [](std::string_view message, std::uint64_t expected) {
    const std::string bytes = testing::soh(message);
    return next_after(fields_of(bytes), expected);
  };
  EXPECT_EQ(next("35=0|34=7|", 7), 8U);
  EXPECT_EQ(next("35=4|34=7|43=Y|36=20|", 7), 20U);
  EXPECT_EQ(next("35=4|34=1|43=Y|36=3|", 7), 7U);
  EXPECT_EQ(next("35=4|34=1|36=3|", 7), 3U);
  EXPECT_EQ(next("35=8|34=3|43=Y|", 7), 7U);
  EXPECT_EQ(next("35=0|", 7), 7U);
}

}  // namespace
}  // namespace nexusfix::tester
