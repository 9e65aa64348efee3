// Logged-on counterparties that demand more answers than trading needs.
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FloodTest : public AcceptorTest {
 protected:
  static constexpr int kMax = 5;

  void SetUp() override { extra = "MaxAdminMessagesPerSecond=5"; }

  std::string test_requests(std::uint64_t first, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
      all += from("TRADER", "1", first + static_cast<std::uint64_t>(i), "112=T|");
    }
    return all;
  }
  // Invalid messages: TestRequests without TestReqID (112), and orders that the dictionary rejects.
  std::string wrong_ones(std::string_view msg_type, std::uint64_t first, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
      all += from("TRADER", msg_type, first + static_cast<std::uint64_t>(i), "58=wrong|");
    }
    return all;
  }
  // Checks that count messages of this type were sent, and that a Logout with this text is the last
  // one.
  void expect_end(RawPeer& peer, std::string_view msg_type, int count, std::string_view text) {
    ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
    ASSERT_EQ(peer.messages().size(), static_cast<std::size_t>(count) + 2) << log.all();
    for (int i = 1; i <= count; ++i) {
      EXPECT_TRUE(contains(peer.messages()[static_cast<std::size_t>(i)],
                           "|35=" + std::string{msg_type} + "|"));
    }
    const std::string& last = peer.messages().back();
    EXPECT_TRUE(contains(last, "|35=5|")) << bar(last);
    EXPECT_TRUE(contains(last, "|58=" + std::string{text} + "|")) << bar(last);
    EXPECT_TRUE(log.has("disconnecting: " + std::string{text})) << log.all();
    EXPECT_EQ(venue.logouts, 1);
  }
};

TEST_F(FloodTest, test_requests_up_to_the_limit_are_answered_each_second) {
  open();
  RawPeer& peer = log_on("TRADER");
  // The Logon is an administrative message, too.
  std::uint64_t next = 2;
  for (int count : {kMax - 1, kMax, kMax}) {
    peer.send(test_requests(next, count));
    next += static_cast<std::uint64_t>(count);
    ASSERT_TRUE(run_until([&] { return peer.messages().size() == next - 1; })) << log.all();
    clock.advance(seconds{1});
    turn(2);
  }
  EXPECT_FALSE(peer.closed());
}

TEST_F(FloodTest, too_many_test_requests_within_a_second_end_the_session) {
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(test_requests(2, kMax + 20));
  expect_end(peer, "0", kMax, "more than 5 administrative messages within a second");
  expect_still_serving();
}

TEST_F(FloodTest, heartbeats_are_counted_and_the_counterparty_can_log_on_again) {
  open();
  RawPeer& peer = log_on("TRADER");
  std::string heartbeats;
  for (std::uint64_t number = 2; number < 12; ++number) heartbeats += from("TRADER", "0", number);
  peer.send(heartbeats);
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  clock.advance(seconds{1});
  log_on("TRADER", acceptor->session(0).numbers().next_inbound);
  EXPECT_TRUE(acceptor->session(0).is_logged_on()) << log.all();
}

TEST_F(FloodTest, too_many_rejects_within_a_second_end_the_session) {
  dictionary.clear();
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(wrong_ones("D", 2, kMax + 20));
  expect_end(peer, "3", kMax + 1, "more than 5 messages had to be rejected within a second");
  EXPECT_TRUE(venue.orders.empty());
}

TEST_F(FloodTest, rejects_up_to_the_limit_do_not_end_the_session) {
  dictionary.clear();
  open();
  RawPeer& peer = log_on("TRADER");
  std::uint64_t next = 2;
  for (int i = 0; i < 3; ++i) {
    peer.send(wrong_ones("D", next, kMax));
    next += kMax;
    ASSERT_TRUE(run_until([&] { return peer.messages().size() == next - 1; })) << log.all();
    clock.advance(seconds{1});
    turn(2);
  }
  EXPECT_FALSE(peer.closed());
}

TEST_F(FloodTest, gap_fills_and_orders_are_not_counted) {
  open();
  RawPeer& peer = log_on("TRADER");
  std::string all;
  for (std::uint64_t number = 2; number < 32; number += 2) {
    all += from("TRADER", "4", number, "123=Y|36=" + std::to_string(number + 1) + "|");
    all += order("TRADER", number + 1, "O" + std::to_string(number));
  }
  peer.send(all);
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == 15; })) << log.all();
  turn(5);
  EXPECT_FALSE(peer.closed()) << log.all();
}

TEST_F(FloodTest, application_is_notified_of_the_end) {
  extra = "MaxAdminMessagesPerSecond=2";
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(test_requests(2, 10));
  ASSERT_TRUE(run_until([&] { return peer.closed() && venue.logouts == 1; })) << log.all();
  EXPECT_FALSE(acceptor->session(0).is_logged_on());
}

}  // namespace
}  // namespace nexusfix::testing
