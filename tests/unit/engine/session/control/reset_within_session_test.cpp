// A Logon with ResetSeqNumFlag within a session, from either side: no state of the old sequence
// numbers remains, whatever was in progress.
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using std::chrono::seconds;

class ResetWithinSessionTest : public AcceptorTest {
 protected:
  [[nodiscard]] Session& trader() { return acceptor->session(0); }

  void reset_numbers(RawPeer& peer) {
    const std::size_t before = peer.messages().size();
    peer.send(logon("TRADER", 1, "141=Y|"));
    ASSERT_TRUE(run_until([&] { return peer.messages().size() > before; })) << log.all();
    EXPECT_TRUE(contains(peer.messages()[before], "|35=A|34=1|")) << bar(peer.messages()[before]);
    EXPECT_EQ(peer.messages().size(), before + 1);
  }

  // A counterparty whose ResendRequest for five reports, 2 to 6, is answered with one report a
  // second.
  RawPeer& log_on_and_ask() {
    extra += "\nMaxResendsPerSecond=1";
    open();
    RawPeer& peer = log_on("TRADER");
    for (int i = 0; i < 5; ++i) EchoVenue::answer(trader(), "OLD-" + std::to_string(i));
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == 6; }));
    peer.send(from("TRADER", "2", 2, "7=2|16=0|"));
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == 7; })) << log.all();
    return peer;
  }
  [[nodiscard]] bool ends_with_logout(RawPeer& peer, std::uint64_t msg_seq_num) {
    return contains(peer.messages().back(), "|35=5|34=" + std::to_string(msg_seq_num) + "|");
  }
};

TEST_F(ResetWithinSessionTest, early_orders_before_the_reset_are_never_delivered) {
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 4, "OLD-4") + order("TRADER", 5, "OLD-5"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  ASSERT_TRUE(contains(peer.messages()[1], "|35=2|")) << "2 and 3 are asked for";
  reset_numbers(peer);
  for (std::uint64_t n = 2; n <= 6; ++n) {
    peer.send(order("TRADER", n, "NEW-" + std::to_string(n)));
  }
  ASSERT_TRUE(run_until([&] { return venue.orders.size() >= 5; })) << log.all();
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"NEW-2", "NEW-3", "NEW-4", "NEW-5", "NEW-6"}));
  EXPECT_TRUE(trader().is_logged_on()) << log.all();
}

TEST_F(ResetWithinSessionTest, messages_queued_after_a_resend_are_never_sent) {
  RawPeer& peer = log_on_and_ask();
  EchoVenue::answer(trader(), "OLD-LIVE");
  turn(20);
  EXPECT_EQ(peer.messages().size(), 7U) << "it waits until the resend ends";
  reset_numbers(peer);
  EchoVenue::answer(trader(), "NEW-2");
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 9; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[8], "|34=2|")) << bar(peer.messages()[8]);
  // The old message would leave at the end of the next resend.
  peer.send(from("TRADER", "2", 2, "7=2|16=0|"));
  for (int i = 0; i < 5; ++i) {
    clock.advance(seconds{1});
    turn(20);
  }
  for (std::size_t i = 7; i < peer.messages().size(); ++i) {
    EXPECT_FALSE(contains(peer.messages()[i], "|11=OLD-")) << bar(peer.messages()[i]);
  }
  EXPECT_TRUE(trader().is_logged_on()) << log.all();
}

TEST_F(ResetWithinSessionTest, progress_is_recorded_from_the_first_message_after_the_reset) {
  // The next number is the same as before the reset, but the store must record it.
  open();
  RawPeer& peer = log_on("TRADER");
  reset_numbers(peer);
  EXPECT_EQ(trader().numbers().next_inbound, 2U);
  reopen();
  EXPECT_EQ(trader().numbers().next_inbound, 2U);
}

TEST_F(ResetWithinSessionTest, logout_during_a_delayed_resend_is_answered) {
  RawPeer& peer = log_on_and_ask();
  EchoVenue::answer(trader(), "LIVE");
  peer.send(from("TRADER", "5", 3));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_TRUE(ends_with_logout(peer, 8)) << bar(peer.messages().back());
}

TEST_F(ResetWithinSessionTest, logout_that_resets_the_numbers_is_answered_during_a_resend) {
  extra = "ResetOnLogout=Y";
  RawPeer& peer = log_on_and_ask();
  peer.send(from("TRADER", "5", 3));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_TRUE(ends_with_logout(peer, 7)) << bar(peer.messages().back());
  EXPECT_EQ(trader().numbers(), (session::Numbers{1, 1}));
}

