// Sub and location IDs: part of a session's identity, and of each message's header.
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class SubIdsTest : public AcceptorTest {
 protected:
  SubIdsTest() {
    sessions =
        "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nSenderSubID=BOOK\n"
        "SenderLocationID=LDN\nTargetCompID=TRADER\nTargetSubID=DESK7\nTargetLocationID=NYC\n"
        "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=PLAIN\n";
  }
  static constexpr const char* kIds = "50=DESK7|57=BOOK|142=NYC|143=LDN|";
};

TEST_F(SubIdsTest, sub_ids_are_in_the_name_and_in_all_our_messages) {
  open();
  EXPECT_EQ(acceptor->session(0).name(), "FIX.4.4:VENUE/BOOK/LDN->TRADER/DESK7/NYC");
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 1, kIds));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
  peer.send(order("TRADER", 2, "A"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  for (const std::string& message : peer.messages()) {
    EXPECT_TRUE(contains(message, "|49=VENUE|50=BOOK|52=")) << bar(message);
    EXPECT_TRUE(contains(message, "|56=TRADER|57=DESK7|142=LDN|143=NYC|")) << bar(message);
  }
}

TEST_F(SubIdsTest, session_with_sub_ids_refuses_a_logon_without_them) {
  open();
  for (const std::string ids : {"", "50=DESK7|57=BOOK|", "50=OTHER|57=BOOK|142=NYC|143=LDN|"}) {
    RawPeer& peer = connect();
    peer.send(logon("TRADER", 1, ids));
    EXPECT_TRUE(run_until([&] { return peer.closed(); })) << ids;
    EXPECT_TRUE(peer.messages().empty());
  }
  EXPECT_TRUE(log.has("50=OTHER")) << log.all();
}

TEST_F(SubIdsTest, session_without_sub_ids_accepts_a_logon_with_any) {
  open();
  RawPeer& peer = connect();
  peer.send(logon("PLAIN", 1, "50=ANYBODY|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
  EXPECT_FALSE(contains(peer.messages()[0], "|50=")) << bar(peer.messages()[0]);
}

TEST_F(SubIdsTest, message_with_a_sub_id_twice_is_refused) {
  open();
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 1, kIds));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; }));
  wire::Encoder twice = acceptor->session(0).begin("B");
  twice.field(50, "OTHER").field(58, "text");
  const auto sent = acceptor->session(0).finish(twice);
  ASSERT_FALSE(sent.has_value());
  EXPECT_EQ(sent.error().what(), "field 50: not a tag that a caller may write");
  wire::Encoder routed = acceptor->session(1).begin("B");
  routed.field(50, "OTHER").field(58, "text");
  EXPECT_TRUE(acceptor->session(1).finish(routed)) << "that session's header has none";
}

TEST_F(SubIdsTest, two_sessions_may_differ_only_in_a_sub_id) {
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\nTargetSubID=A\n"
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\nTargetSubID=B\n";
  open();
  for (const std::string sub_id : {"A", "B"}) {
    RawPeer& peer = connect();
    peer.send(logon("TRADER", 1, "50=" + sub_id + "|"));
    ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
    EXPECT_TRUE(contains(peer.messages()[0], "|57=" + sub_id + "|"));
  }
}

TEST(SubIdSettings, fix_40_has_no_location_ids) {
  auto settings = config::parse_settings(
      "[SESSION]\nConnectionType=acceptor\nBeginString=FIX.4.0\nSenderCompID=A\nTargetCompID=B\n"
      "SenderLocationID=LDN\nSocketAcceptPort=0\nFileStorePath=s\n",
      "x.cfg");
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(session::validate(settings->sessions[0].session), "FIX 4.0 has no LocationIDs");
}

}  // namespace
}  // namespace nexusfix::testing
