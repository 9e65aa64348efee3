// What an application can see, change and refuse, and its notifications, apart from the messages
// that it handles.
#include <functional>
#include <optional>
#include <set>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

// An EchoVenue with all callbacks.
struct WholeVenue : EchoVenue {
  std::function<SendDecision(Session&, OutgoingMessage&)> sending;
  std::function<void(Session&, const SentMessage&)> sent;
  std::function<ResendAnswer(const ResendRequest&)> resend;
  std::function<void(Session&, const Disconnection&)> disconnected;
  std::vector<std::string> admin;

  SendDecision on_sending(Session& session, OutgoingMessage& message) {
    return sending ? sending(session, message) : SendDecision::Send;
  }
  void on_sent(Session& session, const SentMessage& message) {
    if (sent) sent(session, message);
  }
  ResendAnswer on_resend_request(Session&, const ResendRequest& request) {
    return resend ? resend(request) : ResendAnswer{};
  }
  void on_disconnect(Session& session, const Disconnection& disconnection) {
    if (disconnected) disconnected(session, disconnection);
  }
  void on_admin(Session&, const MessageView& message) { admin.emplace_back(message.msg_type()); }
};

class ApplicationTest : public AcceptorTest {
 protected:
  void TearDown() override { acceptor.reset(); }
  void open_whole() { under_test().open(acceptor, whole); }
  [[nodiscard]] Session& trader() { return acceptor->session(0); }
  static engine::SendResult send(Session& session, std::string_view text) {
    wire::Encoder news = session.begin("B");
    news.field(58, text);
    return session.finish(news);
  }
  // Waits until the counterparty has this number of messages.
  [[nodiscard]] bool arrived(RawPeer& peer, std::size_t count) {
    return run_until([&] { return peer.messages().size() >= count; });
  }

  // True if the last requested message, or a Logout, has arrived.
  [[nodiscard]] static bool is_resent(const RawPeer& peer) {
    return contains(peer.messages().back(), "|34=6|43=Y|") ||
           contains(peer.messages().back(), "|35=5|");
  }

  WholeVenue whole;
};

TEST_F(ApplicationTest, application_keys_are_read_in_any_spelling) {
  extra = "ApplicationKeys=Account,ApiPassword\nAccount=A1";
  sessions += "ApiPassword=pa55word\nApplication.Desk=NY\n";
  open();
  const Session& first = acceptor->session(0);
  const Session& second = acceptor->session(1);
  EXPECT_EQ(first.setting("Account"), "A1");
  EXPECT_EQ(second.setting("ACCOUNT"), "A1");
  EXPECT_EQ(second.setting("apiPassword"), "pa55word");
  EXPECT_EQ(second.setting("Desk"), "NY");
  EXPECT_EQ(second.setting("Application.Desk"), "NY");
  EXPECT_EQ(first.setting("ApiPassword"), std::nullopt);
  EXPECT_EQ(first.setting("SenderCompID"), std::nullopt) << "the engine's own";
  EXPECT_EQ(log.all().find("pa55word"), std::string::npos);
}

TEST_F(ApplicationTest, withheld_message_uses_no_number) {
  open_whole();
  RawPeer& peer = log_on("TRADER");
  whole.sending = [](Session&, OutgoingMessage& message) {
    EXPECT_FALSE(message.is_resend());
    return message.view()[58] == "secret" ? SendDecision::Withhold : SendDecision::Send;
  };
  const auto secret = send(trader(), "secret");
  ASSERT_FALSE(secret.has_value());
  EXPECT_EQ(secret.error().failure, engine::SendFailure::Vetoed);
  EXPECT_FALSE(secret.error().what().empty());
  const auto open = send(trader(), "open");
  ASSERT_TRUE(open.has_value());
  EXPECT_EQ(open->msg_seq_num, 2U);
  EXPECT_TRUE(open->is_transmitted);
  ASSERT_TRUE(arrived(peer, 2));
  EXPECT_TRUE(contains(peer.messages()[1], "|34=2|")) << bar(peer.messages()[1]);
}

