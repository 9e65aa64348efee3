// Sessions that are added, removed, and created from a template while the engine runs.
#include "unit/engine/support/initiator_fixture.hpp"

namespace nexusfix::testing {
namespace {

class SessionRegistryTest : public AcceptorTest {
 protected:
  [[nodiscard]] config::Settings more(const std::string& session_keys) {
    auto settings = config::parse_settings(
        "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\nSocketAcceptAddress=127.0.0.1\n"
        "FileStorePath=elsewhere\nNonStopSession=Y\nUseDataDictionary=N\n" +
            session_keys,
        "more.cfg");
    EXPECT_TRUE(settings.has_value()) << settings.error().front().what();
    return std::move(*settings);
  }
  static constexpr const char* kNewcomer =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=NEWCOMER\n";
  void refuse(std::string_view who) {
    RawPeer& peer = connect();
    peer.send(logon(who, 1));
    EXPECT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
    EXPECT_TRUE(peer.messages().empty());
  }
};

TEST_F(SessionRegistryTest, added_session_trades_beside_the_configured_ones) {
  open();
  RawPeer& first = log_on("TRADER");
  refuse("NEWCOMER");
  const auto added = acceptor->add_sessions(more(kNewcomer));
  ASSERT_TRUE(added.has_value()) << added.error().what();
  EXPECT_EQ(acceptor->session_count(), 3U);
  RawPeer& peer = log_on("NEWCOMER");
  peer.send(order("NEWCOMER", 2, "N1"));
  first.send(order("TRADER", 2, "T1"));
  EXPECT_TRUE(run_until([&] { return venue.orders.size() == 2; })) << log.all();
}

TEST_F(SessionRegistryTest, adding_an_existing_session_adds_nothing) {
  open();
  const std::string there =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n";
  const auto added = acceptor->add_sessions(more(kNewcomer + there));
  ASSERT_FALSE(added.has_value());
  EXPECT_EQ(added.error().what(),
            "more.cfg:12: FIX.4.4:VENUE->TRADER: there is such a session already");
  EXPECT_EQ(acceptor->session_count(), 2U);
  EXPECT_EQ(acceptor->find_session("FIX.4.4:VENUE->NEWCOMER"), nullptr);
}

TEST_F(SessionRegistryTest, sessions_are_not_added_from_within_a_callback) {
  open();
  std::string refused;
  venue.before_answer = [&](Session&, const MessageView&) {
    const auto added = acceptor->add_sessions(more(kNewcomer));
    refused = added ? "added" : added.error().what();
  };
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A"));
  ASSERT_TRUE(run_until([&] { return !refused.empty(); }));
  EXPECT_EQ(refused, "sessions are not added from within a callback");
}

TEST_F(SessionRegistryTest, removed_session_logs_out_and_refuses_its_counterparty) {
  open();
  RawPeer& peer = log_on("TRADER");
  acceptor->session(0).remove("moved to another host");
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|35=5|"));
  EXPECT_TRUE(contains(peer.messages()[1], "|58=moved to another host|"));
  peer.send(from("TRADER", "5", 2));
  ASSERT_TRUE(run_until([&] { return acceptor->session_count() == 1; })) << log.all();
  EXPECT_EQ(venue.logouts, 1);
  EXPECT_EQ(acceptor->session(0).name(), "FIX.4.2:VENUE->OTHER");
  refuse("TRADER");
  expect_still_serving();
}

TEST_F(SessionRegistryTest, session_that_is_added_again_continues_its_numbers) {
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  acceptor->session(0).remove({});
  peer.send(from("TRADER", "5", 3));
  ASSERT_TRUE(run_until([&] { return acceptor->session_count() == 1; })) << log.all();
  auto again = more("[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n");
  const std::uint16_t port = acceptor->accept_port();
  ASSERT_TRUE(acceptor->add_sessions(std::move(again)));
  EXPECT_EQ(acceptor->accept_port(), port) << "the same endpoint is shared";
  RawPeer& back = log_on("TRADER", 4);
  EXPECT_TRUE(contains(back.messages()[0], "|34=4|")) << bar(back.messages()[0]);
}

TEST_F(SessionRegistryTest, session_may_remove_itself_from_its_own_callback) {
  open();
  RawPeer& peer = log_on("TRADER");
  venue.before_answer = [](Session& session, const MessageView&) { session.remove("no more"); };
  peer.send(order("TRADER", 2, "LAST"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 3; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|11=LAST|"));
  peer.send(from("TRADER", "5", 3));
  EXPECT_TRUE(run_until([&] { return acceptor->session_count() == 1; })) << log.all();
}

TEST_F(SessionRegistryTest, port_is_closed_with_its_last_session) {
  open();
  acceptor->session(0).remove({});
  acceptor->session(1).remove({});
  EXPECT_TRUE(run_until([&] { return acceptor->session_count() == 0; })) << log.all();
  EXPECT_TRUE(log.has("is closed: no session is left for it")) << log.all();
  EXPECT_TRUE(run_until([&] { return !acceptor->poll({}); })) << "nothing is left to do";
}

class TemplateTest : public SessionRegistryTest {
 protected:
  TemplateTest() {
    sessions +=
        "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=*\nAcceptorTemplate=Y\n";
  }
};

TEST_F(TemplateTest, unknown_client_gets_its_own_session) {
  open();
  EXPECT_EQ(acceptor->session_count(), 2U) << "a template is no session";
  RawPeer& peer = log_on("STRANGER");
  EXPECT_EQ(acceptor->session_count(), 3U);
  peer.send(order("STRANGER", 2, "S1"));
  EXPECT_TRUE(run_until([&] { return venue.orders == std::vector<std::string>{"S1"}; }));
  RawPeer& other = log_on("STRANGER2");
  other.send(order("STRANGER2", 2, "S2"));
  EXPECT_TRUE(run_until([&] { return venue.orders.size() == 2; }));
}

TEST_F(TemplateTest, configured_session_is_preferred_and_a_second_logon_is_refused) {
  open();
  log_on("TRADER");
  EXPECT_EQ(acceptor->session_count(), 2U);
  log_on("STRANGER");
  refuse("STRANGER");
  EXPECT_EQ(acceptor->session_count(), 3U);
}

TEST_F(TemplateTest, numbers_of_a_template_session_survive_a_restart) {
  open();
  RawPeer& peer = log_on("STRANGER");
  peer.send(order("STRANGER", 2, "S1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  reopen();
  RawPeer& back = log_on("STRANGER", 3);
  EXPECT_TRUE(contains(back.messages()[0], "|34=3|")) << bar(back.messages()[0]);
}

TEST_F(TemplateTest, ambiguous_names_are_refused) {
  open();
  for (const std::string_view name : {"../up", "A:B", "A->B", "A B", "*", "..", "a/b"}) {
    refuse(name);
  }
  refuse(std::string(65, 'X'));
  EXPECT_EQ(acceptor->session_count(), 2U);
  EXPECT_EQ(acceptor->store().session_count(), 2U) << "nothing of them is stored";
}

TEST_F(TemplateTest, number_of_template_sessions_is_limited) {
  extra = "DynamicSessionsMax=1";
  open();
  log_on("STRANGER");
  refuse("STRANGER2");
  EXPECT_TRUE(log.has("DynamicSessionsMax of them have been made")) << log.all();
}

TEST_F(TemplateTest, client_that_tries_again_is_counted_once) {
  extra = "DynamicSessionsMax=1";
  open();
  for (int i = 0; i < 3; ++i) {
    RawPeer& peer = connect();
    peer.send(from("STRANGER", "A", 1, "98=0|108=-5|"));
    ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
    ASSERT_TRUE(run_until([&] { return acceptor->session_count() == 2; })) << log.all();
  }
  log_on("STRANGER");
  EXPECT_FALSE(log.has("DynamicSessionsMax")) << log.all();
  refuse("STRANGER2");
}

TEST_F(TemplateTest, refused_client_leaves_no_session) {
  open();
  RawPeer& peer = connect();
  peer.send(from("STRANGER", "A", 1, "98=0|108=-5|"));
  EXPECT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_TRUE(run_until([&] { return acceptor->session_count() == 2; })) << log.all();
}

// The session layer refuses this Logon with a Logout.
constexpr const char* kRefusedLogon = "98=0|108=-5|";

TEST_F(TemplateTest, names_that_never_logged_on_take_no_place_and_are_not_stored) {
  extra = "DynamicSessionsMax=2";
  open();
  for (int i = 0; i < 20; ++i) {
    RawPeer& peer = connect();
    peer.send(from("BAD" + std::to_string(i), "A", 1, kRefusedLogon));
    ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
    ASSERT_TRUE(run_until([&] { return acceptor->session_count() == 2; })) << log.all();
  }
  EXPECT_EQ(acceptor->store().session_count(), 2U) << "those of the file";
  log_on("STRANGER");
  EXPECT_EQ(acceptor->store().session_count(), 3U);
}

TEST_F(TemplateTest, stored_sessions_need_no_place) {
  extra = "DynamicSessionsMax=1";
  open();
  log_on("FIRST");
  for (const std::string who : {"SECOND", "THIRD"}) {
    reopen();
    log_on(who);
    EXPECT_TRUE(contains(log_on("FIRST", who == "SECOND" ? 2 : 3).messages()[0], "|35=A|"));
  }
  EXPECT_EQ(acceptor->session_count(), 4U);
  refuse("FOURTH");
  EXPECT_TRUE(contains(log_on("SECOND", 2).messages()[0], "|35=A|"));
}

TEST_F(TemplateTest, each_address_has_a_share_of_the_places) {
  extra = "DynamicSessionsMax=4";
  open();
  log_on("ONE");
  log_on("TWO");
  refuse("THREE");
  EXPECT_TRUE(log.has("half of DynamicSessionsMax has been made for its address")) << log.all();
  RawPeer& elsewhere = connect("127.0.0.9");
  elsewhere.send(logon("THREE", 1));
  EXPECT_TRUE(run_until([&] { return elsewhere.messages().size() == 1; })) << log.all();
}

TEST_F(TemplateTest, accepted_logon_is_in_the_session_log_and_a_refused_one_in_global) {
  extra = "FileLogPath=" + folder.path() + "/logs";
  open();
  RawPeer& bad = connect();
  bad.send(from("BAD", "A", 1, kRefusedLogon));
  ASSERT_TRUE(run_until([&] { return bad.closed(); })) << log.all();
  log_on("GOOD");
  acceptor.reset();
  const auto text_of = [&](const std::string& name) {
    std::ifstream file{folder.path() + "/logs/" + name + ".messages.current.log"};
    return std::string{std::istreambuf_iterator<char>{file}, {}};
  };
  EXPECT_TRUE(contains(text_of("FIX.4.4-VENUE-GOOD"), "|49=GOOD|"));
  EXPECT_TRUE(contains(text_of("FIX.4.4-VENUE-GOOD"), "|56=GOOD|"));
  EXPECT_TRUE(contains(text_of("GLOBAL"), "|49=BAD|"));
  EXPECT_FALSE(contains(text_of("GLOBAL"), "|49=GOOD|"));
  EXPECT_FALSE(
      std::filesystem::exists(folder.path() + "/logs/FIX.4.4-VENUE-BAD.messages.current.log"));
}

TEST_F(TemplateTest, allowed_addresses_are_checked_before_a_session_is_created) {
  sessions += "AllowedRemoteAddresses=10.9.8.7\n";
  open();
  refuse("STRANGER");
  EXPECT_EQ(acceptor->store().session_count(), 2U);
}

TEST_F(SessionRegistryTest, dynamic_sessions_accept_any_comp_ids_beside_configured_sessions) {
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
      "DynamicSessions=Y\n";
  open();
  EXPECT_EQ(acceptor->session_count(), 1U);
  log_on("TRADER");
  log_on("ANYBODY");
  EXPECT_EQ(acceptor->session_count(), 2U);
}

TEST(TemplateSettings, initiator_cannot_be_a_template) {
  const auto settings = config::parse_settings(
      "[SESSION]\nConnectionType=initiator\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n"
      "HeartBtInt=30\nSocketConnectHost=127.0.0.1\nSocketConnectPort=1\nFileStorePath=s\n"
      "AcceptorTemplate=Y\n",
      "x.cfg");
  ASSERT_FALSE(settings.has_value());
  EXPECT_EQ(settings.error().front().what(),
            "x.cfg:10: AcceptorTemplate: an initiator's session cannot be a template");
}

}  // namespace
}  // namespace nexusfix::testing
