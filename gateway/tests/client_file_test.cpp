// The file of clients: docs/guide/gateway.md.
#include "gateway/rights/client_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace nexusfix::gateway {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kTwo = R"(# Two traders and drop copy.
[GATEWAY]
SocketPath = /run/nexusfix/gateway.sock
SocketMode = 0660

[CLIENT]
Name=desk1
Token=0123456789abcdef
Sessions=FIX.4.4:ME->A, FIX.4.4:ME->B
Account=ACC1, ACC2
ClOrdIDPrefix=D1-
WhenAway=log-out

[CLIENT]
Name=desk2
Token=fedcba9876543210

[CLIENT]
Name=risk
Token=00112233445566778899
Role=observer
QueueBytes=2000000
)";

TEST(GatewayClientFile, keys_are_read) {
  const auto file = parse_clients(kTwo, "desk.clients");
  ASSERT_TRUE(file) << file.error();
  EXPECT_EQ(file->socket_path, "/run/nexusfix/gateway.sock");
  EXPECT_EQ(file->memory_path, "/dev/shm");
  EXPECT_EQ(file->socket_mode, 0660U);
  ASSERT_EQ(file->clients.size(), 3U);
  const ClientRights& desk1 = file->clients[0];
  EXPECT_THAT(desk1.sessions, ::testing::ElementsAre("FIX.4.4:ME->A", "FIX.4.4:ME->B"));
  EXPECT_THAT(desk1.rule.accounts, ::testing::ElementsAre("ACC1", "ACC2"));
  EXPECT_EQ(desk1.when_away, WhenAway::LogOut);
  EXPECT_TRUE(file->clients[2].is_observer());
  EXPECT_EQ(file->clients[2].queue_bytes, 2'000'000U);
}

TEST(GatewayClientFile, byte_order_mark_is_skipped) {
  const auto file = parse_clients("\xEF\xBB\xBF" + std::string{kTwo}, "desk.clients");
  EXPECT_TRUE(file) << file.error();
}

TEST(GatewayClientFile, memory_has_a_folder_of_its_own_if_it_is_named) {
  const std::string client = "[CLIENT]\nName=a\nToken=0123456789abcdef\n";
  const auto file = parse_clients("[GATEWAY]\nSocketPath=/s\nMemoryPath=/run/shm\n" + client, "f");
  ASSERT_TRUE(file) << file.error();
  EXPECT_EQ(file->memory_path, "/run/shm");
  const auto bad = parse_clients("[GATEWAY]\nSocketPath=/s\nMemoryPath=shm\n" + client, "f");
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error(), HasSubstr("f:3: MemoryPath: a path from / was expected"));
}

TEST(GatewayClientFile, every_fault_has_its_line) {
  const auto file = parse_clients(
      "Name=a\n[GATEWAY]\nSocketMode=9\nPath=x\n[CLIENT]\nName=a b\nToken=short\nRole=boss\n"
      "hello\n[CLIENT]\nName=c\nToken=0123456789abcdef\n[CLIENT]\nName=c\nToken=0123456789abcdef\n"
      "QueueBytes=1\nWhenAway=never\n",
      "f");
  ASSERT_FALSE(file);
  for (const char* const fault :
       {"f:1: a key comes after", "f:3: SocketMode", "f:4: Path is no key", "f:8: Role",
        "f:9: [GATEWAY], [CLIENT]", "f:16: QueueBytes", "f:17: WhenAway", "SocketPath was expected",
        "f:5: Name: 1 to 64", "f:5: Token: at least 16",
        "f:13: the client c has a section already"}) {
    EXPECT_THAT(file.error(), HasSubstr(fault));
  }
}

