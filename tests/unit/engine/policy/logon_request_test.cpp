// Logons that the application accepts or refuses, and Logons to which it adds fields.
#include <optional>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

// Accepts "me" at once, defers "later", throws for "oops", and refuses all other users.
struct GuardedVenue : EchoVenue {
  std::optional<LogonAnswer> on_logon_request(Session& session, const LogonRequest& request) {
    const std::string_view user = request.message[553].value_or("");
    id = request.id;
    handle = session.handle();
    if (user == "me") return LogonAnswer::accept();
    if (user == "later") return std::nullopt;
    if (user == "oops") throw std::runtime_error{"no connection to the directory"};
    return LogonAnswer::refuse("unknown user");
  }
  std::uint64_t id = 0;
  engine::SessionHandle handle;
};

class LogonRequestTest : public AcceptorTest {
 protected:
  void open_guarded() { under_test().open(acceptor, guarded); }
  RawPeer& log_on_as(std::string_view user, std::string_view more = {}) {
    RawPeer& peer = connect();
    peer.send(logon("TRADER", 1, "553=" + std::string{user} + "|") + std::string{more});
    return peer;
  }

  GuardedVenue guarded;
};

TEST_F(LogonRequestTest, known_user_is_admitted_at_once) {
  open_guarded();
  RawPeer& peer = log_on_as("me");
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[0], "|35=A|"));
  EXPECT_EQ(guarded.logons, 1);
}

TEST_F(LogonRequestTest, other_users_get_a_logout_with_the_reason) {
  open_guarded();
  for (const char* user : {"you", "oops"}) {
    RawPeer& peer = log_on_as(user);
    ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
    ASSERT_EQ(peer.messages().size(), 1U);
    EXPECT_TRUE(contains(peer.messages()[0], "|35=5|")) << bar(peer.messages()[0]);
    EXPECT_TRUE(contains(peer.messages()[0],
                         user[0] == 'y' ? "|58=unknown user|" : "|58=Logon cannot be examined|"));
  }
  EXPECT_EQ(guarded.logons, 0);
  // The two refusals have used MsgSeqNum 1 and 2.
  RawPeer& peer = log_on_as("me");
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[0], "|35=A|34=3|"));
}

TEST_F(LogonRequestTest, deferred_answer_admits_the_client_and_its_messages) {
  open_guarded();
  RawPeer& peer = log_on_as("later", order("TRADER", 2, "A1"));
  turn(20);
  EXPECT_TRUE(peer.messages().empty());
  acceptor->session(0).answer_logon(guarded.id, {});
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[0], "|35=A|34=1|"));
  EXPECT_TRUE(contains(peer.messages()[1], "|11=A1|"));
}

constexpr const char* kTemplate =
    "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=*\nAcceptorTemplate=Y\n";

