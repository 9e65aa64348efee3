// The input of a hostile or broken counterparty: each case gets the answer that the session rules
// require and a line in the log, and does not stop others from trading.
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using BadInputTest = AcceptorTest;

TEST_F(BadInputTest, port_in_use_is_an_error_that_names_address_and_cause) {
  open();
  TemporaryFolder other_folder;
  auto settings = config::parse_settings(
      "[DEFAULT]\nConnectionType=acceptor\nNonStopSession=Y\nSocketAcceptAddress=127.0.0.1\n"
      "SocketAcceptPort=" +
          std::to_string(acceptor->accept_port()) + "\nFileStorePath=" + other_folder.path() +
          "\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n",
      "second.cfg");
  ASSERT_TRUE(settings.has_value());
  EchoVenue second;
  const auto opened = Engine::open(std::move(*settings), second, options());
  ASSERT_FALSE(opened.has_value());
  const std::string address = "127.0.0.1:" + std::to_string(acceptor->accept_port());
  EXPECT_NE(opened.error().what().find(address), std::string::npos) << opened.error().what();
  EXPECT_NE(opened.error().what().find("in use"), std::string::npos) << opened.error().what();
}

TEST_F(BadInputTest, store_of_another_engine_is_an_error_that_names_the_folder) {
  open();
  auto settings = config::parse_settings(config(), "second.cfg");
  ASSERT_TRUE(settings.has_value());
  EchoVenue second;
  const auto opened = Engine::open(std::move(*settings), second, options());
  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(opened.error().what().find(folder.path()), std::string::npos) << opened.error().what();
}

TEST_F(BadInputTest, missing_configuration_is_an_error_that_names_the_file) {
  EchoVenue app;
  const auto opened = Engine::open(folder.file("missing.cfg"), app, options());
  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(opened.error().what().find("missing.cfg"), std::string::npos);
}

TEST_F(BadInputTest, program_that_cannot_start_prints_the_error_and_returns_1) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run("no/such/venue.cfg", venue), 1);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("no/such/venue.cfg"), std::string::npos);
}