TEST(GatewayClientFile, a_right_without_a_value_and_one_that_is_given_twice_are_faults) {
  const std::string begin = "[GATEWAY]\nSocketPath=/s\n[CLIENT]\nName=a\nToken=0123456789abcdef\n";
  for (const std::string key : {"Sessions", "MsgType", "Account", "Symbol", "ClOrdIDPrefix"}) {
    for (const std::string value : {"", " , "}) {
      const auto empty = parse_clients(begin + key + "=" + value + "\n", "f");
      ASSERT_FALSE(empty) << key;
      EXPECT_EQ(empty.error(), "f:6: " + key + ": a value was expected");
    }
    const auto twice = parse_clients(begin + key + "=A\n" + key + "=B\n", "f");
    ASSERT_FALSE(twice) << key;
    EXPECT_EQ(twice.error(), "f:7: " + key + " has a value in this section already");
  }
  EXPECT_TRUE(parse_clients(begin + "Sessions=*\n", "f"));
}

TEST(GatewayClientFile, a_key_of_the_web_socket_without_its_port_is_a_fault) {
  const std::string client = "[CLIENT]\nName=a\nToken=0123456789abcdef\n";
  for (const std::string key :
       {"WebSocketHost=127.0.0.1", "WebSocketOrigins=https://a", "WebSocketCertificateFile=/c",
        "WebSocketCertificateKeyFile=/k", "WebSocketAuthoritiesFile=/a"}) {
    const auto file = parse_clients("[GATEWAY]\nSocketPath=/s\n" + key + "\n" + client, "f");
    ASSERT_FALSE(file) << key;
    EXPECT_EQ(file.error(), "f:3: the keys of the WebSocket need WebSocketPort");
  }
}

TEST(GatewayClientFile, an_unknown_session_and_a_trader_that_gets_nothing_are_faults) {
  auto file = parse_clients(kTwo, "f");
  ASSERT_TRUE(file);
  EXPECT_TRUE(check_clients(*file, {"FIX.4.4:ME->A", "FIX.4.4:ME->B", "FIX.4.2:ME->C"}, "f"));
  EXPECT_THAT(check_clients(*file, {"FIX.4.4:ME->A"}, "f").error(),
              HasSubstr("f:6: client desk1: Sessions: the configuration has no session "
                        "FIX.4.4:ME->B"));
  std::swap(file->clients[0], file->clients[1]);
  EXPECT_THAT(check_clients(*file, {"FIX.4.4:ME->A", "FIX.4.4:ME->B"}, "f").error(),
              HasSubstr("client desk1: it would get nothing of session FIX.4.4:ME->A"));
}

TEST(GatewayRights, first_trader_whose_rule_has_the_message_owns_it) {
  const auto file = parse_clients(kTwo, "f");
  ASSERT_TRUE(file);
  const auto owner = [&](std::string_view session, const OwnerFields& fields) {
    const ClientRights* const found = owner_of(file->clients, session, fields);
    return found == nullptr ? std::string{} : found->name;
  };
  EXPECT_EQ(owner("FIX.4.4:ME->A", {"D", "ACC1", "AAPL", "D1-7"}), "desk1");
  EXPECT_EQ(owner("FIX.4.4:ME->A", {"D", "ACC3", "AAPL", "D1-7"}), "desk2");
  EXPECT_EQ(owner("FIX.4.4:ME->A", {"D", "ACC1", "AAPL", "X-7"}), "desk2");
  EXPECT_EQ(owner("FIX.4.2:ME->C", {"D", "ACC1", "AAPL", "D1-7"}), "desk2");
}

TEST(GatewayRights, token_is_compared_whole) {
  ClientRights client;
  client.token = "0123456789abcdef";
  EXPECT_TRUE(is_token(client, "0123456789abcdef"));
  for (const char* const wrong : {"", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeF",
                                  "0123456789abcdef0123456789abcdef"}) {
    EXPECT_FALSE(is_token(client, wrong)) << wrong;
  }
  client.token.clear();
  EXPECT_FALSE(is_token(client, ""));
}

}  // namespace
}  // namespace nexusfix::gateway
