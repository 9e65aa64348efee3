// Which administrative messages count as a flood, as a table.
#include <chrono>
#include <string>
#include <string_view>

#include "engine/session/inbound_messages.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;

class Floods : public testing::FloorsTest {
 protected:
  Floods() { extra = "MaxAdminMessagesPerSecond=2"; }

  void count(std::string_view msg_type) {
    const std::string bytes = message(entry(), msg_type, 2);
    const auto parsed = loop().parsers.inbound.parse(bytes);
    ASSERT_TRUE(parsed.has_value());
    count_administrative(loop(), entry(), *parsed, pack(msg_type));
  }
  [[nodiscard]] bool is_disconnecting() {
    return entry().commands.has(SessionCommands::Kind::Disconnect) &&
           entry().commands.has(SessionCommands::Kind::LogOut);
  }
};

TEST_F(Floods, counterparty_is_disconnected_above_the_limit_of_a_second) {
  struct Row {
    std::string_view msg_type;
    int count;
    std::chrono::nanoseconds pause;  // after each message
    bool is_flood;
  };
  for (const Row& row : {
           Row{"1", 1, 0s, false}, Row{"1", 2, 0s, false}, Row{"1", 3, 0s, true},
           Row{"1", 3, 400ms, true}, Row{"1", 3, 500ms, false}, Row{"1", 9, 1s, false},
           Row{"0", 3, 0s, true}, Row{"2", 3, 0s, true},
           Row{"4", 9, 0s, false},  // a resend has one for each gap
       }) {
    open();
    log_on(entry());
    for (int i = 0; i < row.count; ++i) {
      count(row.msg_type);
      pass(row.pause);
    }
    EXPECT_EQ(is_disconnecting(), row.is_flood) << row.msg_type << " " << row.count;
    EXPECT_EQ(log.has(EventId::MessageFlood), row.is_flood) << log.all();
  }
}

TEST_F(Floods, rejects_are_counted_apart_and_only_of_a_session_that_is_logged_on) {
  open();
  bind(entry());
  for (int i = 0; i < 3; ++i) count_reject(loop(), entry());
  EXPECT_FALSE(is_disconnecting()) << "its Logon is refused otherwise";
  sessions().disconnector.close(*entry().connection());
  for (int i = 0; i < 9; ++i) count_reject(loop(), entry());  // there is no connection
  log_on(entry());
  for (int i = 0; i < 2; ++i) count("1");
  for (int i = 0; i < 2; ++i) count_reject(loop(), entry());
  EXPECT_FALSE(is_disconnecting());
  count_reject(loop(), entry());
  EXPECT_TRUE(is_disconnecting());
  EXPECT_TRUE(log.has(EventId::MessageFlood, "more than 2 messages had to be rejected"))
      << log.all();
}

}  // namespace
}  // namespace nexusfix::engine
