// An initiator as its counterparty sees it: what is on the wire, and when.
#include <array>
#include <stdexcept>

#include "acceptor_fixture.hpp"
#include "support/fake_network.hpp"

namespace nexusfix::testing {
namespace {

struct SeenTrader {
  std::vector<std::string> told;
  void on_message(Session&, const MessageView&) {}
  void on_sent(Session&, const engine::SentMessage& sent) {
    using Kind = engine::SentMessage::Kind;
    if (sent.kind == Kind::Administrative) return;
    told.push_back(std::to_string(sent.msg_seq_num) + (sent.is_transmitted ? "" : " stored") +
                   (sent.kind == Kind::Resend ? " again" : ""));
  }
};

struct AskedTrader : SeenTrader {
  std::vector<std::uint64_t> asked_from;
  engine::ResendAnswer on_resend_request(Session&, const engine::ResendRequest& request) {
    asked_from.push_back(request.begin_seq_no);
    return {};
  }
};

class InitiatorWireTest : public AcceptorTest {
 protected:
  static constexpr std::uint16_t kPort = 5001;

  void TearDown() override { initiator.reset(); }

  // The connection stands, and the trader's Logon has come.
  void open_and_connect() {
    const auto listener = venue_network.listen({"10.0.0.1", kPort});
    ASSERT_TRUE(listener.has_value());
    open_trader();
    await_logon();
  }
  void open_trader() {
    auto settings = engine::parse_settings(
        "[DEFAULT]\nConnectionType=initiator\nHeartBtInt=30\nUseDataDictionary=N\n"
        "NonStopSession=Y\nReconnectInterval=1\nSocketConnectHost=10.0.0.1\nSocketConnectPort=" +
            std::to_string(kPort) + "\nFileStorePath=" + folder.path() + "/store\n" + extra +
            "\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n",
        "trader.cfg");
    ASSERT_TRUE(settings.has_value()) << settings.error().front().what();
    settings->segment_bytes = segment_bytes;
    settings->durability = store::Durability::None;  // nothing waits for another thread
    EngineOptions all = options();
    all.network = &trader_network;
    auto opened = is_asked ? Engine::open(std::move(*settings), asked, all)
                           : Engine::open(std::move(*settings), trader, all);
    ASSERT_TRUE(opened.has_value()) << opened.error().what();
    initiator.emplace(std::move(*opened));
  }
  void await_logon(std::string_view with = "|35=A|") {
    received.clear();
    for (int i = 0; i < 10 && received.empty(); ++i) turn_both();
    ASSERT_EQ(received.size(), 1U) << log.all();
    ASSERT_TRUE(has(0, "|35=A|") && has(0, with)) << received[0];
    received.clear();
  }
  void turn_both(std::chrono::nanoseconds timeout = std::chrono::nanoseconds{0}) {
    initiator->poll(timeout);
    look();
  }
  // What has come to the venue by now.
  void look() {
    std::array<transport::Ready, 8> ready;
    const std::size_t count = venue_network.wait(ready, std::chrono::nanoseconds{0});
    for (std::size_t i = 0; i < count; ++i) {
      if (ready[i].kind == transport::ReadyKind::Accepted) socket = ready[i].accepted;
    }
    std::array<char, 65'536> buffer;
    while (socket != 0) {
      const auto got = venue_network.receive(socket, buffer);
      if (got.status != transport::IoStatus::Ok) break;
      bytes.append(buffer.data(), got.bytes);
    }
    wire::Framer framer{bytes};
    while (const auto frame = framer.next()) received.push_back(bar(*frame));
    bytes = std::string{framer.rest()};
  }
  void say(std::string_view msg_type, std::uint64_t number, std::string_view body = {}) {
    const std::string message =
        fix("FIX.4.4", "35=" + std::string{msg_type} + "|49=VENUE|56=TRADER|34=" +
                           std::to_string(number) + "|52=" + time_text() + "|" + std::string{body});
    ASSERT_EQ(venue_network.send(socket, message).bytes, message.size());
    for (int i = 0; i < 5; ++i) turn_both();
  }
  engine::SendResult order(std::string_view text) {
    wire::Encoder news = initiator->session(0).begin("B");
    news.field(58, text);
    return initiator->session(0).finish(news);
  }
  [[nodiscard]] bool has(std::size_t index, std::string_view text) const {
    return received.at(index).find(text) != std::string::npos;
  }
  void expect_received(const std::vector<std::vector<std::string_view>>& messages) {
    ASSERT_EQ(received.size(), messages.size()) << log.all();
    for (std::size_t i = 0; i < messages.size(); ++i) {
      for (const std::string_view text : messages[i]) EXPECT_TRUE(has(i, text)) << received[i];
    }
  }