TEST_F(LogonRequestTest, refused_client_of_a_template_is_not_stored) {
  sessions += kTemplate;
  extra = "DynamicSessionsMax=1";
  open_guarded();
  for (int i = 0; i < 5; ++i) {
    RawPeer& peer = connect();
    peer.send(logon("NEW" + std::to_string(i), 1, "553=you|"));
    ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
    ASSERT_TRUE(run_until([&] { return acceptor->session_count() == 2; })) << log.all();
  }
  EXPECT_EQ(acceptor->store().session_count(), 2U);
  RawPeer& peer = connect();
  peer.send(logon("NEW9", 1, "553=me|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
  EXPECT_EQ(acceptor->store().session_count(), 3U);
}

TEST_F(LogonRequestTest, numbers_seen_by_a_refused_client_of_a_template_are_not_reused) {
  sessions += kTemplate;
  open_guarded();
  for (std::uint64_t attempt = 1; attempt <= 2; ++attempt) {
    RawPeer& peer = connect();
    peer.send(logon("NEW", 1, "553=you|"));
    ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
    ASSERT_EQ(peer.messages().size(), 1U);
    EXPECT_TRUE(contains(peer.messages()[0], "|35=5|34=" + std::to_string(attempt) + "|"));
    ASSERT_TRUE(run_until([&] { return acceptor->session_count() == 2; })) << log.all();
  }
  RawPeer& peer = connect();
  peer.send(logon("NEW", 1, "553=me|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[0], "|35=A|34=3|"));
  acceptor.reset();
  open_guarded();
  RawPeer& back = connect();
  back.send(logon("NEW", 2, "553=me|"));
  ASSERT_TRUE(run_until([&] { return back.messages().size() == 1; })) << log.all();
  EXPECT_TRUE(contains(back.messages()[0], "|35=A|34=4|")) << bar(back.messages()[0]);
}

TEST_F(LogonRequestTest, handle_of_a_client_of_a_template_is_valid_before_and_after_the_answer) {
  sessions += kTemplate;
  open_guarded();
  engine::Remote remote = acceptor->remote();
  RawPeer& peer = connect();
  peer.send(logon("NEW", 1, "553=later|"));
  ASSERT_TRUE(run_until([&] { return guarded.id != 0; })) << log.all();
  EXPECT_EQ(acceptor->store().session_count(), 2U);
  const engine::SessionHandle handle = guarded.handle;
  ASSERT_TRUE(
      remote.post(handle, [id = guarded.id](Session& session) { session.answer_logon(id, {}); }));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[0], "|35=A|34=1|"));
  EXPECT_EQ(acceptor->store().session_count(), 3U);
  ASSERT_TRUE(remote.post(handle, [](Session& session) { EchoVenue::send_text(session, 10); }));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_EQ(acceptor->session(2).handle(), handle);
}

TEST_F(LogonRequestTest, answer_from_another_sessions_callback_releases_held_messages) {
  open_guarded();
  RawPeer& other = connect();
  other.send(logon("OTHER", 1, "553=later|") + order("OTHER", 2, "HELD"));
  ASSERT_TRUE(run_until([&] { return guarded.id != 0; })) << log.all();
  turn(20);
  const std::uint64_t waiting = guarded.id;
  guarded.before_answer = [&](Session& session, const MessageView&) {
    if (session.id().target_comp_id == "TRADER") acceptor->session(1).answer_logon(waiting, {});
  };
  log_on_as("me", order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return other.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(other.messages()[1], "|11=HELD|"));
}

// The session expects this MsgSeqNum at that time: the message must be neither processed nor held
// forever.
TEST_F(LogonRequestTest, message_with_the_expected_number_waits_for_the_answer) {
  open_guarded();
  RawPeer& first = log_on_as("me", order("TRADER", 2, "A1") + order("TRADER", 3, "A2"));
  ASSERT_TRUE(run_until([&] { return first.messages().size() == 3; })) << log.all();
  first.close();
  turn(20);
  RawPeer& unknown = log_on_as("later", order("TRADER", 4, "STRANGE"));
  turn(20);
  EXPECT_TRUE(unknown.messages().empty());
  EXPECT_EQ(guarded.logons, 1);
  acceptor->session(0).answer_logon(guarded.id, {});
  ASSERT_TRUE(run_until([&] { return unknown.closed(); })) << log.all();
  ASSERT_EQ(unknown.messages().size(), 1U);
  EXPECT_TRUE(contains(unknown.messages()[0], "|58=MsgSeqNum too low, expecting 4 but received 1|"))
      << bar(unknown.messages()[0]);
}

TEST_F(LogonRequestTest, missing_answer_ends_the_connection_in_time) {
  open_guarded();
  RawPeer& peer = log_on_as("later");
  ASSERT_TRUE(run_until([&] { return guarded.id != 0; }));
  clock.advance(std::chrono::seconds{10});
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_TRUE(peer.messages().empty());
  EXPECT_TRUE(log.has("no decision on the Logon in time")) << log.all();
  acceptor->session(0).answer_logon(guarded.id, {});  // too late
  EXPECT_EQ(guarded.logons, 0);
}

struct SigningVenue : EchoVenue {
  void write_logon(Session&, wire::Encoder& encoder, const wire::MessageHeader& header) {
    if (fails) throw std::runtime_error{"no key"};
    encoder.field(58, "signed " + std::to_string(header.msg_seq_num));
  }
  bool fails = false;
};

TEST_F(LogonRequestTest, our_logon_carries_the_fields_of_the_application) {
  SigningVenue signing;
  for (const bool fails : {false, true}) {
    signing.fails = fails;
    under_test().open(acceptor, signing);
    RawPeer& peer = log_on_as("me", "");
    if (fails) {
      ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
      EXPECT_TRUE(log.has("our Logon cannot be sent")) << log.all();
      EXPECT_TRUE(peer.messages().empty());
    } else {
      ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
      EXPECT_TRUE(contains(peer.messages()[0], "|58=signed 1|"));
    }
    acceptor.reset();
    peers.clear();
    extra = "ResetOnLogon=Y";
  }
}

TEST_F(LogonRequestTest, send_fails_while_the_logon_is_written) {
  struct SendingVenue : EchoVenue {
    void write_logon(Session& session, wire::Encoder&, const wire::MessageHeader&) {
      wire::Encoder news = session.begin("B");
      news.field(58, "in between");
      const auto sent = session.finish(news);
      failure = sent ? "sent" : sent.error().what();
    }
    std::string failure;
  } sending;
  under_test().open(acceptor, sending);
  RawPeer& peer = log_on("TRADER");
  EXPECT_TRUE(contains(peer.messages()[0], "|35=A|34=1|")) << bar(peer.messages()[0]);
  EXPECT_NE(sending.failure.find("on_sending()"), std::string::npos) << sending.failure;
  acceptor.reset();
}

}  // namespace
}  // namespace nexusfix::testing