// From our side: up to the Logon, which the counterparty has not answered.
class OwnResetTest : public ResetWithinSessionTest {
 protected:
  RawPeer& ask() {
    RawPeer& peer = log_on("TRADER");
    peer.send(order("TRADER", 2, "OLD"));
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
    EXPECT_TRUE(trader().reset_in_session().has_value());
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == 3; })) << log.all();
    EXPECT_TRUE(contains(peer.messages()[2], "|35=1|")) << bar(peer.messages()[2]);
    EXPECT_TRUE(contains(peer.messages()[2], "|112=RESET|")) << bar(peer.messages()[2]);
    peer.send(from("TRADER", "0", 3, "112=RESET|"));
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == 4; })) << log.all();
    EXPECT_TRUE(is_reset_logon(peer.messages()[3])) << bar(peer.messages()[3]);
    return peer;
  }
  static bool is_reset_logon(const std::string& message) {
    return contains(message, "|35=A|34=1|") && contains(message, "|141=Y|");
  }
};

TEST_F(OwnResetTest, both_sides_go_on_with_new_numbers_on_the_same_connection) {
  open();
  RawPeer& peer = ask();
  peer.send(logon("TRADER", 1, "141=Y|") + order("TRADER", 2, "NEW"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 5; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[4], "|34=2|")) << bar(peer.messages()[4]);
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"OLD", "NEW"}));
  EXPECT_EQ(trader().numbers(), (session::Numbers{3, 3}));
  EXPECT_FALSE(log.has("gap detected")) << log.all();
  reopen();
  EXPECT_EQ(trader().numbers(), (session::Numbers{3, 3}));
}

TEST_F(OwnResetTest, order_on_its_way_is_executed_once_and_its_report_has_a_new_number) {
  open();
  RawPeer& peer = ask();
  peer.send(order("TRADER", 4, "FLYING") + logon("TRADER", 1, "141=Y|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 6; })) << log.all();
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"OLD", "FLYING"}));
  EXPECT_TRUE(contains(peer.messages()[4], "|34=2|")) << bar(peer.messages()[4]);
  EXPECT_EQ(trader().numbers().next_inbound, 2U);
}

TEST_F(OwnResetTest, logon_that_was_not_answered_is_repeated_after_a_crash) {
  open();
  ask();
  EXPECT_EQ(trader().numbers(), (session::Numbers{1, 2}));
  reopen();
  EXPECT_EQ(trader().numbers(), (session::Numbers{1, 2}));
  // The counterparty knows nothing of it, and has its old numbers.
  RawPeer& again = connect();
  again.send(logon("TRADER", 4));
  ASSERT_TRUE(run_until([&] { return !again.messages().empty(); })) << log.all();
  EXPECT_TRUE(is_reset_logon(again.messages()[0])) << bar(again.messages()[0]);
  again.send(logon("TRADER", 1, "141=Y|") + order("TRADER", 2, "NEW"));
  ASSERT_TRUE(run_until([&] { return again.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(again.messages()[1], "|34=2|")) << bar(again.messages()[1]);
  EXPECT_EQ(venue.orders.back(), "NEW");
  reopen();
  EXPECT_EQ(trader().numbers(), (session::Numbers{3, 3}));
  RawPeer& usual = connect();
  usual.send(logon("TRADER", 3));
  ASSERT_TRUE(run_until([&] { return !usual.messages().empty(); })) << log.all();
  EXPECT_TRUE(contains(usual.messages()[0], "|35=A|34=3|")) << bar(usual.messages()[0]);
}

TEST_F(OwnResetTest, store_has_no_credentials_of_the_logon) {
  open();
  ask();
  std::string stored;
  const auto visit = [&](std::uint64_t, std::string_view bytes) {
    stored = bytes;
    return true;
  };
  ASSERT_TRUE(acceptor->store().read(0, 1, 1, visit).has_value());
  EXPECT_TRUE(contains(stored, "|35=A|34=1|")) << bar(stored);
  EXPECT_FALSE(contains(stored, "|98=")) << bar(stored);
}

TEST_F(OwnResetTest, is_refused_without_a_logon) {
  open();
  const auto asked = trader().reset_in_session();
  ASSERT_FALSE(asked.has_value());
  EXPECT_EQ(asked.error(), "the session is not logged on");
}

TEST_F(OwnResetTest, number_above_the_limit_asks_for_it) {
  extra = "ResetSeqNumAt=3";
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A") + order("TRADER", 3, "B"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 3; })) << log.all();
  EXPECT_TRUE(run_until([&] {
    clock.advance(seconds{1});
    return contains(peer.messages().back(), "|112=RESET|");
  })) << log.all();
}

TEST_F(OwnResetTest, burst_above_the_limit_asks_for_it_within_a_second) {
  extra = "ResetSeqNumAt=20";
  open();
  RawPeer& peer = log_on("TRADER");
  turn(5);
  std::string orders;
  for (std::uint64_t number = 2; number <= 40; ++number) {
    orders += order("TRADER", number, "A" + std::to_string(number));
  }
  peer.send(orders);
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 40; })) << log.all();
  clock.advance(seconds{1});
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 41; })) << log.all();
  EXPECT_TRUE(contains(peer.messages().back(), "|112=RESET|")) << bar(peer.messages().back());
}

}  // namespace
}  // namespace nexusfix::testing