TEST_F(ApplicationTest, message_is_changed_before_it_is_stored_and_sent) {
  open_whole();
  RawPeer& peer = log_on("TRADER");
  whole.sending = [](Session&, OutgoingMessage& message) {
    message.edit().set(58, "changed");
    message.edit().set(50, "DESK");
    return SendDecision::Send;
  };
  ASSERT_TRUE(send(trader(), "as it was").has_value());
  whole.sending = nullptr;
  ASSERT_TRUE(arrived(peer, 2));
  EXPECT_TRUE(contains(peer.messages()[1], "|50=DESK|58=changed|")) << bar(peer.messages()[1]);
  // The resent message is the message that was sent.
  peer.send(from("TRADER", "2", 2, "7=2|16=2|"));
  ASSERT_TRUE(arrived(peer, 3));
  EXPECT_TRUE(contains(peer.messages()[2], "|58=changed|"));
}

TEST_F(ApplicationTest, invalid_change_is_an_error_and_uses_no_number) {
  open_whole();
  log_on("TRADER");
  whole.sending = [](Session&, OutgoingMessage& message) {
    message.edit().set(34, "99");
    return SendDecision::Send;
  };
  const auto sent = send(trader(), "x");
  ASSERT_FALSE(sent.has_value());
  EXPECT_EQ(sent.error().failure, engine::SendFailure::Encode);
  EXPECT_EQ(sent.error().encode.tag, 34U);
  EXPECT_EQ(trader().numbers().next_outbound, 2U);
}

TEST_F(ApplicationTest, throwing_callback_withholds_the_message_and_is_logged) {
  open_whole();
  log_on("TRADER");
  whole.sending = [](Session&, OutgoingMessage&) -> SendDecision {
    throw std::runtime_error{"limits unknown"};
  };
  const auto sent = send(trader(), "x");
  ASSERT_FALSE(sent.has_value());
  EXPECT_EQ(sent.error().failure, engine::SendFailure::Vetoed);
  EXPECT_TRUE(log.has("limits unknown")) << log.all();
}

TEST_F(ApplicationTest, send_fails_within_the_sending_callbacks) {
  open_whole();
  RawPeer& peer = log_on("TRADER");
  std::vector<engine::SendFailure> failures;
  const auto try_to_send = [&](Session& session) {
    const auto nested = send(session, "nested");
    if (!nested) failures.push_back(nested.error().failure);
  };
  whole.sending = [&](Session& session, OutgoingMessage&) {
    try_to_send(session);
    return SendDecision::Send;
  };
  whole.sent = [&](Session& session, const SentMessage&) { try_to_send(session); };
  ASSERT_TRUE(send(trader(), "outer").has_value());
  EXPECT_EQ(failures,
            (std::vector{engine::SendFailure::WithinSending, engine::SendFailure::WithinSending}));
  ASSERT_TRUE(arrived(peer, 2));
  EXPECT_TRUE(contains(peer.messages()[1], "|34=2|")) << bar(peer.messages()[1]);
  EXPECT_TRUE(contains(peer.messages()[1], "|58=outer|"));
}

TEST_F(ApplicationTest, resend_can_be_withheld_or_changed) {
  open_whole();
  RawPeer& peer = log_on("TRADER");
  for (const char* text : {"stale", "fresh", "other"}) {
    ASSERT_TRUE(send(trader(), text).has_value());
  }
  ASSERT_TRUE(arrived(peer, 4));
  whole.sending = [](Session&, OutgoingMessage& message) {
    EXPECT_TRUE(message.is_resend());
    EXPECT_FALSE(message.view().has(43)) << "as it was sent first";
    if (message.view()[58] == "stale") return SendDecision::Withhold;
    if (message.view()[58] == "other") {
      EXPECT_EQ(message.msg_seq_num(), 4U);
      message.edit().set(50, "AGAIN");
    }
    return SendDecision::Send;
  };
  peer.send(from("TRADER", "2", 2, "7=2|16=0|"));
  ASSERT_TRUE(arrived(peer, 7)) << log.all();
  EXPECT_TRUE(contains(peer.messages()[4], "|35=4|34=2|")) << bar(peer.messages()[4]);
  EXPECT_TRUE(contains(peer.messages()[4], "|36=3|123=Y|"));
  EXPECT_TRUE(contains(peer.messages()[5], "|34=3|43=Y|"));
  EXPECT_TRUE(contains(peer.messages()[5], "|58=fresh|"));
  EXPECT_TRUE(contains(peer.messages()[6], "|34=4|43=Y|"));
  EXPECT_TRUE(contains(peer.messages()[6], "|50=AGAIN|"));
}

