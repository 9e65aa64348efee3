// Session::unsent_bytes(), is_writable(), and on_writable().
#include <functional>
#include <stdexcept>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

struct WritableVenue : EchoVenue {
  std::function<void(Session&)> writable;
  int notices = 0;
  void on_writable(Session& session) {
    ++notices;
    if (writable) writable(session);
  }
};

class BackPressureTest : public AcceptorTest {
 protected:
  void TearDown() override { acceptor.reset(); }
  void open_writable() { under_test().open(acceptor, whole); }
  [[nodiscard]] Session& session() { return acceptor->session(0); }
  // Sends to a counterparty that does not read until the session is not writable. Returns the
  // number of messages.
  std::size_t fill() {
    std::size_t sent = 0;
    for (; session().is_writable() && sent < 1'000; ++sent) {
      EchoVenue::send_text(session(), 200'000);
      turn(1);
    }
    return sent;
  }

  static constexpr std::size_t kHigh = 4U << 20U;
  static constexpr std::size_t kLow = 1U << 20U;
  WritableVenue whole;
};

TEST_F(BackPressureTest, session_without_a_connection_is_writable_and_has_no_unsent_bytes) {
  open_writable();
  EchoVenue::send_text(session(), 200'000);
  EXPECT_EQ(session().unsent_bytes(), 0U) << "stored for the next Logon";
  EXPECT_TRUE(session().is_writable());
}

TEST_F(BackPressureTest, unsent_bytes_are_those_that_the_socket_has_not_taken) {
  open_writable();
  log_on("TRADER");
  EXPECT_EQ(session().unsent_bytes(), 0U);
  EchoVenue::send_text(session(), 1'000);
  EXPECT_GT(session().unsent_bytes(), 1'000U);
  turn(2);
  EXPECT_EQ(session().unsent_bytes(), 0U);
  EXPECT_EQ(whole.notices, 0);
}

TEST_F(BackPressureTest, slow_reader_that_reads_again_causes_one_notice) {
  open_writable();
  std::size_t unsent = 0;
  whole.writable = [&](Session& s) {
    unsent = s.unsent_bytes();
    EXPECT_TRUE(s.is_writable());
  };
  RawPeer& peer = log_on("TRADER");
  peer.pause(true);
  const std::size_t sent = fill();
  EXPECT_FALSE(session().is_writable());
  EXPECT_GT(session().unsent_bytes(), kHigh);
  turn(50);
  EXPECT_EQ(whole.notices, 0);
  peer.pause(false);
  ASSERT_TRUE(run_until([&] { return whole.notices == 1; })) << log.all();
  EXPECT_LE(unsent, kLow);
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == sent + 1; }));
  turn(20);
  EXPECT_EQ(whole.notices, 1);
  EXPECT_TRUE(session().is_logged_on());
}

TEST_F(BackPressureTest, publisher_that_waits_for_the_notice_is_not_cut_off) {
  open_writable();
  constexpr std::size_t kMessages = 600;  // 120 MB, twice MaxQueuedBytes
  std::size_t sent = 0;
  const auto publish = [&](Session& s) {
    while (sent < kMessages && s.is_writable()) {
      EchoVenue::send_text(s, 200'000);
      ++sent;
    }
  };
  whole.writable = publish;
  RawPeer& peer = log_on("TRADER");
  publish(session());
  EXPECT_LT(sent, 100U);
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == kMessages + 1; })) << sent;
  EXPECT_GT(whole.notices, 2);
  EXPECT_FALSE(log.has(EventId::SlowConsumerQueueFull));
}

TEST_F(BackPressureTest, backlog_of_one_callback_that_the_socket_takes_at_once_ends_with_a_notice) {
  extra = "MaxQueuedBytes=1600000";  // high: 100,000
  open_writable();
  bool was_writable = true;
  whole.before_answer = [&](Session& s, const MessageView&) {
    EchoVenue::send_text(s, 101'000);
    was_writable = s.is_writable();
  };
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 3; }));
  EXPECT_FALSE(was_writable);
  EXPECT_TRUE(run_until([&] { return whole.notices == 1; }));
  EXPECT_TRUE(session().is_writable());
}

TEST_F(BackPressureTest, marks_are_a_sixteenth_of_the_limit_and_a_quarter_of_that) {
  extra = "MaxQueuedBytes=1600000";
  open_writable();
  log_on("TRADER");
  EchoVenue::send_text(session(), 99'000);
  EXPECT_TRUE(session().is_writable());
  EchoVenue::send_text(session(), 1'000);
  EXPECT_FALSE(session().is_writable());
  turn(3);
  EXPECT_TRUE(session().is_writable());
  EXPECT_EQ(whole.notices, 1);
}

TEST_F(BackPressureTest, notice_that_throws_sends_nothing_and_a_later_one_comes) {
  extra = "MaxQueuedBytes=1600000";
  open_writable();
  RawPeer& peer = log_on("TRADER");
  whole.writable = [](Session& s) {
    EchoVenue::send_text(s, 10);
    throw std::runtime_error{"no more news"};
  };
  EchoVenue::send_text(session(), 101'000);
  EXPECT_FALSE(session().is_writable());
  ASSERT_TRUE(run_until([&] { return whole.notices == 1; }));
  EXPECT_TRUE(log.has(EventId::CallbackThrew, "no more news")) << log.all();
  whole.writable = nullptr;
  EchoVenue::send_text(session(), 101'000);
  EXPECT_FALSE(session().is_writable());
  ASSERT_TRUE(run_until([&] { return whole.notices == 2; }));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 3; }));
}

TEST_F(BackPressureTest, broken_connection_gives_no_notice) {
  open_writable();
  RawPeer& peer = log_on("TRADER");
  peer.pause(true);
  fill();
  peer.close();
  ASSERT_TRUE(run_until([&] { return whole.logouts == 1; })) << log.all();
  turn(20);
  EXPECT_EQ(whole.notices, 0);
  EXPECT_TRUE(session().is_writable());
}

}  // namespace
}  // namespace nexusfix::testing
