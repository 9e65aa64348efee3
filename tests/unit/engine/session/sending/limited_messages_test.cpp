// OutboundMessages: messages that wait for a MsgSeqNum, and messages that are refused.
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using engine::SendFailure;
using engine::SendResult;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct LimitedVenue : EchoVenue {
  std::vector<std::string> not_sent;  // texts, with the reason
  std::vector<std::uint64_t> sent;    // MsgSeqNums of application messages
  std::vector<WallTime> sent_at;      // of all messages
  int writable = 0;
  bool withholds = false;

  void on_not_sent(Session&, const engine::NotSentMessage& message) {
    not_sent.push_back(text_of(message.bytes) + ": " + message.why.what());
  }
  void on_sent(Session& session, const engine::SentMessage& message) {
    sent_at.push_back(session.now());
    if (message.kind == engine::SentMessage::Kind::Application) sent.push_back(message.msg_seq_num);
  }
  engine::SendDecision on_sending(Session&, engine::OutgoingMessage&) {
    return withholds ? engine::SendDecision::Withhold : engine::SendDecision::Send;
  }
  void on_writable(Session&) { ++writable; }

  static std::string text_of(std::string_view bytes) {
    const std::string text = bar(bytes);
    const std::size_t at = text.find("|58=");
    return at == std::string::npos ? "" : text.substr(at + 4, text.find('|', at + 1) - at - 4);
  }
};

class LimitedMessages : public AcceptorTest {
 protected:
  void TearDown() override { acceptor.reset(); }
  void open_limited(const std::string& keys) {
    extra = keys;
    under_test().open(acceptor, limited);
  }
  [[nodiscard]] Session& session() { return acceptor->session(0); }
  SendResult send(const std::string& text, std::string_view msg_type = "B") {
    wire::Encoder message = session().begin(msg_type);
    message.field(58, text);
    return session().finish(message);
  }
  // "A 3": Text and MsgSeqNum of each application message that the counterparty has.
  [[nodiscard]] static std::vector<std::string> texts(const RawPeer& peer) {
    std::vector<std::string> all;
    for (const std::string& message : peer.messages()) {
      const std::string text = LimitedVenue::text_of(message);
      const std::string whole = bar(message);
      if (text.empty() || whole.contains("|35=5|")) continue;
      const std::size_t at = whole.find("|34=") + 4;
      all.push_back(text + " " + whole.substr(at, whole.find('|', at) - at));
    }
    return all;
  }
  void advance(milliseconds time) {
    clock.advance(time);
    turn(20);
  }

  LimitedVenue limited;
};

using Texts = std::vector<std::string>;