TEST_F(ApplicationTest, each_sent_message_is_notified_once_with_its_number) {
  open_whole();
  std::vector<std::string> reported;
  whole.sent = [&](Session&, const SentMessage& message) {
    constexpr const char* kKinds[] = {"application", "administrative", "resend"};
    reported.push_back(std::string{kKinds[static_cast<std::size_t>(message.kind)]} + " " +
                       std::to_string(message.msg_seq_num) +
                       (message.is_transmitted ? "" : " stored"));
    EXPECT_TRUE(bar(message.bytes).find("|34=" + std::to_string(message.msg_seq_num) + "|") !=
                std::string::npos);
  };
  ASSERT_TRUE(send(trader(), "before the Logon").has_value());
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 1) + from("TRADER", "1", 2, "112=X|") + order("TRADER", 3, "A"));
  ASSERT_TRUE(arrived(peer, 3));
  peer.send(from("TRADER", "2", 4, "7=1|16=2|"));
  ASSERT_TRUE(arrived(peer, 5));
  EXPECT_EQ(reported, (std::vector<std::string>{"application 1 stored", "administrative 2",
                                                "administrative 3", "application 4", "resend 1",
                                                "resend 2"}));
}

TEST_F(ApplicationTest, administrative_messages_are_shown) {
  open_whole();
  RawPeer& peer = log_on("TRADER");
  peer.send(from("TRADER", "3", 2, "45=1|58=no|") + from("TRADER", "5", 3));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_EQ(whole.admin, (std::vector<std::string>{"A", "3", "5"}));
}

TEST_F(ApplicationTest, event_of_a_received_reject_names_our_message) {
  open_whole();
  RawPeer& peer = log_on("TRADER");
  wire::Encoder cancel = trader().begin("G");
  cancel.field(11, "A2").field(41, "A1").field(44, "-1");
  ASSERT_TRUE(trader().finish(cancel).has_value());
  ASSERT_TRUE(send(trader(), "news").has_value());
  ASSERT_TRUE(arrived(peer, 3));
  peer.send(from("TRADER", "3", 2, "45=2|58=Bad price|371=44|372=G|373=5|"));
  peer.send(from("TRADER", "j", 3, "45=2|372=G|379=A2|380=0|58=not today|"));
  peer.send(from("TRADER", "3", 4, "45=3|58=no news|"));
  peer.send(from("TRADER", "3", 5, "45=77|58=never sent|"));
  ASSERT_TRUE(run_until([&] { return contains(log.all(), "never sent"); })) << log.all();
  const std::string all = log.all();
  EXPECT_TRUE(contains(all, "(45=2 371=44 372=G 373=5); our message [35=G 11=A2 41=A1 44=-1]"))
      << all;
  EXPECT_TRUE(contains(all, "(45=3); our message [35=B]")) << all;
  EXPECT_TRUE(contains(all, "never sent (45=77)")) << all;
  EXPECT_FALSE(contains(all, "(45=77);")) << all;
}

TEST_F(ApplicationTest, resend_request_is_answered_as_the_application_decides) {
  open_whole();
  RawPeer& peer = log_on("TRADER");
  for (const char* text : {"two", "three"}) ASSERT_TRUE(send(trader(), text).has_value());
  std::optional<ResendRequest> asked;
  std::string refusal = "not during the auction";
  whole.resend = [&](const ResendRequest& request) {
    asked = request;
    return ResendAnswer::reject(refusal);
  };
  peer.send(from("TRADER", "2", 2, "7=2|16=0|"));
  ASSERT_TRUE(arrived(peer, 4));
  ASSERT_TRUE(asked.has_value());
  EXPECT_EQ(asked->begin_seq_no, 2U);
  EXPECT_EQ(asked->end_seq_no, 3U);
  EXPECT_TRUE(contains(peer.messages()[3], "|35=3|")) << bar(peer.messages()[3]);
  EXPECT_TRUE(contains(peer.messages()[3], "|58=not during the auction|"));
  whole.resend = [](const ResendRequest&) { return ResendAnswer::from(3); };
  peer.send(from("TRADER", "2", 3, "7=2|16=3|"));
  ASSERT_TRUE(arrived(peer, 6));
  EXPECT_TRUE(contains(peer.messages()[4], "|36=3|123=Y|")) << bar(peer.messages()[4]);
  EXPECT_TRUE(contains(peer.messages()[5], "|58=three|"));
  whole.resend = [](const ResendRequest&) { return ResendAnswer::gap_fill(); };
  peer.send(from("TRADER", "2", 4, "7=2|16=3|"));
  ASSERT_TRUE(arrived(peer, 7));
  EXPECT_TRUE(contains(peer.messages()[6], "|36=4|123=Y|")) << bar(peer.messages()[6]);
  whole.resend = [](const ResendRequest&) { return ResendAnswer::log_out("enough"); };
  peer.send(from("TRADER", "2", 5, "7=2|16=3|"));
  ASSERT_TRUE(arrived(peer, 8));
  EXPECT_TRUE(contains(peer.messages()[7], "|35=5|")) << bar(peer.messages()[7]);
}

