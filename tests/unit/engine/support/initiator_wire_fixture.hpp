// An initiator as its counterparty sees it: the messages on the wire and their times.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/network/fake_network.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {

struct SeenTrader {
  std::vector<std::string> reported;
  bool resets_at_logout = false;
  void on_message(Session&, const MessageView&) {}
  void on_logout(Session& session) {
    if (resets_at_logout) session.reset("anna: agreed by phone");
  }
  void on_sent(Session&, const engine::SentMessage& sent) {
    using Kind = engine::SentMessage::Kind;
    if (sent.kind == Kind::Administrative) return;
    reported.push_back(std::to_string(sent.msg_seq_num) + (sent.is_transmitted ? "" : " stored") +
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
  static constexpr std::string_view kAnswer = "98=0|108=30|";

  void TearDown() override { initiator.reset(); }

  // Connects, and waits for the trader's Logon.
  void open_and_connect() {
    const auto listener = venue_network.listen({"10.0.0.1", kPort});
    ASSERT_TRUE(listener.has_value());
    open_trader();
    await_logon();
  }
  void open_trader() {
    EngineUnderTest opening = under_test(
        "[DEFAULT]\nConnectionType=initiator\nHeartBtInt=30\nUseDataDictionary=N\n"
        "LogoutCloseTimeout=0\n"
        "SocketConnectHost=10.0.0.1\nSocketConnectPort=" +
            std::to_string(kPort) + "\nReconnectInterval=" + reconnect_interval + "\n" + schedule +
            "\nFileStorePath=" + folder.path() + "/store\n" + extra +
            "\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n",
        "trader.cfg");
    opening.settings.segment_bytes = segment_bytes;
    opening.settings.sessions.front().reconnect.jitter = jitter;
    opening.settings.durability = store::Durability::None;  // no step waits for another thread
    opening.options.network = &trader_network;
    is_asked ? opening.open(initiator, asked) : opening.open(initiator, trader);
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
  // Reads the bytes that the venue has received by now.
  void look() {
    std::array<transport::Ready, 8> ready;
    const std::size_t count = venue_network.wait(ready, std::chrono::nanoseconds{0});
    for (std::size_t i = 0; i < count; ++i) {
      if (ready[i].kind == transport::Ready::Kind::Accepted) socket = ready[i].accepted;
    }
    std::array<char, 65'536> buffer;
    while (socket != 0) {
      const auto got = venue_network.receive(socket, buffer);
      if (got.status != transport::IoResult::Status::Ok) break;
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
    turn_some();
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
    ASSERT_EQ(received.size(), messages.size()) << ::testing::PrintToString(received) << log.all();
    for (std::size_t i = 0; i < messages.size(); ++i) {
      for (const std::string_view text : messages[i]) EXPECT_TRUE(has(i, text)) << received[i];
    }
  }

  // Needs a session that is logged on. The counterparty's MsgSeqNum is too low, and our Logout
  // cannot leave: the session is halted, and its connection still exists.
  void halt_while_connected() {
    received.clear();
    const std::string repeated =
        fix("FIX.4.4", "35=0|49=VENUE|56=TRADER|34=1|52=" + time_text() + "|");
    ASSERT_EQ(venue_network.send(socket, repeated).bytes, repeated.size());
    internet.limits.send_bytes_max = 0;
    turn_some();
    ASSERT_TRUE(log.has("not connecting again")) << log.all();
    ASSERT_TRUE(received.empty()) << received.front();
  }
  void halt_while_refused() {
    say("5", 1, "58=MsgSeqNum too low, expecting 10 but received 1|");
    turn_for_seconds(5);
    ASSERT_TRUE(log.has("not connecting again")) << log.all();
    ASSERT_TRUE(received.empty()) << received.front();
  }
  void turn_for_seconds(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      clock.advance(std::chrono::seconds{1});
      turn_some();
    }
  }
  void turn_some() {
    for (int i = 0; i < 5; ++i) turn_both();
  }
  void expect_resend_of_the_answer_first() {
    open_and_connect();
    venue_network.close(socket);  // the Logon has used a number and gets no answer
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
  std::string reconnect_interval = "1";
  std::uint32_t jitter = 10;  // of reconnect_interval
  SeenTrader trader;
  AskedTrader asked;  // used instead of trader if is_asked
  bool is_asked = false;
  std::optional<Engine> initiator;
  transport::SocketId socket = 0;
  std::string bytes;
  std::vector<std::string> received;
};

}  // namespace nexusfix::testing