TEST_F(LimitedMessages, message_above_the_limit_waits_and_gets_its_number_when_it_leaves) {
  open_limited("OutboundMessages=3\nOutboundInterval=2");
  RawPeer& peer = log_on("TRADER");  // Our Logon is the first message of the window.
  EXPECT_EQ(send("A")->msg_seq_num, 2U);
  EXPECT_FALSE(send("B")->is_queued);
  const SendResult waits = send("C");
  ASSERT_TRUE(waits.has_value());
  EXPECT_TRUE(waits->is_queued);
  EXPECT_FALSE(waits->is_transmitted);
  EXPECT_EQ(waits->msg_seq_num, 0U);
  ASSERT_TRUE(send("D").has_value());
  EXPECT_EQ(session().numbers().next_outbound, 4U) << "no MsgSeqNum is used yet";
  advance(milliseconds{1'999});
  EXPECT_EQ(texts(peer), (Texts{"A 2", "B 3"}));
  advance(milliseconds{1});
  EXPECT_EQ(texts(peer), (Texts{"A 2", "B 3", "C 4", "D 5"}));
  EXPECT_TRUE(contains(peer.messages().back(), "|52=" + time_text() + "|"))
      << "SendingTime is that of the sending";
  EXPECT_EQ(limited.sent, (std::vector<std::uint64_t>{2, 3, 4, 5}));
  EXPECT_TRUE(limited.not_sent.empty());
}

TEST_F(LimitedMessages, no_interval_has_more_messages_than_the_limit) {
  constexpr std::size_t kMax = 5;
  open_limited("OutboundMessages=5\nOutboundInterval=1\nOutboundQueueMessages=1000");
  log_on("TRADER");
  for (int step = 0; step < 400; ++step) {
    if (step % 40 < 20) {
      ASSERT_TRUE(send("T" + std::to_string(step)).has_value());
    }
    advance(milliseconds{25});
  }
  const std::vector<WallTime>& times = limited.sent_at;
  EXPECT_GT(times.size(), 40U);
  for (std::size_t i = kMax; i < times.size(); ++i) {
    EXPECT_GE(times[i] - times[i - kMax], seconds{1}) << i;
  }
}

TEST_F(LimitedMessages, refused_message_uses_no_number_and_says_when_it_may_be_sent) {
  open_limited("OutboundMessages=2\nOutboundInterval=10\nOutboundLimitRule=Refuse");
  RawPeer& peer = log_on("TRADER");
  EXPECT_FALSE(session().send_obstacle().has_value());
  ASSERT_TRUE(send("A").has_value());
  clock.advance(milliseconds{2'500});
  turn(2);
  const SendResult refused = send("B");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().failure, SendFailure::RateLimited);
  EXPECT_EQ(refused.error().wait, milliseconds{7'500});
  EXPECT_EQ(session().send_obstacle(), SendFailure::RateLimited);
  EXPECT_EQ(session().numbers().next_outbound, 3U);
  advance(milliseconds{7'500});
  EXPECT_EQ(send("C")->msg_seq_num, 3U);
  turn(5);
  EXPECT_EQ(texts(peer), (Texts{"A 2", "C 3"}));
}

TEST_F(LimitedMessages, cancels_overtake_orders_and_keep_their_own_order) {
  open_limited("OutboundMessages=2\nOutboundInterval=1\nOutboundLimitRule=CancelsFirst");
  RawPeer& peer = log_on("TRADER");
  ASSERT_TRUE(send("order1", "D").has_value());
  ASSERT_TRUE(send("order2", "D").has_value());
  ASSERT_TRUE(send("cancel1", "F").has_value());
  ASSERT_TRUE(send("order3", "D").has_value());
  ASSERT_TRUE(send("cancel2", "q").has_value());
  for (int second = 0; second < 3; ++second) advance(seconds{1});
  EXPECT_EQ(texts(peer), (Texts{"order1 2", "cancel1 3", "cancel2 4", "order2 5", "order3 6"}));
}

TEST_F(LimitedMessages, queue_keeps_cancels_in_order) {
  open_limited("OutboundMessages=2\nOutboundInterval=1");
  RawPeer& peer = log_on("TRADER");
  for (const char* const text : {"1", "2"}) ASSERT_TRUE(send(text, "D").has_value());
  ASSERT_TRUE(send("3", "F").has_value());
  for (int second = 0; second < 2; ++second) advance(seconds{1});
  EXPECT_EQ(texts(peer), (Texts{"1 2", "2 3", "3 4"}));
}

TEST_F(LimitedMessages, limit_of_one_type_lets_others_pass_until_one_waits) {
  open_limited("OutboundMessagesByType=D:1\nOutboundInterval=1\nOutboundLimitRule=Refuse");
  log_on("TRADER");
  EXPECT_TRUE(send("1", "D").has_value());
  EXPECT_EQ(send("2", "D").error().failure, SendFailure::RateLimited);
  EXPECT_TRUE(send("3", "F").has_value());
  advance(seconds{1});
  EXPECT_TRUE(send("4", "D").has_value());
}

TEST_F(LimitedMessages, messages_of_the_session_layer_do_not_wait_but_count) {
  open_limited("OutboundMessages=2\nOutboundInterval=5");
  RawPeer& peer = log_on("TRADER");
  for (std::uint64_t number = 2; number < 6; ++number) {
    peer.send(from("TRADER", "1", number, "112=T" + std::to_string(number) + "|"));
  }
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 5; })) << log.all();
  EXPECT_TRUE(send("A")->is_queued);
  advance(seconds{5});
  EXPECT_EQ(texts(peer), (Texts{"A 6"}));
}

TEST_F(LimitedMessages, messages_that_wait_at_the_end_of_the_logon_are_given_back) {
  open_limited("OutboundMessages=2\nOutboundInterval=60");
  RawPeer& peer = log_on("TRADER");
  for (const char* const text : {"A", "B", "C"}) ASSERT_TRUE(send(text).has_value());
  peer.send(from("TRADER", "5", 2));
  ASSERT_TRUE(run_until([&] { return limited.logouts == 1; })) << log.all();
  const std::string why = ": " + std::string{to_string(SendFailure::NotLoggedOn)};
  EXPECT_EQ(limited.not_sent, (Texts{"B" + why, "C" + why}));
  EXPECT_TRUE(log.has(EventId::WaitingMessagesNotSent)) << log.all();
  turn(20);
  EXPECT_EQ(texts(peer), (Texts{"A 2"}));
  EXPECT_EQ(session().numbers().next_outbound, 4U) << "the Logout has 3";
}

TEST_F(LimitedMessages, broken_connection_gives_waiting_messages_back) {
  open_limited("OutboundMessages=1\nOutboundInterval=60");
  RawPeer& peer = log_on("TRADER");
  ASSERT_TRUE(send("A")->is_queued);
  peer.close();
  ASSERT_TRUE(run_until([&] { return !limited.not_sent.empty(); })) << log.all();
  EXPECT_TRUE(limited.not_sent.front().starts_with("A: "));
}

TEST_F(LimitedMessages, full_queue_refuses_and_tells_the_application_when_it_may_go_on) {
  open_limited("OutboundMessages=2\nOutboundInterval=1\nOutboundQueueMessages=8");
  log_on("TRADER");
  ASSERT_TRUE(send("first").has_value());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(send("x")->is_queued);
  EXPECT_TRUE(session().is_writable());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(send("x")->is_queued);
  EXPECT_FALSE(session().is_writable());
  EXPECT_EQ(send("y").error().failure, SendFailure::RateLimited);
  EXPECT_EQ(session().send_obstacle(), SendFailure::RateLimited);
  for (int second = 0; second < 3; ++second) advance(seconds{1});
  EXPECT_EQ(limited.writable, 0) << "2 of 8 are left";
  advance(seconds{1});
  EXPECT_EQ(limited.writable, 1);
  EXPECT_TRUE(session().is_writable());
}

TEST_F(LimitedMessages, callback_that_throws_takes_its_waiting_messages_back) {
  open_limited("OutboundMessages=2\nOutboundInterval=1");
  limited.before_answer = [](Session& s, const MessageView&) {
    for (const char* const text : {"undone1", "undone2"}) {
      wire::Encoder message = s.begin("B");
      message.field(58, text);
      ASSERT_TRUE(s.finish(message).has_value());
    }
    throw std::runtime_error{"fault"};
  };
  RawPeer& peer = log_on("TRADER");
  ASSERT_TRUE(send("kept1").has_value());
  ASSERT_TRUE(send("kept2")->is_queued);
  peer.send(order("TRADER", 2, "O1"));
  turn(20);
  for (int second = 0; second < 3; ++second) advance(seconds{1});
  EXPECT_EQ(texts(peer).front(), "kept1 2");
  EXPECT_TRUE(texts(peer).back().starts_with("kept2 ")) << texts(peer).back();
  EXPECT_TRUE(limited.not_sent.empty());
}

TEST_F(LimitedMessages, message_that_on_sending_withholds_after_it_waited_is_given_back) {
  open_limited("OutboundMessages=1\nOutboundInterval=1");
  RawPeer& peer = log_on("TRADER");
  ASSERT_TRUE(send("A")->is_queued);
  limited.withholds = true;
  advance(seconds{1});
  EXPECT_EQ(limited.not_sent, (Texts{"A: " + std::string{to_string(SendFailure::Vetoed)}}));
  EXPECT_TRUE(texts(peer).empty());
}

TEST_F(LimitedMessages, waiting_message_keeps_its_data_fields_and_its_header_fields) {
  open_limited("OutboundMessages=1\nOutboundInterval=1");
  RawPeer& peer = log_on("TRADER");
  wire::Encoder message = session().begin("B");
  message.field(115, "CLIENT").field(148, "head").data(95, 96, "a\x01z");
  ASSERT_TRUE(session().finish(message)->is_queued);
  advance(seconds{1});
  ASSERT_EQ(peer.messages().size(), 2U);
  EXPECT_TRUE(contains(peer.messages().back(), "|115=CLIENT|148=head|95=3|96=a|z|10="))
      << bar(peer.messages().back());
}

TEST_F(LimitedMessages, resend_obeys_the_limit_and_new_messages_wait_for_its_end) {
  open_limited("OutboundMessages=4\nOutboundInterval=1");
  RawPeer& peer = log_on("TRADER");
  for (const char* const text : {"A", "B", "C"}) ASSERT_FALSE(send(text)->is_queued);
  advance(seconds{1});
  peer.send(from("TRADER", "2", 2, "7=2|16=0|"));
  turn(20);
  EXPECT_EQ(texts(peer).size(), 6U);
  peer.send(from("TRADER", "2", 3, "7=2|16=0|"));
  turn(20);
  EXPECT_EQ(texts(peer).size(), 6U) << "the last one of the window stays free for a gap fill";
  ASSERT_TRUE(send("new")->is_queued);
  advance(seconds{1});
  EXPECT_EQ(texts(peer).size(), 10U);
  EXPECT_EQ(texts(peer).back(), "new 5");
}

TEST_F(LimitedMessages, figures_have_the_messages_that_wait_and_the_time_of_the_oldest) {
  open_limited("OutboundMessages=1\nOutboundInterval=10");
  log_on("TRADER");
  const WallTime since = clock.now().wall;
  ASSERT_TRUE(send("A")->is_queued);
  clock.advance(seconds{3});
  turn(2);
  ASSERT_TRUE(send("B")->is_queued);
  const auto figures = [&] { return acceptor->statistics().sessions.front(); };
  EXPECT_EQ(figures().queued_messages, 2U);
  EXPECT_EQ(figures().queued_since, since);
  advance(seconds{7});
  EXPECT_EQ(figures().queued_messages, 1U);
  advance(seconds{10});
  EXPECT_EQ(figures().queued_messages, 0U);
  EXPECT_FALSE(figures().queued_since.has_value());
}

TEST_F(LimitedMessages, message_of_a_lost_logon_is_stored_and_not_queued) {
  open_limited("OutboundMessages=1\nOutboundInterval=1");
  const SendResult stored = send("A");
  ASSERT_TRUE(stored.has_value());
  EXPECT_FALSE(stored->is_queued);
  EXPECT_EQ(stored->msg_seq_num, 1U);
}

}  // namespace
}  // namespace nexusfix::testing