TEST_F(BadInputTest, invalid_session_is_an_error_and_not_an_assertion) {
  auto settings = config::parse_settings(config(), "venue.cfg");
  ASSERT_TRUE(settings.has_value());
  settings->sessions.front().session.id.target_comp_id.assign(10'000, 'X');
  EchoVenue app;
  const auto opened = Engine::open(std::move(*settings), app, options());
  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(opened.error().what().find("venue.cfg:"), std::string::npos) << opened.error().what();
}

TEST_F(BadInputTest, garbage_before_logon_closes_the_connection) {
  open();
  RawPeer& peer = connect();
  peer.send("GET / HTTP/1.1\r\nHost: venue\r\n\r\n");
  EXPECT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_TRUE(peer.messages().empty());
  EXPECT_TRUE(log.has("closed: what came first is no FIX message")) << log.all();
  expect_still_serving();
}

TEST_F(BadInputTest, too_many_bytes_before_logon_close_the_connection) {
  open();
  RawPeer& peer = connect();
  peer.send(soh("8=FIX.4.4|9=100000|35=A|") + std::string(8'000, 'x'));
  EXPECT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_TRUE(log.has("more bytes than a Logon may have")) << log.all();
  expect_still_serving();
}

TEST_F(BadInputTest, logon_that_is_too_long_in_one_piece_closes_the_connection) {
  open();
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 1, "58=" + std::string(6'000, 'x') + "|"));
  EXPECT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_TRUE(peer.messages().empty());
  EXPECT_TRUE(log.has("more bytes than a Logon may have")) << log.all();
}

TEST_F(BadInputTest, garbage_after_logon_is_ignored_without_using_a_number) {
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send("\x01\x02rubbish|||8=8=" + order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|35=8|34=2|"));
  EXPECT_GT(acceptor->statistics().loops[0].garbled, 0U);
  EXPECT_TRUE(log.has("garbled")) << log.all();
  expect_still_serving();
}

TEST_F(BadInputTest, message_with_a_wrong_checksum_is_requested_again) {
  // TC 3b: the message is garbled; the next message shows the gap.
  open();
  RawPeer& peer = log_on("TRADER");
  std::string bad = order("TRADER", 2, "A1");
  bad[bad.size() - 2] = bad[bad.size() - 2] == '0' ? '1' : '0';
  peer.send(bad + order("TRADER", 3, "A2"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  EXPECT_TRUE(contains(peer.messages()[1], "|35=2|"));
  EXPECT_TRUE(contains(peer.messages()[1], "|7=2|16=2|"));
}

TEST_F(BadInputTest, flood_of_garbled_messages_is_counted_and_logged_in_few_lines) {
  open();
  RawPeer& peer = log_on("TRADER");
  std::string bad = order("TRADER", 2, "A1");
  bad[bad.size() - 2] = bad[bad.size() - 2] == '0' ? '1' : '0';
  for (int i = 0; i < 1'000; ++i) peer.send(bad);
  ASSERT_TRUE(run_until([&] { return acceptor->statistics().loops[0].garbled == 1'000; }));
  EXPECT_LT(log.lines.size(), 150U);
  clock.advance(std::chrono::seconds{2});
  EXPECT_TRUE(run_until([&] { return log.has(EventId::EventsSuppressed); })) << log.all();
}

TEST_F(BadInputTest, flood_of_garbled_messages_above_the_limit_ends_the_connection) {
  extra = "MaxAdminMessagesPerSecond=50";
  open();
  RawPeer& peer = log_on("TRADER");
  std::string bad = order("TRADER", 2, "A1");
  bad[bad.size() - 2] = bad[bad.size() - 2] == '0' ? '1' : '0';
  for (int i = 0; i < 50; ++i) peer.send(bad);
  ASSERT_TRUE(run_until([&] { return acceptor->statistics().loops[0].garbled == 50; }));
  EXPECT_FALSE(peer.closed());
  // Each second has its own limit.
  clock.advance(std::chrono::seconds{1});
  for (int i = 0; i < 50; ++i) peer.send(bad);
  ASSERT_TRUE(run_until([&] { return acceptor->statistics().loops[0].garbled == 100; }));
  EXPECT_FALSE(peer.closed());
  for (int i = 0; i < 100'000; ++i) peer.send(bad);
  ASSERT_TRUE(run_until([&] { return peer.closed(); }));
  // Bytes after the message that exceeds the limit are not processed.
  EXPECT_EQ(acceptor->statistics().loops[0].garbled, 101U);
  EXPECT_LT(log.lines.size(), 150U);
  expect_still_serving();
  // No MsgSeqNum was used.
  RawPeer& again = connect();
  again.send(logon("TRADER", 2));
  ASSERT_TRUE(run_until([&] { return again.messages().size() == 1; })) << log.all();
  EXPECT_TRUE(contains(again.messages()[0], "|35=A|"));
}

TEST_F(BadInputTest, disconnection_for_garbled_messages_is_logged_with_the_limit) {
  extra = "MaxAdminMessagesPerSecond=3";
  open();
  RawPeer& peer = log_on("TRADER");
  for (int i = 0; i < 4; ++i) peer.send(soh("8=FIX.4.4|9=x|"));
  ASSERT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_TRUE(log.has("disconnecting: more than 3 garbled messages within a second")) << log.all();
}

TEST_F(BadInputTest, garbage_in_many_pieces_is_one_garbled_message) {
  open();
  RawPeer& peer = log_on("TRADER");
  for (int i = 0; i < 20; ++i) {
    peer.send("8=FI|rubbish|108=8=8=");
    ASSERT_TRUE(run_until([&] { return peer.all_sent(); }));
    turn(2);
  }
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_EQ(acceptor->statistics().loops[0].garbled, 1U);
}

TEST_F(BadInputTest, half_a_message_before_logon_ends_with_the_logon_timeout) {
  open();
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 1).substr(0, 40));
  ASSERT_TRUE(run_until([&] { return peer.all_sent(); }));
  turn(50);
  EXPECT_FALSE(peer.closed());
  clock.advance(std::chrono::seconds{11});
  EXPECT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_TRUE(log.has("no Logon came in time")) << log.all();
  expect_still_serving();
}

TEST_F(BadInputTest, silent_connection_ends_with_the_logon_timeout) {
  open();
  RawPeer& peer = connect();
  turn(50);
  EXPECT_FALSE(peer.closed());
  clock.advance(std::chrono::seconds{11});
  EXPECT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_TRUE(log.has("no Logon came in time")) << log.all();
  expect_still_serving();
}

TEST_F(BadInputTest, half_a_message_after_logon_causes_test_request_and_disconnection) {
  // TC 6: TestRequest after 1.2 × HeartBtInt of silence, disconnection after 2.4 × HeartBtInt.
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A1").substr(0, 60));
  ASSERT_TRUE(run_until([&] { return peer.all_sent(); }));
  clock.advance(std::chrono::seconds{37});
  ASSERT_TRUE(run_until([&] {
    for (const std::string& message : peer.messages()) {
      if (contains(message, "|35=1|")) return true;
    }
    return false;
  })) << log.all();
  clock.advance(std::chrono::seconds{40});
  EXPECT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_TRUE(venue.orders.empty());
  EXPECT_TRUE(log.has("disconnecting")) << log.all();
  expect_still_serving();
}

TEST_F(BadInputTest, body_length_of_two_gigabytes_before_logon_closes_the_connection) {
  open();
  RawPeer& peer = connect();
  peer.send(soh("8=FIX.4.4|9=2147483647|35=A|49=TRADER|56=VENUE|34=1|"));
  EXPECT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_TRUE(peer.messages().empty());
  EXPECT_TRUE(log.has("closed:")) << log.all();
  expect_still_serving();
}

TEST_F(BadInputTest, body_length_of_two_gigabytes_after_logon_ends_the_session) {
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(soh("8=FIX.4.4|9=2147483647|35=D|49=TRADER|56=VENUE|34=2|"));
  EXPECT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_TRUE(log.has("disconnecting")) << log.all();
  expect_still_serving();
  // The MsgSeqNum was not used.
  RawPeer& again = connect();
  again.send(logon("TRADER", 2));
  ASSERT_TRUE(run_until([&] { return again.messages().size() == 1; })) << log.all();
  EXPECT_TRUE(contains(again.messages()[0], "|35=A|"));
}

TEST_F(BadInputTest, logon_with_an_unknown_comp_id_is_closed_without_an_answer) {
  // TC 1c: an answer would use a MsgSeqNum of a session before the peer is authenticated.
  open();
  RawPeer& unknown = connect();
  unknown.send(logon("STRANGER", 1));
  EXPECT_TRUE(run_until([&] { return unknown.closed(); }));
  EXPECT_TRUE(unknown.messages().empty());
  EXPECT_TRUE(log.has("no session of this configuration has these CompIDs")) << log.all();
  EXPECT_TRUE(log.has("8=FIX.4.4 49=STRANGER 56=VENUE")) << log.all();
  expect_still_serving();
}

TEST_F(BadInputTest, bytes_after_a_refused_logon_are_not_processed) {
  open();
  RawPeer& unknown = connect();
  unknown.send(logon("STRANGER", 1) + logon("TRADER", 1) + order("TRADER", 2, "A1"));
  EXPECT_TRUE(run_until([&] { return unknown.closed(); }));
  EXPECT_EQ(venue.logons, 0);
  EXPECT_TRUE(venue.orders.empty());
  expect_still_serving("TRADER");
}

TEST_F(BadInputTest, wrong_comp_id_in_a_running_session_is_rejected_and_logged_out) {
  // TC 2k: Reject with reason 9, then Logout.
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(fix("FIX.4.4", "35=D|49=IMPOSTOR|56=VENUE|34=2|52=" + time_text() + "|11=A1|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 3; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|35=3|"));
  EXPECT_TRUE(contains(peer.messages()[1], "|373=9|"));
  EXPECT_TRUE(contains(peer.messages()[2], "|35=5|"));
  EXPECT_TRUE(venue.orders.empty());
  EXPECT_FALSE(log.lines.empty());
  expect_still_serving();
}

TEST_F(BadInputTest, first_message_other_than_a_logon_is_closed_without_an_answer) {
  // TC 1e.
  open();
  RawPeer& peer = connect();
  peer.send(from("TRADER", "0", 1));
  EXPECT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_TRUE(peer.messages().empty());
  EXPECT_TRUE(log.has("the first message is not a Logon")) << log.all();
  expect_still_serving();
}

TEST_F(BadInputTest, second_logon_of_a_session_is_closed_and_the_first_continues) {
  // TC 1b.
  open();
  RawPeer& first = log_on("TRADER");
  RawPeer& second = connect();
  second.send(logon("TRADER", 1));
  EXPECT_TRUE(run_until([&] { return second.closed(); }));
  EXPECT_TRUE(second.messages().empty());
  EXPECT_TRUE(log.has("logged on from elsewhere")) << log.all();
  first.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return first.messages().size() == 2; }));
  EXPECT_TRUE(contains(first.messages()[1], "|35=8|34=2|"));
}

TEST_F(BadInputTest, too_low_number_is_logged_out_with_both_numbers) {
  // TC 2c.
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A1") + order("TRADER", 2, "A1") + order("TRADER", 3, "A2"));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"A1"}));
  EXPECT_TRUE(
      contains(peer.messages().back(), "|58=MsgSeqNum too low, expecting 3 but received 2|"));
  expect_still_serving();
}

}  // namespace
}  // namespace nexusfix::testing
