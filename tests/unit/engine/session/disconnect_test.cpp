// The notification that a session has ended, as a cancel-on-disconnect needs it.
#include <optional>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

struct CancellingVenue : EchoVenue {
  struct Disconnected {
    bool is_orderly;
    std::optional<session::DisconnectReason> reason;
    std::string text;
  };
  std::vector<Disconnected> reported;
  bool throws = false;

  void on_disconnect(Session& session, const Disconnection& disconnection) {
    reported.push_back(
        {disconnection.is_orderly, disconnection.reason, std::string{disconnection.text}});
    if (throws) throw std::runtime_error{"book is closed"};
    answer(session, "CANCELLED");
  }
};

class DisconnectTest : public AcceptorTest {
 protected:
  void TearDown() override { acceptor.reset(); }
  void open_cancelling() { under_test().open(acceptor, cancelling); }
  bool is_reported(std::size_t count = 1) {
    return run_until([&] { return cancelling.reported.size() == count; });
  }
  CancellingVenue cancelling;
};

TEST_F(DisconnectTest, broken_connection_is_notified_at_once_and_its_messages_are_resent) {
  open_cancelling();
  RawPeer& peer = log_on("TRADER");
  peer.close();
  ASSERT_TRUE(is_reported()) << log.all();
  EXPECT_FALSE(cancelling.reported[0].is_orderly);
  EXPECT_FALSE(cancelling.reported[0].reason.has_value());
  EXPECT_EQ(cancelling.reported[0].text, "closed by the counterparty");
  RawPeer& again = connect();
  again.send(logon("TRADER", 2) + from("TRADER", "2", 3, "7=2|16=2|"));
  ASSERT_TRUE(run_until([&] { return again.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(again.messages()[1], "|11=CANCELLED|"));
}

TEST_F(DisconnectTest, logout_of_the_counterparty_is_orderly) {
  open_cancelling();
  RawPeer& peer = log_on("TRADER");
  peer.send(from("TRADER", "5", 2));
  ASSERT_TRUE(is_reported()) << log.all();
  EXPECT_TRUE(cancelling.reported[0].is_orderly);
  EXPECT_EQ(cancelling.reported[0].reason, session::DisconnectReason::LogoutComplete);
}

TEST_F(DisconnectTest, counterparty_that_closes_after_its_logout_is_orderly) {
  logout = "LogoutCloseTimeout=10";
  open_cancelling();
  RawPeer& peer = log_on("TRADER");
  peer.send(from("TRADER", "5", 2));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  turn(20);
  EXPECT_FALSE(peer.closed());
  EXPECT_TRUE(cancelling.reported.empty());
  peer.close();
  ASSERT_TRUE(is_reported()) << log.all();
  EXPECT_TRUE(cancelling.reported[0].is_orderly);
  EXPECT_EQ(cancelling.reported[0].reason, session::DisconnectReason::LogoutComplete);
}

TEST_F(DisconnectTest, counterparty_may_log_on_again_before_it_closes_the_old_connection) {
  logout = "LogoutCloseTimeout=10";
  open_cancelling();
  RawPeer& old = log_on("TRADER");
  old.send(from("TRADER", "5", 2));
  ASSERT_TRUE(run_until([&] { return old.messages().size() == 2; })) << log.all();
  RawPeer& next = connect();
  next.send(logon("TRADER", 3));
  ASSERT_TRUE(run_until([&] { return !next.messages().empty(); })) << log.all();
  EXPECT_TRUE(contains(next.messages()[0], "|35=A|")) << log.all();
  EXPECT_TRUE(run_until([&] { return old.closed(); }));
  EXPECT_TRUE(acceptor->session(0).is_logged_on());
}

TEST_F(DisconnectTest, connection_that_stays_open_after_the_logouts_is_closed) {
  logout = "LogoutCloseTimeout=10";
  open_cancelling();
  RawPeer& peer = log_on("TRADER");
  peer.send(from("TRADER", "5", 2));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  clock.advance(std::chrono::seconds{10});
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_TRUE(log.has("did not close the connection")) << log.all();
  EXPECT_TRUE(is_reported());
}

TEST_F(DisconnectTest, silence_is_notified_with_its_reason) {
  open_cancelling();
  log_on("TRADER");
  for (int i = 0; i < 80 && cancelling.reported.empty(); ++i) {
    clock.advance(std::chrono::seconds{1});
    turn(3);
  }
  ASSERT_EQ(cancelling.reported.size(), 1U) << log.all();
  EXPECT_FALSE(cancelling.reported[0].is_orderly);
  EXPECT_EQ(cancelling.reported[0].reason, session::DisconnectReason::HeartbeatTimeout);
}

TEST_F(DisconnectTest, peer_that_never_logged_on_is_not_notified) {
  open_cancelling();
  RawPeer& peer = connect();
  peer.send(from("TRADER", "D", 1));
  ASSERT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_TRUE(cancelling.reported.empty());
}

TEST_F(DisconnectTest, delayed_notice_is_dropped_if_the_counterparty_returns_in_time) {
  extra = "DisconnectNoticeDelay=5";
  open_cancelling();
  log_on("TRADER").close();
  ASSERT_TRUE(run_until([&] { return cancelling.logouts == 1; }));
  clock.advance(std::chrono::seconds{4});
  turn(5);
  RawPeer& again = log_on("TRADER", 2);
  clock.advance(std::chrono::seconds{4});
  turn(5);
  EXPECT_TRUE(cancelling.reported.empty());
  again.close();
  ASSERT_TRUE(run_until([&] { return cancelling.logouts == 2; }));
  EXPECT_TRUE(cancelling.reported.empty());
  clock.advance(std::chrono::seconds{5});
  ASSERT_TRUE(is_reported()) << log.all();
  EXPECT_EQ(cancelling.reported[0].text, "closed by the counterparty");
}

TEST_F(DisconnectTest, delayed_notice_is_given_when_the_engine_stops) {
  extra = "DisconnectNoticeDelay=3600";
  open_cancelling();
  log_on("TRADER").close();
  ASSERT_TRUE(run_until([&] { return cancelling.logouts == 1; }));
  acceptor->stop();
  turn(5);
  EXPECT_EQ(cancelling.reported.size(), 1U);
}

TEST_F(DisconnectTest, throwing_notice_is_given_once_and_others_are_served) {
  open_cancelling();
  cancelling.throws = true;
  log_on("TRADER").close();
  ASSERT_TRUE(is_reported()) << log.all();
  EXPECT_TRUE(log.has("book is closed")) << log.all();
  cancelling.throws = false;
  expect_still_serving();
  EXPECT_EQ(cancelling.reported.size(), 1U);
}

TEST_F(DisconnectTest, message_sent_from_the_last_notice_is_durable_when_the_engine_ends) {
  extra = "DisconnectNoticeDelay=3600\nJournalDurability=sync";
  open_cancelling();
  log_on("TRADER").close();
  ASSERT_TRUE(run_until([&] { return cancelling.logouts == 1; }));
  acceptor->stop();
  ASSERT_TRUE(run_until([&] { return !acceptor->poll(std::chrono::nanoseconds{0}); }));
  EXPECT_EQ(cancelling.reported.size(), 1U);
  EXPECT_EQ(acceptor->store().durable(), acceptor->store().appended());
}

TEST_F(DisconnectTest, delayed_notice_keeps_the_reason_of_its_own_connection) {
  extra = "DisconnectNoticeDelay=5";
  open_cancelling();
  log_on("TRADER").close();
  ASSERT_TRUE(run_until([&] { return cancelling.logouts == 1; }));
  RawPeer& unknown = connect();
  unknown.send(logon("TRADER", 1));  // too low
  ASSERT_TRUE(run_until([&] { return unknown.closed(); })) << log.all();
  clock.advance(std::chrono::seconds{5});
  ASSERT_TRUE(is_reported());
  EXPECT_FALSE(cancelling.reported[0].reason.has_value());
  EXPECT_EQ(cancelling.reported[0].text, "closed by the counterparty");
}

TEST_F(DisconnectTest, message_sent_between_turns_makes_the_next_turn_due) {
  extra = "JournalDurability=sync";
  open_cancelling();
  turn(3);
  EXPECT_NE(acceptor->next_deadline(), MonoTime::min());
  EchoVenue::answer(acceptor->session(0), "STORED");
  EXPECT_EQ(acceptor->next_deadline(), MonoTime::min());
  EXPECT_TRUE(
      run_until([&] { return acceptor->store().durable() == acceptor->store().appended(); }));
  turn(1);
  EXPECT_NE(acceptor->next_deadline(), MonoTime::min());
}

}  // namespace
}  // namespace nexusfix::testing
