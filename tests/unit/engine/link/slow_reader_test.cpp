// Counterparties that read slowly or not at all, and resends to them.
#include <charconv>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using SlowReaderTest = AcceptorTest;

std::uint64_t number(const std::string& message, wire::Tag tag) {
  const std::string text = bar(message);
  const std::string key = "|" + std::to_string(tag) + "=";
  const std::size_t at = text.find(key);
  std::uint64_t value = 0;
  if (at != std::string::npos) {
    std::from_chars(text.data() + at + key.size(), text.data() + text.size(), value);
  }
  return value;
}

TEST_F(SlowReaderTest, resend_continues_when_a_paused_reader_reads_again) {
  open();
  constexpr std::size_t kMessages = 3'000;
  for (std::size_t i = 0; i < kMessages; ++i) EchoVenue::send_text(acceptor->session(0), 4'000);
  RawPeer& peer = log_on("TRADER");
  peer.send(from("TRADER", "2", 2, "7=1|16=0|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() >= 100; }));
  peer.pause(true);
  turn(500);
  peer.pause(false);
  // The messages, the gap fill over the Logon, and an answer that shows that the session is alive.
  peer.send(from("TRADER", "1", 3, "112=ALIVE|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == kMessages + 3; }))
      << peer.messages().size();
  EXPECT_TRUE(contains(peer.messages().back(), "|112=ALIVE|"));
}

TEST_F(SlowReaderTest, resend_of_more_than_one_slice_has_every_message) {
  // The engine reads 1 MiB at a time from the store, and these are 2 MB: the next slice begins
  // where the last one ended.
  open();
  constexpr std::size_t kMessages = 20;
  for (std::size_t i = 0; i < kMessages; ++i) EchoVenue::send_text(acceptor->session(0), 100'000);
  RawPeer& peer = log_on("TRADER");
  peer.send(from("TRADER", "2", 2, "7=1|16=" + std::to_string(kMessages) + "|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1 + kMessages; }))
      << peer.messages().size();
  for (std::size_t i = 1; i <= kMessages; ++i) {
    EXPECT_TRUE(contains(peer.messages()[i], "|35=B|34=" + std::to_string(i) + "|43=Y|"))
        << bar(peer.messages()[i]).substr(0, 100);
  }
}

TEST_F(SlowReaderTest, second_resend_request_repeats_no_number_without_poss_dup) {
  open();
  for (std::size_t i = 0; i < 1'000; ++i) EchoVenue::send_text(acceptor->session(0), 100);
  RawPeer& peer = log_on("TRADER");
  peer.send(from("TRADER", "2", 2, "7=1|16=0|") + order("TRADER", 3, "A1") +
            from("TRADER", "1", 4, "112=A|") + from("TRADER", "2", 5, "7=1|16=0|") +
            from("TRADER", "1", 6, "112=LAST|"));
  ASSERT_TRUE(run_until([&] {
    return !peer.messages().empty() && contains(peer.messages().back(), "|112=LAST|");
  })) << peer.messages().size();
  std::uint64_t expected = 1;
  for (const std::string& message : peer.messages()) {
    const std::uint64_t msg_seq_num = number(message, 34);
    if (msg_seq_num < expected) {
      ASSERT_TRUE(contains(message, "|43=Y|")) << expected << ": " << bar(message);
    } else if (msg_seq_num == expected) {
      expected = contains(message, "|35=4|") ? number(message, 36) : expected + 1;
    }
  }
  EXPECT_EQ(expected, acceptor->session(0).numbers().next_outbound);
}

TEST_F(SlowReaderTest, peer_that_does_not_read_is_disconnected_at_the_limit) {
  open();
  venue.before_answer = [](Session& session, const MessageView&) {
    for (int i = 0; i < 10; ++i) EchoVenue::send_text(session, 900'000);
  };
  RawPeer& other = log_on("OTHER");
  RawPeer& peer = log_on("TRADER");
  peer.pause(true);
  for (std::uint64_t n = 2; n < 12; ++n) {
    peer.send(order("TRADER", n, std::to_string(n)));
    turn(20);
  }
  EXPECT_TRUE(log.has(observe::Severity::Warning, "slow consumer: ")) << log.all();
  EXPECT_FALSE(acceptor->session(0).is_logged_on());
  EXPECT_LT(venue.orders.size(), 10U);
  venue.before_answer = nullptr;
  other.send(order("OTHER", 2, "O1"));
  EXPECT_TRUE(run_until([&] { return other.messages().size() == 2; }));
}

TEST_F(SlowReaderTest, peer_that_does_not_read_is_disconnected_after_slow_consumer_timeout) {
  extra = "SlowConsumerTimeout=5";
  open();
  RawPeer& other = log_on("OTHER");
  RawPeer& peer = log_on("TRADER");
  peer.pause(true);
  for (int i = 0; i < 100; ++i) EchoVenue::send_text(acceptor->session(0), 200'000);
  turn(20);
  clock.advance(std::chrono::seconds{4});
  turn(5);
  EXPECT_TRUE(acceptor->session(0).is_logged_on()) << log.all();
  clock.advance(std::chrono::seconds{2});
  turn(5);
  EXPECT_FALSE(acceptor->session(0).is_logged_on());
  EXPECT_TRUE(log.has("bytes for 5 s (SlowConsumerTimeout)")) << log.all();
  other.send(order("OTHER", 2, "O1"));
  EXPECT_TRUE(run_until([&] { return other.messages().size() == 2; }));
}

TEST_F(SlowReaderTest, callback_may_send_more_than_a_small_record_holds) {
  open();
  venue.before_answer = [](Session& session, const MessageView&) {
    for (int i = 0; i < 30; ++i) EchoVenue::send_text(session, 1'000'000);
  };
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 32; })) << log.all();
  EXPECT_TRUE(contains(peer.messages().back(), "|11=A1|"));
}

TEST_F(SlowReaderTest, deadline_is_in_the_past_while_bytes_wait_to_be_sent) {
  open();
  log_on("TRADER");
  turn(1);
  EXPECT_GT(acceptor->next_deadline(), clock.now().mono);
  EchoVenue::answer(acceptor->session(0), "FROM-OUTSIDE");
  EXPECT_LE(acceptor->next_deadline(), clock.now().mono);
  turn(1);
  EXPECT_GT(acceptor->next_deadline(), clock.now().mono);
}

TEST_F(SlowReaderTest, message_begun_before_another_one_is_refused) {
  open();
  log_on("TRADER");
  Session& first = acceptor->session(0);
  Session& second = acceptor->session(1);
  const auto before = first.numbers();
  wire::Encoder one = first.begin("B");
  wire::Encoder two = second.begin("B");
  one.field(58, "one");
  two.field(58, "two");
  const auto refused = first.finish(one);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().failure, engine::SendFailure::NotBegun);
  EXPECT_EQ(first.numbers().next_outbound, before.next_outbound);
  // An event between begin() and finish() takes the number away, too.
  wire::Encoder three = first.begin("B");
  three.field(58, "three");
  clock.advance(std::chrono::seconds{31});  // A Heartbeat is due.
  turn(1);
  EXPECT_FALSE(first.finish(three).has_value());
  wire::Encoder four = first.begin("B");
  four.field(58, "four");
  EXPECT_TRUE(first.finish(four).has_value());
}

TEST_F(SlowReaderTest, flood_of_resets_is_logged_in_few_lines) {
  extra = "MaxAdminMessagesPerSecond=2000";
  open();
  RawPeer& peer = log_on("TRADER");
  for (int i = 0; i < 1'000; ++i) peer.send(logon("TRADER", 1, "141=Y|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1'001; })) << log.all();
  EXPECT_LT(log.lines.size(), 200U);
}

}  // namespace
}  // namespace nexusfix::testing