  void expect_resend_of_the_answer_first() {
    open_and_connect();
    venue_network.close(socket);  // the Logon has used a number, and is not answered
    for (int i = 0; i < 3; ++i) turn_both();
    clock.advance(std::chrono::seconds{2});
    await_logon();
    ASSERT_TRUE(order("one").has_value());
    say("A", 1, "98=0|108=30|789=1|");
    expect_received({{"|35=4|34=1|43=Y|", "|36=3|"}, {"|34=3|", "|58=one|"}});
    EXPECT_FALSE(has(1, "|43=Y|")) << received[1];
  }

  transport::FakeInternet internet;
  transport::FakeNetwork venue_network{internet, "10.0.0.1"};
  transport::FakeNetwork trader_network{internet, "10.0.0.2"};
  std::uint64_t segment_bytes = kSegmentBytes;
  SeenTrader trader;
  AskedTrader asked;  // in its place, if is_asked
  bool is_asked = false;
  std::optional<Engine> initiator;
  transport::SocketId socket = 0;
  std::string bytes;
  std::vector<std::string> received;
};

constexpr std::string_view kAnswer = "98=0|108=30|";

TEST_F(InitiatorWireTest, what_is_sent_while_the_logon_is_unanswered_follows_it_without_a_request) {
  // Else the counterparty sees the gap when the next message comes, after HeartBtInt perhaps.
  open_and_connect();
  const auto one = order("one");
  ASSERT_TRUE(one.has_value());
  EXPECT_FALSE(one->is_transmitted);
  ASSERT_TRUE(order("two").has_value());
  for (int i = 0; i < 5; ++i) turn_both();
  EXPECT_TRUE(received.empty()) << "nothing before the answer";
  say("A", 1, kAnswer);
  expect_received({{"|34=2|", "|58=one|"}, {"|34=3|", "|58=two|"}});
  EXPECT_FALSE(has(0, "|43=Y|")) << "it was not on the wire before";
  EXPECT_EQ(trader.told, (std::vector<std::string>{"2 stored", "3 stored", "2", "3"}));
  EXPECT_EQ(initiator->stats().messages_out, 3U);
  ASSERT_TRUE(order("three").has_value());
  turn_both();
  EXPECT_TRUE(has(2, "|34=4|")) << received[2];
}

TEST_F(InitiatorWireTest, what_waited_for_the_logon_can_be_asked_for_again) {
  open_and_connect();
  ASSERT_TRUE(order("one").has_value());
  say("A", 1, kAnswer);
  received.clear();
  say("2", 2, "7=1|16=0|");
  expect_received({{"|35=4|34=1|", "|36=2|"}, {"|34=2|43=Y|", "|58=one|"}});
}

TEST_F(InitiatorWireTest, what_waits_for_the_logon_comes_behind_the_resend_that_its_answer_wants) {
  // FIX 4.4, Logon, NextExpectedMsgSeqNum. A number comes with PossDup first, or without it.
  extra = "SendNextExpectedMsgSeqNum=Y";
  expect_resend_of_the_answer_first();
}

TEST_F(InitiatorWireTest, what_waits_for_the_logon_comes_behind_a_resend_that_is_asked_about) {
  extra = "SendNextExpectedMsgSeqNum=Y";
  is_asked = true;
  expect_resend_of_the_answer_first();
  EXPECT_EQ(asked.asked_from, std::vector<std::uint64_t>{1});
}

TEST_F(InitiatorWireTest, what_is_too_much_to_wait_for_the_logon_is_shown_by_a_heartbeat) {
  segment_bytes = std::uint64_t{8} << 20U;
  open_and_connect();
  const std::string much(400'000, 'x');
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(order(much).has_value());
  say("A", 1, kAnswer);
  expect_received({{"|35=B|34=2|"}, {"|35=B|34=3|"}, {"|35=0|34=6|"}});
  received.clear();
  say("2", 2, "7=4|16=0|");
  expect_received({{"|35=B|34=4|43=Y|"}, {"|35=B|34=5|43=Y|"}, {"|35=4|34=6|", "|36=7|"}});
}

TEST_F(InitiatorWireTest, what_waits_for_a_logon_that_fails_is_resent_after_the_next_one) {
  open_and_connect();
  ASSERT_TRUE(order("one").has_value());
  venue_network.close(socket);
  for (int i = 0; i < 3; ++i) turn_both();
  clock.advance(std::chrono::seconds{2});
  await_logon();
  say("A", 1, kAnswer);
  EXPECT_TRUE(received.empty()) << "the Logon's number has said it";
  say("2", 2, "7=2|16=2|");
  expect_received({{"|34=2|43=Y|", "|58=one|"}});
}

TEST_F(InitiatorWireTest, what_is_lost_in_a_reset_that_the_answer_brings_is_counted_in_a_warning) {
  segment_bytes = std::uint64_t{8} << 20U;
  open_and_connect();
  const std::string much(400'000, 'x');
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(order(much).has_value());
  say("A", 1, "98=0|108=30|141=Y|");
  expect_received({{"|35=A|34=1|", "|141=Y|"}});
  EXPECT_TRUE(log.has("4 messages that waited for the answer to our Logon")) << log.all();
}

TEST_F(InitiatorWireTest, what_waits_for_the_logon_survives_the_process) {
  open_and_connect();
  ASSERT_TRUE(order("one").has_value());
  turn_both();
  initiator.reset();
  open_trader();
  await_logon();
  say("A", 1, kAnswer);
  received.clear();
  say("2", 2, "7=2|16=2|");
  expect_received({{"|34=2|43=Y|", "|58=one|"}});
}

TEST_F(InitiatorWireTest, number_without_a_message_that_is_kept_is_transmitted_all_the_same) {
  extra = "PersistMessages=N";
  open_and_connect();
  ASSERT_TRUE(order("one").has_value());
  say("A", 1, kAnswer);
  expect_received({{"|34=2|", "|58=one|"}});
}

TEST_F(InitiatorWireTest, session_that_lost_numbers_connects_again_when_an_operator_has_set_them) {
  open_and_connect();
  const auto mailbox = initiator->open_mailbox();  // else the engine has nothing to wait for
  for (std::uint64_t next = 10; next <= 20; next += 10) {
    say("5", 1, "58=MsgSeqNum too low, expecting 10 but received 1|");
    for (int i = 0; i < 20; ++i) {
      clock.advance(std::chrono::seconds{1});
      turn_both();
    }
    EXPECT_TRUE(received.empty()) << received.front();
    EXPECT_TRUE(log.has("not connecting again")) << log.all();
    ASSERT_TRUE(initiator->session(0).set_next_numbers({.next_inbound = 1, .next_outbound = next},
                                                       "anna: agreed by phone"));
    await_logon("|34=" + std::to_string(next) + "|");
  }
  // The other side's numbers may be lost as well.
  log.clear();
  say("A", 1, kAnswer);
  say("0", 1);
  expect_received({{"|35=5|"}});
  for (int i = 0; i < 20; ++i) turn_both();
  EXPECT_TRUE(log.has("not connecting again")) << log.all();
  ASSERT_TRUE(initiator->session(0).set_next_numbers({.next_inbound = 1, .next_outbound = 30},
                                                     "anna: agreed by phone"));
  await_logon("|34=30|");
}

TEST_F(InitiatorWireTest, polled_engine_of_one_initiator_ends_when_numbers_are_lost) {
  open_and_connect();
  say("5", 1, "58=MsgSeqNum too low, expecting 10 but received 1|");
  bool goes_on = true;
  for (int i = 0; i < 100 && goes_on; ++i) {
    goes_on = initiator->poll(std::chrono::nanoseconds{0});
    look();
  }
  EXPECT_FALSE(goes_on) << log.all();
}

TEST_F(InitiatorWireTest, alarm_names_the_counterparty_when_its_numbers_are_lost_and_not_ours) {
  open_and_connect();
  const auto mailbox = initiator->open_mailbox();
  say("5", 1, "58=NextExpectedMsgSeqNum too high, expecting 1 but received 9|");
  for (int i = 0; i < 20; ++i) {
    clock.advance(std::chrono::seconds{1});
    turn_both();
  }
  EXPECT_TRUE(received.empty()) << "each refusal would use up a number";
  EXPECT_TRUE(
      log.has("ALARM: this store holds numbers of the counterparty's that it does not know "
              "itself, so its store is lost"))
      << log.all();
  EXPECT_TRUE(log.has("The counterparty restores its store")) << log.all();
  EXPECT_FALSE(log.has("so the store is lost")) << log.all();
  EXPECT_FALSE(log.has("Unless the store is right, restore it")) << log.all();
  ASSERT_TRUE(initiator->session(0).set_next_numbers({.next_inbound = 1, .next_outbound = 2},
                                                     "anna: they have restored their store"));
  await_logon("|34=2|");
}

TEST_F(InitiatorWireTest, numbers_of_a_session_that_was_logged_out_by_hand_do_not_connect_it) {
  open_and_connect();
  const auto mailbox = initiator->open_mailbox();
  say("5", 1, "58=MsgSeqNum too low, expecting 10 but received 1|");
  initiator->session(0).log_out();
  turn_both();
  ASSERT_TRUE(initiator->session(0).set_next_numbers({.next_inbound = 1, .next_outbound = 10},
                                                     "anna: agreed by phone"));
  for (int i = 0; i < 20; ++i) {
    clock.advance(std::chrono::seconds{1});
    turn_both();
  }
  EXPECT_TRUE(received.empty()) << received.front();
  initiator->session(0).log_on();
  await_logon("|34=10|");
}

TEST_F(InitiatorWireTest,
       setting_numbers_gives_an_attempt_to_connect_up_and_the_next_one_has_them) {
  const auto listener = venue_network.listen({"10.0.0.1", kPort});
  ASSERT_TRUE(listener.has_value());
  open_trader();
  initiator->poll(std::chrono::nanoseconds{0});  // Begins to connect.
  ASSERT_TRUE(initiator->session(0).set_next_numbers({.next_inbound = 1, .next_outbound = 10},
                                                     "anna: agreed by phone"));
  EXPECT_TRUE(log.has("connecting was given up")) << log.all();
  for (int i = 0; i < 5; ++i) turn_both();
  clock.advance(std::chrono::seconds{2});
  await_logon("|34=10|");
}

TEST_F(InitiatorWireTest, logout_of_an_engine_that_stops_leaves_before_the_loop_sleeps) {
  open_and_connect();
  say("A", 1, kAnswer);
  bool has_slept = false;
  trader_network.while_waiting = [&] {
    look();
    has_slept = true;
    expect_received({{"|35=5|"}});
  };
  initiator->stop();
  initiator->poll(std::chrono::seconds{1});
  EXPECT_TRUE(has_slept);
}

}  // namespace
}  // namespace nexusfix::testing
