// The texts of Hello and Welcome: docs/reference/gateway-protocol.md.
#include "gateway/protocol/greeting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nexusfix::gateway {
namespace {

using ::testing::HasSubstr;

TEST(GatewayHello, name_token_and_cursors_come_back) {
  const HelloText hello{
      .name = "desk1",
      .token = "a=b c",
      .cursors = {{"FIX.4.4:TRADER->VENUE", false, {1, 17}}, {"FIX.4.4:A B->C", true, {3, 0}}}};
  const std::string text = write_hello(hello);
  EXPECT_EQ(text,
            "name=desk1\ntoken=a=b c\ncursor=1 17 FIX.4.4:TRADER->VENUE\n"
            "sent=3 0 FIX.4.4:A B->C\n");
  EXPECT_EQ(read_hello(text), hello);
}

TEST(GatewayHello, in_order_is_asked_for_by_1) {
  HelloText hello{.name = "desk1", .token = "t"};
  hello.is_in_order = true;
  EXPECT_EQ(write_hello(hello), "name=desk1\ntoken=t\nin-order=1\n");
  EXPECT_EQ(read_hello(write_hello(hello)), hello);
  EXPECT_THAT(read_hello("name=a\nin-order=yes\n").error(), HasSubstr("in-order=1 was expected"));
}

TEST(GatewayHello, last_line_may_lack_its_line_feed) {
  const auto hello = read_hello("name=desk1\n\ntoken=t");
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->token, "t");
}

TEST(GatewayHello, errors_name_the_line) {
  EXPECT_THAT(read_hello("token=t\n").error(), HasSubstr("no name"));
  EXPECT_THAT(read_hello("name=a\nrole=trader\n").error(),
              HasSubstr("unknown line of a Hello: role"));
  for (const char* const line : {"cursor=1 17", "cursor=1 x S", "cursor=S", "sent=-1 2 S",
                                 "cursor=99999999999999999999 1 S", "cursor=1 2 "}) {
    const auto hello = read_hello(std::string{"name=a\n"} + line);
    ASSERT_FALSE(hello) << line;
    EXPECT_THAT(hello.error(), HasSubstr("EPOCH MSGSEQNUM SESSION was expected"));
  }
}

TEST(GatewayHello, control_characters_do_not_reach_the_error) {
  EXPECT_EQ(read_hello("\x1b[2J=1\n").error(), "an unknown line of a Hello: \\x1b[2J");
}

TEST(GatewayHello, is_limited) {
  EXPECT_FALSE(read_hello("name=" + std::string(kHelloBytesMax, 'a')));
  EXPECT_TRUE(read_hello("name=" + std::string(kHelloBytesMax - 5, 'a')));
}

TEST(GatewayWelcome, sessions_come_back) {
  const WelcomeText welcome{.gateway = "0.9.0",
                            .role = "trader",
                            .sessions = {{0, 1, 17, 20, true, "FIX.4.4:TRADER->VENUE"},
                                         {3, 2, 0, 0, false, "FIX.4.2:A B->C"}}};
  EXPECT_EQ(read_welcome(write_welcome(welcome)), welcome);
}

TEST(GatewayHello, shared_memory_is_asked_for_by_its_layout_version) {
  const HelloText hello{.name = "desk1", .token = "t", .ring_version = 1, .cursors = {}};
  EXPECT_EQ(write_hello(hello), "name=desk1\ntoken=t\nring=1\n");
  EXPECT_EQ(read_hello(write_hello(hello)), hello);
  EXPECT_EQ(read_hello("name=a\n")->ring_version, 0U);
  for (const char* const line : {"ring=", "ring=0", "ring=x", "ring=1 2", "ring=4294967296"}) {
    const auto bad = read_hello(std::string{"name=a\n"} + line);
    ASSERT_FALSE(bad) << line;
    EXPECT_THAT(bad.error(), HasSubstr("a layout version of the shared memory was expected"));
  }
}

TEST(GatewayWelcome, the_file_of_the_shared_memory_comes_back) {
  const WelcomeText welcome{.gateway = "0.9.0",
                            .role = "trader",
                            .ring = {0xF00D'0000'0000'0001, "/dev/shm/a b"},
                            .sessions = {}};
  EXPECT_EQ(write_welcome(welcome),
            "gateway=0.9.0\nrole=trader\nring=f00d000000000001 /dev/shm/a b\n");
  EXPECT_EQ(read_welcome(write_welcome(welcome)), welcome);
  EXPECT_FALSE(read_welcome("ring=12"));
  EXPECT_FALSE(read_welcome("ring=xyz /dev/shm/a"));
}

TEST(GatewayPlace, an_epoch_comes_before_a_number) {
  EXPECT_LT((MessagePlace{1, 500}), (MessagePlace{2, 1}));
  EXPECT_LT((MessagePlace{2, 1}), (MessagePlace{2, 2}));
}

}  // namespace
}  // namespace nexusfix::gateway