TEST_F(ApplicationTest, throwing_resend_callback_does_not_stop_the_resend) {
  open_whole();
  RawPeer& peer = log_on("TRADER");
  ASSERT_TRUE(send(trader(), "two").has_value());
  whole.resend = [](const ResendRequest&) -> ResendAnswer { throw std::runtime_error{"oops"}; };
  peer.send(from("TRADER", "2", 2, "7=2|16=0|"));
  ASSERT_TRUE(arrived(peer, 3));
  EXPECT_TRUE(contains(peer.messages()[2], "|58=two|"));
  EXPECT_TRUE(log.has("oops")) << log.all();
}

TEST_F(ApplicationTest, resends_respect_their_rate_and_new_messages_wait_until_after_them) {
  extra = "MaxResendsPerSecond=2";
  open_whole();
  RawPeer& peer = log_on("TRADER");
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(send(trader(), "m" + std::to_string(i)).has_value());
  ASSERT_TRUE(arrived(peer, 6));
  peer.send(from("TRADER", "2", 2, "7=2|16=0|"));
  ASSERT_TRUE(arrived(peer, 8));
  ASSERT_TRUE(send(trader(), "new").has_value());
  turn(30);
  EXPECT_EQ(peer.messages().size(), 8U);
  clock.advance(std::chrono::seconds{1});
  ASSERT_TRUE(arrived(peer, 10));
  turn(30);
  EXPECT_EQ(peer.messages().size(), 10U);
  clock.advance(std::chrono::seconds{1});
  ASSERT_TRUE(arrived(peer, 12)) << log.all();
  EXPECT_TRUE(contains(peer.messages()[10], "|58=m4|")) << bar(peer.messages()[10]);
  EXPECT_TRUE(contains(peer.messages()[11], "|58=new|")) << bar(peer.messages()[11]);
}

TEST_F(ApplicationTest, resend_ends_with_its_connection) {
  extra = "MaxResendsPerSecond=1";
  open_whole();
  RawPeer& peer = log_on("TRADER");
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(send(trader(), "old").has_value());
  ASSERT_TRUE(arrived(peer, 6));
  peer.send(from("TRADER", "2", 2, "7=2|16=0|"));
  ASSERT_TRUE(arrived(peer, 7)) << log.all();
  peer.close();
  ASSERT_TRUE(run_until([&] { return whole.logouts == 1; })) << log.all();
  RawPeer& again = log_on("TRADER", 3);
  for (int second = 0; second < 3; ++second) {
    clock.advance(std::chrono::seconds{1});
    turn(20);
  }
  again.send(from("TRADER", "1", 4, "112=SETTLED|"));
  ASSERT_TRUE(arrived(again, 2)) << log.all();
  EXPECT_TRUE(contains(again.messages()[1], "|112=SETTLED|")) << bar(again.messages()[1]);
}

