// A counterparty that sends more messages than it may.
#include "engine/ground/state/throttle.hpp"

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using engine::Throttle;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Throttle, any_interval_allows_at_most_the_limit) {
  Throttle throttle{3, seconds{1}};
  const MonoTime start{seconds{100}};
  EXPECT_TRUE(throttle.allow(start));
  EXPECT_TRUE(throttle.allow(start + milliseconds{500}));
  EXPECT_TRUE(throttle.allow(start + milliseconds{900}));
  EXPECT_FALSE(throttle.allow(start + milliseconds{999}));
  EXPECT_EQ(throttle.next_at(), start + seconds{1});
  EXPECT_TRUE(throttle.allow(start + seconds{1}));
  EXPECT_FALSE(throttle.allow(start + milliseconds{1'499}));
  EXPECT_TRUE(throttle.allow(start + milliseconds{1'500}));
}

TEST(Throttle, message_that_passes_in_any_case_uses_the_window_up) {
  Throttle throttle{3, seconds{1}};
  const MonoTime start{seconds{100}};
  EXPECT_EQ(throttle.allowed(start, 10), 3U);
  EXPECT_EQ(throttle.allowed(start, 2), 2U);
  throttle.count(start);
  throttle.count(start + milliseconds{400});
  EXPECT_EQ(throttle.allowed(start + milliseconds{400}, 10), 1U);
  for (int i = 0; i < 4; ++i) throttle.count(start + milliseconds{500});
  EXPECT_EQ(throttle.allowed(start + milliseconds{1'499}, 10), 0U);
  EXPECT_FALSE(throttle.allow(start + milliseconds{1'499}));
  EXPECT_EQ(throttle.allowed(start + milliseconds{1'500}, 10), 3U);
}

TEST(Throttle, without_a_limit_all_messages_pass) {
  Throttle throttle;
  EXPECT_FALSE(throttle.is_set());
  for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(throttle.allow(MonoTime{}));
}

class ThrottleTest : public AcceptorTest {
 protected:
  std::string orders(std::uint64_t first, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
      const std::uint64_t number = first + static_cast<std::uint64_t>(i);
      all += order("TRADER", number, "O" + std::to_string(number));
    }
    return all;
  }
};

TEST_F(ThrottleTest, delayed_messages_are_processed_in_order) {
  extra = "ThrottleMessages=3\nThrottleInterval=2";
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(orders(2, 8));
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == 3; })) << log.all();
  turn(30);
  EXPECT_EQ(venue.orders.size(), 3U);
  peer.send(orders(10, 1));  // the engine does not read it yet
  turn(30);
  EXPECT_EQ(venue.orders.size(), 3U);
  for (std::size_t total : {6U, 9U}) {
    clock.advance(seconds{2});
    ASSERT_TRUE(run_until([&] { return venue.orders.size() == total; })) << venue.orders.size();
    turn(30);
    EXPECT_EQ(venue.orders.size(), total);
  }
  EXPECT_EQ(venue.orders,
            (std::vector<std::string>{"O2", "O3", "O4", "O5", "O6", "O7", "O8", "O9", "O10"}));
  EXPECT_EQ(acceptor->session(0).numbers().next_inbound, 11U);
}

TEST_F(ThrottleTest, message_that_arrives_alone_survives_a_delay) {
  extra = "ThrottleMessages=1\nThrottleInterval=1";
  open();
  RawPeer& peer = log_on("TRADER");
  for (unsigned number = 2; number < 8; number += 2) {
    peer.send(orders(number, 1));
    ASSERT_TRUE(run_until([&] { return venue.orders.size() == number - 1; })) << log.all();
    peer.send(orders(number + 1, 1));
    turn(30);
    clock.advance(seconds{1});
    ASSERT_TRUE(run_until([&] { return venue.orders.size() == number; })) << log.all();
    clock.advance(seconds{1});
  }
}

TEST_F(ThrottleTest, split_messages_survive_a_delay) {
  extra = "ThrottleMessages=1\nThrottleInterval=1";
  open();
  RawPeer& peer = log_on("TRADER");
  const std::string bytes = orders(2, 4);
  for (std::size_t at = 0; at < bytes.size(); at += 37) {
    peer.send(bytes.substr(at, 37));
    turn(2);
  }
  for (std::size_t total = 2; total <= 4; ++total) {
    clock.advance(seconds{1});
    ASSERT_TRUE(run_until([&] { return venue.orders.size() == total; })) << venue.orders.size();
  }
}

TEST_F(ThrottleTest, other_sessions_are_served_while_one_is_delayed) {
  extra = "ThrottleMessages=1\nThrottleInterval=3600";
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(orders(2, 3));
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == 1; }));
  expect_still_serving();
}

TEST_F(ThrottleTest, broken_connection_is_noticed_during_a_delay) {
  extra = "ThrottleMessages=1";
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(orders(2, 3));
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == 1 && peer.all_sent(); }));
  peer.close();  // our next answer does not arrive
  for (int second = 0; second < 5 && venue.logouts == 0; ++second) {
    clock.advance(seconds{1});
    turn(20);
  }
  EXPECT_EQ(venue.logouts, 1) << log.all();
  EXPECT_EQ(acceptor->session(0).numbers().next_inbound, 2 + venue.orders.size());
}

TEST_F(ThrottleTest, rejected_messages_are_counted_and_not_shown_to_the_application) {
  extra = "ThrottleMessages=2\nThrottleAction=reject";
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(orders(2, 3) + from("TRADER", "1", 5, "112=X|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 5; })) << log.all();
  EXPECT_EQ(venue.orders.size(), 2U);
  EXPECT_TRUE(contains(peer.messages()[3], "|35=j|")) << bar(peer.messages()[3]);
  EXPECT_TRUE(contains(peer.messages()[3], "|45=4|58=Throttle limit exceeded|"));
  EXPECT_TRUE(contains(peer.messages()[4], "|35=0|")) << "administrative messages are not counted";
  clock.advance(seconds{1});
  peer.send(orders(6, 1));
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == 3; })) << log.all();
}

TEST_F(ThrottleTest, requested_resends_are_not_counted) {
  extra = "ThrottleMessages=1\nThrottleAction=Reject";
  open();
  RawPeer& peer = log_on("TRADER");
  const std::string dup = "43=Y|122=" + time_text() + "|";
  peer.send(from("TRADER", "D", 2, dup + "11=A|") + from("TRADER", "D", 3, dup + "11=B|") +
            orders(4, 1));
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == 3; })) << log.all();
}

TEST_F(ThrottleTest, throttle_can_log_out_the_session) {
  extra = "ThrottleMessages=1\nThrottleAction=LogOut";
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(orders(2, 2));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 4; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[2], "|35=j|")) << bar(peer.messages()[2]);
  EXPECT_TRUE(contains(peer.messages()[3], "|35=5|")) << bar(peer.messages()[3]);
  EXPECT_TRUE(contains(peer.messages()[3], "|58=Throttle limit exceeded|"));
}

TEST_F(ThrottleTest, delay_does_not_count_for_max_latency) {
  extra = "ThrottleMessages=1\nThrottleInterval=20\nMaxLatency=30";
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(orders(2, 6));
  for (std::size_t total = 1; total <= 6; ++total) {
    ASSERT_TRUE(run_until([&] { return venue.orders.size() == total; })) << log.all();
    clock.advance(seconds{20});
    peer.send(from("TRADER", "0", 7 + total));  // not silent, and too early: held
  }
  EXPECT_EQ(acceptor->session(0).is_logged_on(), true) << log.all();
}

}  // namespace
}  // namespace nexusfix::testing
