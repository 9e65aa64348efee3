// Logons that an acceptor refuses: which of them it answers with a Logout that has the reason.
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class InvalidLogonTest : public AcceptorTest {
 protected:
  void SetUp() override {
    dictionary = "";  // each version's own
    sessions +=
        "[SESSION]\nBeginString=FIXT.1.1\nDefaultApplVerID=FIX.5.0SP1\nSenderCompID=VENUE\n"
        "TargetCompID=FIXT\n";
  }
  // The last message before the connection was closed; empty if there was none.
  std::string refusal(const std::string& message) {
    RawPeer& peer = connect();
    peer.send(message);
    EXPECT_TRUE(run_until([&] { return peer.closed(); })) << bar(message) << '\n' << log.all();
    return peer.messages().empty() ? "" : bar(peer.messages().back());
  }
  static void expect_has(const std::string& message, std::string_view part) {
    EXPECT_NE(message.find(part), std::string::npos) << part << " is not in " << message;
  }
};

TEST_F(InvalidLogonTest, invalid_logon_of_a_known_counterparty_gets_a_logout_with_text) {
  // TC 1S d.
  open();
  expect_has(refusal(from("TRADER", "A", 1, "98=0|")), "|35=5|34=1|");
  expect_has(refusal(from("TRADER", "A", 1, "98=0|")), "|58=Required tag missing (108)|");
  expect_has(refusal(from("TRADER", "A", 1, "98=0|108=-1|")),
             "|58=HeartBtInt is not between 0 and 3600|");
  expect_has(refusal(from("TRADER", "A", 1, "98=7|108=30|")),
             "|58=Value is incorrect (out of range) for this tag (98)|");
  expect_has(refusal(from("TRADER", "A", 1, "98=0|108=30|9999=x|")),
             "|58=Invalid tag number (9999)|");
  expect_has(refusal(from("OTHER", "A", 2, "98=0|108=30|141=Y|")),
             "|58=ResetSeqNumFlag with MsgSeqNum other than 1|");
  // Each refusal has used one of our MsgSeqNums, and none of the counterparty's.
  RawPeer& peer = log_on("TRADER");
  EXPECT_TRUE(contains(peer.messages()[0], "|35=A|34=6|")) << bar(peer.messages()[0]);
}

TEST_F(InvalidLogonTest, logon_of_another_sender_or_time_is_not_answered) {
  // TC 1S b, c and e, and the acceptance scripts 1c, 1d and 1e of QuickFIX.
  open();
  EXPECT_EQ(refusal(from("STRANGER", "A", 1, "98=0|108=30|")), "");
  EXPECT_EQ(refusal(from("TRADER", "0", 1)), "");
  EXPECT_EQ(
      refusal(fix("FIX.4.3", "35=A|49=TRADER|56=VENUE|34=1|52=" + time_text() + "|98=0|108=30|")),
      "");
  EXPECT_EQ(
      refusal(fix("FIX.4.4", "35=A|49=TRADER|56=VENUE|34=1|52=20010101-00:00:00|98=0|108=30|")),
      "");
  EXPECT_EQ(refusal(from("FIXT", "A", 1, "98=0|108=30|")), "") << "no DefaultApplVerID";
  RawPeer& trader = log_on("TRADER");
  EXPECT_EQ(refusal(logon("TRADER", 1)), "") << "logged on from elsewhere";
  EXPECT_TRUE(contains(trader.messages()[0], "|35=A|34=1|"));
}

TEST_F(InvalidLogonTest, unknown_appl_ver_id_is_refused_and_fix_latest_is_served) {
  // ApplVerID 10 is FIX Latest. Later versions are served with the newest dictionary, too.
  open();
  expect_has(refusal(from("FIXT", "A", 1, "98=0|108=30|1137=1|")),
             "|58=DefaultApplVerID is not supported (1)|");
  expect_has(refusal(from("FIXT", "A", 1, "98=0|108=30|1137=FIX.5.0|")),
             "|58=DefaultApplVerID is not supported (FIX.5.0)|");
  std::uint64_t number = 1;
  for (const char* version : {"10", "11"}) {
    RawPeer& peer = connect();
    peer.send(from("FIXT", "A", number, "98=0|108=30|1137=" + std::string{version} + "|") +
              order("FIXT", number + 1, "A1") + from("FIXT", "5", number + 2));
    ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
    ASSERT_GE(peer.messages().size(), 2U) << log.all();
    EXPECT_TRUE(contains(peer.messages()[0], "|35=A|")) << bar(peer.messages()[0]);
    EXPECT_TRUE(contains(peer.messages()[0], "|1137=8|")) << bar(peer.messages()[0]);
    // An order of FIX 5.0 SP2 that lacks a field: the dictionary of that version rejects it.
    EXPECT_TRUE(contains(peer.messages()[1], "|58=Required tag missing|371=60|"))
        << bar(peer.messages()[1]);
    number += 3;
  }
}

TEST_F(InvalidLogonTest, invalid_logon_is_not_answered_before_the_application_decides) {
  struct Guarded : EchoVenue {
    std::optional<LogonAnswer> on_logon_request(Session&, const LogonRequest&) {
      return LogonAnswer::accept();
    }
  } guarded;
  under_test().open(acceptor, guarded);
  EXPECT_EQ(refusal(from("TRADER", "A", 1, "98=0|108=-1|")), "");
  EXPECT_TRUE(log.has("HeartBtInt is not between 0 and 3600")) << log.all();
  RawPeer& peer = log_on("TRADER");
  EXPECT_TRUE(contains(peer.messages()[0], "|35=A|34=1|")) << "no number was used up";
  acceptor.reset();
}

TEST_F(InvalidLogonTest, session_of_fix_latest_names_it_in_its_logon) {
  sessions =
      "[SESSION]\nBeginString=FIXT.1.1\nDefaultApplVerID=10\nSenderCompID=VENUE\n"
      "TargetCompID=FIXT\n";
  open();
  RawPeer& peer = connect();
  peer.send(from("FIXT", "A", 1, "98=0|108=30|1137=10|"));
  ASSERT_TRUE(run_until([&] { return !peer.messages().empty(); })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[0], "|1137=10|")) << bar(peer.messages()[0]);
  EXPECT_EQ(acceptor->session(0).application_version(), "FIX.5.0SP2");
}

}  // namespace
}  // namespace nexusfix::testing