TEST_F(ApplicationTest, counterparty_with_too_many_resend_requests_is_logged_out) {
  open_whole();
  RawPeer& peer = log_on("TRADER");
  constexpr std::uint64_t kMessages = 5;
  constexpr std::uint64_t kRepeatsMax = 100;  // ResendConfig::repeats_max
  for (std::uint64_t i = 0; i < kMessages; ++i) ASSERT_TRUE(send(trader(), "m").has_value());
  ASSERT_TRUE(arrived(peer, 1 + kMessages));
  std::uint64_t asked = 0;
  const auto is_logged_out = [&] { return contains(peer.messages().back(), "|35=5|"); };
  while (!is_logged_out() && asked <= kRepeatsMax) {
    const std::size_t before = peer.messages().size();
    peer.send(from("TRADER", "2", ++asked + 1, "7=1|16=0|"));
    ASSERT_TRUE(run_until([&] { return peer.messages().size() > before && is_resent(peer); }))
        << log.all();
  }
  EXPECT_TRUE(is_logged_out()) << bar(peer.messages().back());
  EXPECT_TRUE(contains(peer.messages().back(), "requested too often"));
  EXPECT_EQ(asked, kRepeatsMax + 1);
}

TEST_F(ApplicationTest, aged_message_is_gap_filled_instead_of_resent) {
  // FIX 4.4 volume 2, "Sequence Reset": a gap fill may replace an aged order.
  extra = "MaxResendAge=60";
  open_whole();
  ASSERT_TRUE(send(trader(), "old").has_value());
  clock.advance(std::chrono::seconds{1});
  ASSERT_TRUE(send(trader(), "as old as allowed").has_value());
  clock.advance(std::chrono::seconds{60});
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 1));
  ASSERT_TRUE(arrived(peer, 1));
  peer.send(from("TRADER", "2", 2, "7=1|16=2|"));
  ASSERT_TRUE(arrived(peer, 3)) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|35=4|34=1|")) << bar(peer.messages()[1]);
  EXPECT_TRUE(contains(peer.messages()[1], "|36=2|123=Y|"));
  EXPECT_TRUE(contains(peer.messages()[2], "|58=as old as allowed|"));
}

TEST_F(ApplicationTest, without_a_logon_send_fails_if_configured) {
  // TC 16.
  extra = "SendWhileLoggedOut=N";
  open_whole();
  const auto refused = send(trader(), "early");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().failure, engine::SendFailure::NotLoggedOn);
  EXPECT_EQ(trader().numbers().next_outbound, 1U);
  RawPeer& peer = log_on("TRADER");
  ASSERT_TRUE(send(trader(), "late").has_value());
  ASSERT_TRUE(arrived(peer, 2));
}

TEST_F(ApplicationTest, message_without_a_logon_is_reported_as_stored) {
  open_whole();
  const auto stored = send(trader(), "early");
  ASSERT_TRUE(stored.has_value());
  EXPECT_FALSE(stored->is_transmitted);
}

TEST_F(ApplicationTest, message_before_an_imminent_reset_is_refused) {
  extra = "ResetOnLogout=Y";
  open_whole();
  RawPeer& peer = log_on("TRADER");
  trader().log_out();
  const auto refused = send(trader(), "forgotten");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().failure, engine::SendFailure::SessionEnding);
  ASSERT_TRUE(arrived(peer, 2));
  peer.send(from("TRADER", "5", 2));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  const auto kept = send(trader(), "of the next one");
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->msg_seq_num, 1U);
}

TEST_F(ApplicationTest, early_message_above_the_limit_is_dropped) {
  adjust = [](config::Settings& settings) {
    settings.sessions.front().limits.out_of_order_bytes_max = 0;
  };
  open_whole();
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 3, "B"));
  ASSERT_TRUE(run_until([&] { return log.has("MsgSeqNum 3 is dropped"); })) << log.all();
  peer.send(order("TRADER", 2, "A"));
  ASSERT_TRUE(run_until([&] { return whole.orders.size() == 1; })) << log.all();
  EXPECT_EQ(trader().numbers().next_inbound, 3U);
}

TEST_F(ApplicationTest, reject_text_need_not_outlive_the_callback) {
  struct Picky : EchoVenue {
    MessageReply on_message(Session&, const MessageView& message) {
      const std::string text = "no such symbol: " + std::string{message[55].value_or("?")};
      return business_reject(2, 55, text, std::string{message[11].value_or("?")});
    }
  } picky;
  under_test().open(acceptor, picky);
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "ORDER-NUMBER-ONE-TOO-LONG-FOR-A-SMALL-STRING"));
  ASSERT_TRUE(arrived(peer, 2));
  EXPECT_TRUE(contains(peer.messages()[1], "|58=no such symbol: AAPL|")) << bar(peer.messages()[1]);
  EXPECT_TRUE(
      contains(peer.messages()[1], "|379=ORDER-NUMBER-ONE-TOO-LONG-FOR-A-SMALL-STRING|380=2|"));
}

