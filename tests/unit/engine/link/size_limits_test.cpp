// The sizes of a message and of a Logon (MaxMessageSize, MaxLogonSize): at the limit and above.
#include "unit/engine/support/initiator_fixture.hpp"

namespace nexusfix::testing {
namespace {

class SizeLimitsTest : public InitiatorTest {
 protected:
  // A message of exactly this number of bytes; its Text (58) is padded.
  [[nodiscard]] std::string sized(std::string_view who, std::string_view msg_type,
                                  std::uint64_t number, const std::string& body,
                                  std::size_t bytes) {
    std::string message;
    // A second pass may be needed: BodyLength may get one more digit.
    for (std::size_t text = bytes - 200; message.size() != bytes; text += bytes - message.size()) {
      message = from(who, msg_type, number, body + "58=" + std::string(text, 'x') + "|");
    }
    EXPECT_EQ(message.size(), bytes);
    return message;
  }
  [[nodiscard]] std::string sized_order(std::uint64_t number, std::size_t bytes) {
    return sized("TRADER", "D", number, "11=A" + std::to_string(number) + "|", bytes);
  }
  [[nodiscard]] std::string sized_logon(std::string_view who, std::size_t bytes) {
    return sized(who, "A", 1, "98=0|108=30|", bytes);
  }
  // Sends it in two pieces, the first of this number of bytes, and expects a Logon.
  void expect_in(const std::string& whole, std::size_t first_bytes) {
    RawPeer& peer = connect();
    peer.send(whole.substr(0, first_bytes));
    ASSERT_TRUE(run_until([&] { return peer.all_sent(); }));
    turn(3);
    peer.send(whole.substr(first_bytes));
    ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
    EXPECT_TRUE(contains(peer.messages()[0], "|35=A|")) << peer.messages()[0];
    peer.close();
    ASSERT_TRUE(run_until([&] { return !acceptor->session(0).is_logged_on(); }));
    peers.clear();
  }
  void expect_refused(const std::string& bytes, std::string_view why) {
    RawPeer& peer = connect();
    peer.send(bytes);
    EXPECT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
    EXPECT_TRUE(peer.messages().empty());
    EXPECT_TRUE(log.has(why)) << log.all();
  }
};

TEST_F(SizeLimitsTest, message_of_max_message_size_is_processed_and_a_longer_one_disconnects) {
  for (const std::size_t limit : {std::size_t{1'024}, std::size_t{3'000'000}}) {
    extra = "MaxMessageSize=" + std::to_string(limit) + "\nResetOnLogon=Y\nStore=memory\n";
    acceptor.reset();
    peers.clear();
    venue.orders.clear();
    open();
    RawPeer& peer = log_on("TRADER");
    const std::string longest = sized_order(2, limit);
    peer.send(longest.substr(0, limit / 2));
    ASSERT_TRUE(run_until([&] { return peer.all_sent(); }));
    peer.send(longest.substr(limit / 2) + sized_order(3, limit));
    ASSERT_TRUE(run_until([&] { return venue.orders.size() == 2; })) << limit << log.all();
    EXPECT_EQ(acceptor->statistics().loops[0].garbled, 0U);
    peer.send(sized_order(4, limit + 1) + order("TRADER", 4, "AFTER"));
    EXPECT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
    EXPECT_TRUE(log.has("BodyLength is above the limit")) << log.all();
    EXPECT_EQ(venue.orders, (std::vector<std::string>{"A2", "A3"}));
    expect_still_serving();
  }
}

TEST_F(SizeLimitsTest, message_that_is_too_long_disconnects_before_its_bytes_arrive) {
  extra = "MaxMessageSize=1024\n";
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(sized_order(2, 2'000).substr(0, 30));
  EXPECT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
}

TEST_F(SizeLimitsTest, each_session_of_a_port_has_its_own_limits) {
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
      "MaxLogonSize=8192\nMaxMessageSize=8192\n"
      "[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\nTargetCompID=OTHER\n";
  open();
  expect_in(sized_logon("TRADER", 8'192), 100);
  expect_refused(sized_logon("OTHER", 4'097),
                 "49=OTHER 56=VENUE: more bytes than a Logon may have (MaxLogonSize)");
  RawPeer& other = connect();
  other.send(sized_logon("OTHER", 4'096) + sized("OTHER", "D", 2, "11=A2|", 20'000));
  EXPECT_TRUE(run_until([&] { return other.messages().size() == 2; })) << log.all();
}

TEST_F(SizeLimitsTest, logon_of_max_logon_size_is_answered_and_a_longer_one_is_closed) {
  for (const std::size_t limit : {std::size_t{256}, std::size_t{4'096}, std::size_t{200'000}}) {
    extra = limit == 4'096 ? "" : "MaxLogonSize=" + std::to_string(limit) + "\n";
    extra += "ResetOnLogon=Y\nStore=memory\n";
    acceptor.reset();
    open();
    const std::string longest = sized_logon("TRADER", limit);
    for (const std::size_t cut : {std::size_t{0}, std::size_t{30}, limit - 1}) {
      expect_in(longest, cut);
    }
    expect_refused(sized_logon("TRADER", limit + 1),
                   "more bytes than a Logon may have (MaxLogonSize)");
    log.clear();
    // Refused before its bytes arrive if it is too long even with a truncated CheckSum.
    expect_refused(sized_logon("TRADER", limit + 20).substr(0, 30),
                   "more bytes than a Logon may have (MaxLogonSize)");
    EXPECT_EQ(acceptor->session(0).numbers().next_inbound, 2U);
  }
}

TEST_F(SizeLimitsTest, initiator_disconnects_at_a_longer_message_without_using_its_number) {
  open();
  trader_under_test(acceptor->accept_port(), "MaxMessageSize=2000\n").open(initiator, trader);
  ASSERT_TRUE(turn_until([&] { return trader.logons == 1; })) << trader_log.all();
  EchoVenue::send_text(acceptor->session(0), 1'000);
  ASSERT_TRUE(turn_until([&] { return trader.reports.size() == 1; }));
  EchoVenue::send_text(acceptor->session(0), 2'000);
  ASSERT_TRUE(turn_until([&] { return trader.logouts == 1; })) << trader_log.all();
  EXPECT_TRUE(trader_log.has("BodyLength is above the limit")) << trader_log.all();
  EXPECT_EQ(trader.reports.size(), 1U);
  EXPECT_EQ(initiator->session(0).numbers().next_inbound, 3U);
}

}  // namespace
}  // namespace nexusfix::testing
