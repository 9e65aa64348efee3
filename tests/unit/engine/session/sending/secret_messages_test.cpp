// Application messages with a password or a tag of LogMaskedTags: they are sent, and never stored.
#include <array>
#include <functional>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

constexpr std::string_view kCanary = "qWz7Kx9PvJt3";

struct EditingVenue : EchoVenue {
  std::function<void(OutgoingMessage&)> edit;
  SendDecision on_sending(Session&, OutgoingMessage& message) {
    if (edit && !message.is_resend()) edit(message);
    return SendDecision::Send;
  }
};

class SecretMessagesTest : public AcceptorTest {
 protected:
  void TearDown() override { acceptor.reset(); }
  void open_editing() { under_test().open(acceptor, editing); }
  template <class Write>
  engine::SendResult send(Write write) {
    wire::Encoder news = trader().begin("B");
    write(news);
    return trader().finish(news);
  }
  engine::SendResult send_plain() {
    return send([](wire::Encoder& news) { news.field(58, "open"); });
  }
  [[nodiscard]] Session& trader() { return acceptor->session(0); }
  // Checks the messages 2 and 3: both are sent, and a ResendRequest gets a gap fill for 2 and a
  // resend of 3.
  void expect_sent_once_and_gap_filled(RawPeer& peer) {
    ASSERT_TRUE(send_plain().has_value());
    ASSERT_TRUE(run_until([&] { return peer.messages().size() == 3; })) << log.all();
    EXPECT_TRUE(contains(peer.messages()[1], kCanary)) << bar(peer.messages()[1]);
    peer.send(from("TRADER", "2", 2, "7=2|16=0|"));
    ASSERT_TRUE(run_until([&] { return peer.messages().size() == 5; })) << log.all();
    EXPECT_TRUE(contains(peer.messages()[3], "|35=4|34=2|43=Y|")) << bar(peer.messages()[3]);
    EXPECT_TRUE(contains(peer.messages()[3], "|36=3|123=Y|")) << bar(peer.messages()[3]);
    EXPECT_TRUE(contains(peer.messages()[4], "|35=B|34=3|43=Y|")) << bar(peer.messages()[4]);
  }

  EditingVenue editing;
};

TEST_F(SecretMessagesTest, message_with_a_password_is_sent_once_and_then_gap_filled) {
  open();
  RawPeer& peer = log_on("TRADER");
  const auto sent = send([](wire::Encoder& news) { news.field<tag::Password>(kCanary); });
  ASSERT_TRUE(sent.has_value());
  EXPECT_TRUE(sent->is_transmitted);
  expect_sent_once_and_gap_filled(peer);
}

TEST_F(SecretMessagesTest, every_way_to_write_a_password_is_detected) {
  open();
  log_on("TRADER");
  volatile wire::Tag known_later = tag::NewPassword;
  ASSERT_TRUE(send([](wire::Encoder& e) { e.field<tag::NewPassword>(kCanary); }).has_value());
  ASSERT_TRUE(send([&](wire::Encoder& e) { e.field(known_later, kCanary); }).has_value());
  ASSERT_TRUE(send([](wire::Encoder& e) { e.data(1401, 1402, kCanary); }).has_value());
  ASSERT_TRUE(send([](wire::Encoder& e) { e.data<1403, 1404>(kCanary); }).has_value());
  ASSERT_TRUE(send([](wire::Encoder& e) { e.field(tag::Password, 4711); }).has_value());
  ASSERT_TRUE(send_plain().has_value());
  ASSERT_TRUE(run_until([&] { return peers.front()->messages().size() == 7; }));
  peers.front()->send(from("TRADER", "2", 2, "7=2|16=0|"));
  ASSERT_TRUE(run_until([&] { return peers.front()->messages().size() == 9; })) << log.all();
  EXPECT_TRUE(contains(peers.front()->messages()[7], "|35=4|34=2|43=Y|"));
  EXPECT_TRUE(contains(peers.front()->messages()[7], "|36=7|123=Y|"))
      << bar(peers.front()->messages()[7]);
}

TEST_F(SecretMessagesTest, message_of_the_applications_own_encoder_is_searched) {
  open();
  RawPeer& peer = log_on("TRADER");
  static_cast<void>(trader().begin("B"));
  std::array<char, 512> buffer;
  wire::Encoder own{buffer,
                    wire::HeaderFields{"FIX.4.4", "VENUE", "TRADER"},
                    {.msg_type = "B", .msg_seq_num = 2, .sending_time = clock.now().wall}};
  own.field<tag::Password>(kCanary);
  ASSERT_TRUE(trader().finish(own).has_value());
  expect_sent_once_and_gap_filled(peer);
}

TEST_F(SecretMessagesTest, password_added_by_on_sending_is_detected) {
  open_editing();
  RawPeer& peer = log_on("TRADER");
  editing.edit = [](OutgoingMessage& message) { message.edit().set(tag::Password, kCanary); };
  ASSERT_TRUE(send_plain().has_value());
  editing.edit = nullptr;
  expect_sent_once_and_gap_filled(peer);
}

TEST_F(SecretMessagesTest, secret_message_is_refused_without_a_logon) {
  open_editing();
  const auto refused = send([](wire::Encoder& news) { news.field<tag::Password>(kCanary); });
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().failure, engine::SendFailure::NotLoggedOn);
  editing.edit = [](OutgoingMessage& message) { message.edit().set(tag::Password, kCanary); };
  EXPECT_FALSE(send_plain().has_value());
  EXPECT_EQ(trader().numbers().next_outbound, 1U);
  editing.edit = nullptr;
  EXPECT_TRUE(send_plain().has_value());
}

TEST_F(SecretMessagesTest, message_with_a_masked_tag_is_not_stored) {
  extra = "LogMaskedTags=5554,1";
  open();
  RawPeer& peer = log_on("TRADER");
  EXPECT_TRUE(log.has("venue.cfg:8: LogMaskedTags: messages with these tags are not stored"))
      << log.all();
  ASSERT_TRUE(send([](wire::Encoder& news) { news.field(5554, kCanary); }).has_value());
  expect_sent_once_and_gap_filled(peer);
}

TEST_F(SecretMessagesTest, message_with_a_masked_tag_is_stored_if_configured) {
  extra = "LogMaskedTags=5554\nStoreMaskedTags=Y";
  open();
  EXPECT_FALSE(log.has("LogMaskedTags")) << log.all();
  RawPeer& peer = log_on("TRADER");
  ASSERT_TRUE(send([](wire::Encoder& news) { news.field(5554, kCanary); }).has_value());
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  peer.send(from("TRADER", "2", 2, "7=2|16=0|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 3; }));
  EXPECT_TRUE(contains(peer.messages()[2], kCanary)) << bar(peer.messages()[2]);
}

}  // namespace
}  // namespace nexusfix::testing