TEST_F(ApplicationTest, log_out_from_on_sending_follows_the_message) {
  open_whole();
  RawPeer& peer = log_on("TRADER");
  whole.sending = [](Session& session, OutgoingMessage&) {
    session.log_out("limit reached");
    return SendDecision::Send;
  };
  ASSERT_TRUE(send(trader(), "last").has_value());
  ASSERT_TRUE(arrived(peer, 3)) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|35=B|34=2|")) << bar(peer.messages()[1]);
  EXPECT_TRUE(contains(peer.messages()[2], "|35=5|34=3|")) << bar(peer.messages()[2]);
}

TEST_F(ApplicationTest, log_out_from_a_vetoed_send_and_from_on_sent_takes_effect) {
  open_whole();
  RawPeer& peer = log_on("TRADER");
  whole.sending = [](Session& session, OutgoingMessage&) {
    session.log_out("breach");
    return SendDecision::Withhold;
  };
  EXPECT_FALSE(send(trader(), "never").has_value());
  ASSERT_TRUE(arrived(peer, 2)) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|35=5|34=2|")) << bar(peer.messages()[1]);
  whole.sending = nullptr;
  RawPeer& other = log_on("OTHER");
  whole.sent = [&](Session&, const SentMessage& message) {
    if (message.kind == SentMessage::Kind::Application) acceptor->session(1).log_out("seen");
  };
  ASSERT_TRUE(send(acceptor->session(1), "x").has_value());
  ASSERT_TRUE(arrived(other, 3)) << log.all();
  EXPECT_TRUE(contains(other.messages()[2], "|35=5|34=3|")) << bar(other.messages()[2]);
}

TEST_F(ApplicationTest, message_of_a_throwing_callback_is_never_notified) {
  open_whole();
  std::vector<std::string> reported;
  whole.sent = [&](Session&, const SentMessage& message) {
    reported.push_back(bar(message.bytes));
  };
  RawPeer& peer = log_on("TRADER");
  whole.before_answer = [](Session& session, const MessageView&) {
    ASSERT_TRUE(send(session, "GHOST").has_value());
    throw std::runtime_error{"oops"};
  };
  reported.clear();
  peer.send(order("TRADER", 2, "A"));
  ASSERT_TRUE(arrived(peer, 2)) << log.all();
  ASSERT_EQ(reported.size(), 1U);
  EXPECT_NE(reported[0].find("|35=j|"), std::string::npos) << reported[0];
}

TEST_F(ApplicationTest, all_messages_of_a_throwing_callback_are_undone) {
  open_whole();
  RawPeer& peer = log_on("TRADER");
  whole.before_answer = [](Session& session, const MessageView&) {
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(send(session, "GHOST").has_value());
    throw std::runtime_error{"oops"};
  };
  peer.send(order("TRADER", 2, "A"));
  ASSERT_TRUE(arrived(peer, 2)) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|35=j|34=2|")) << bar(peer.messages()[1]);
  EXPECT_EQ(trader().numbers().next_outbound, 3U);
}

TEST_F(ApplicationTest, command_of_on_sent_to_another_session_takes_effect_in_the_same_event) {
  open_whole();
  RawPeer& peer = log_on("TRADER");
  RawPeer& other = log_on("OTHER");
  whole.sent = [&](Session& session, const SentMessage& message) {
    if (&session != &trader() || message.kind != SentMessage::Kind::Application) return;
    acceptor->session(1).log_out("its hedge is done");
  };
  peer.send(order("TRADER", 2, "A"));
  ASSERT_TRUE(arrived(peer, 2)) << log.all();
  ASSERT_TRUE(arrived(other, 2)) << log.all();
  EXPECT_TRUE(contains(other.messages()[1], "|58=its hedge is done|")) << bar(other.messages()[1]);
}

TEST_F(ApplicationTest, logout_of_another_session_is_not_waited_for_beyond_its_timeout) {
  extra = "LogoutTimeout=2";
  open_whole();
  RawPeer& peer = log_on("TRADER");
  RawPeer& other = log_on("OTHER");
  whole.before_answer = [&](Session&, const MessageView&) { acceptor->session(1).log_out("over"); };
  peer.send(order("TRADER", 2, "A"));
  ASSERT_TRUE(arrived(other, 2)) << log.all();
  EXPECT_TRUE(contains(other.messages()[1], "|35=5|")) << bar(other.messages()[1]);
  clock.advance(std::chrono::seconds{3});
  EXPECT_TRUE(run_until([&] { return other.closed(); })) << log.all();
}

TEST_F(ApplicationTest, business_reject_is_changed_equally_when_sent_and_resent) {
  struct Refusing : WholeVenue {
    MessageReply on_message(Session&, const MessageView&) { return business_reject(3, 0, "no"); }
  } refusing;
  under_test().open(acceptor, refusing);
  int offered = 0;
  refusing.sending = [&](Session&, OutgoingMessage& message) {
    ++offered;
    message.edit().set(50, "DESK");
    return message.is_resend() ? SendDecision::Send
                               : SendDecision::Withhold;  // it has its MsgSeqNum
  };
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A") + from("TRADER", "2", 3, "7=2|16=2|"));
  ASSERT_TRUE(arrived(peer, 3)) << log.all();
  EXPECT_EQ(offered, 2);
  EXPECT_TRUE(contains(peer.messages()[1], "|35=j|34=2|")) << bar(peer.messages()[1]);
  EXPECT_TRUE(contains(peer.messages()[2], "|35=j|34=2|43=Y|")) << bar(peer.messages()[2]);
  acceptor.reset();
}

TEST_F(ApplicationTest, session_can_end_within_a_resend_with_numbers_in_order) {
  open_whole();
  RawPeer& peer = log_on("TRADER");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(send(trader(), "m").has_value());
  ASSERT_TRUE(arrived(peer, 4));
  bool is_first = true;
  whole.sent = [&](Session& session, const SentMessage& message) {
    if (message.kind != SentMessage::Kind::Resend || !std::exchange(is_first, false)) return;
    session.log_out("enough");
  };
  peer.send(from("TRADER", "2", 2, "7=1|16=0|"));
  ASSERT_TRUE(run_until([&] { return log.has("Logout") || peer.messages().size() >= 9; }));
  turn(20);
  std::uint64_t highest = 0;
  for (const std::string& message : peer.messages()) {
    if (contains(message, "|43=Y|")) continue;
    const std::string text = bar(message);
    const std::uint64_t number = std::stoull(text.substr(text.find("|34=") + 4));
    EXPECT_GT(number, highest) << text;
    highest = number;
  }
  EXPECT_EQ(highest, 5U) << "the Logout";
}

TEST_F(ApplicationTest, callback_of_a_resend_may_send_to_other_sessions) {
  // Nothing may be appended while the store is read.
  extra = "Store=memory";
  open_whole();
  RawPeer& peer = log_on("TRADER");
  RawPeer& other = log_on("OTHER");
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(send(trader(), "m").has_value());
  ASSERT_TRUE(arrived(peer, 301));
  bool is_first = true;
  whole.disconnected = [&](Session&, const Disconnection&) {
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(send(trader(), "because").has_value());
  };
  whole.sent = [&](Session&, const SentMessage& message) {
    if (message.kind != SentMessage::Kind::Resend || !std::exchange(is_first, false)) return;
    acceptor->session(1).log_out("ends, and its end makes the application send");
  };
  peer.send(from("TRADER", "2", 2, "7=2|16=301|"));
  ASSERT_TRUE(run_until([&] { return other.messages().size() == 2; })) << log.all();
  other.send(from("OTHER", "5", 2));
  ASSERT_TRUE(arrived(peer, 651)) << peer.messages().size() << log.all();
  EXPECT_TRUE(contains(peer.messages()[301], "|34=2|43=Y|"));
  EXPECT_TRUE(contains(peer.messages()[600], "|34=301|43=Y|"));
  EXPECT_TRUE(contains(peer.messages()[650], "|58=because|"));
}

}  // namespace
}  // namespace nexusfix::testing
