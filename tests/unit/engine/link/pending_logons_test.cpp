// Connections without a Logon: their limits, and which connection makes room for another.
#include <algorithm>

#include "control/api/notice_limiter.hpp"
#include "engine/ground/connection/connection.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using engine::NoticeTally;
using engine::PendingLogons;
using Answer = PendingLogons::Answer;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr PendingLogons::Limits kFew{.all_max = 6, .per_source_max = 4};

// Adds count connections of one source, with consecutive sockets from first on.
void add(PendingLogons& pending, transport::Source source, int count, transport::SocketId first) {
  for (int i = 0; i < count; ++i) pending.add(source, first++);
}

TEST(PendingLogons, limit_of_one_source_leaves_room_for_others) {
  PendingLogons pending;
  add(pending, 1, 3, 10);
  EXPECT_EQ(pending.ask(1, kFew).answer, Answer::Yes);
  add(pending, 1, 1, 13);
  EXPECT_EQ(pending.ask(1, kFew).answer, Answer::TooManyOfSource);
  EXPECT_EQ(pending.ask(2, kFew).answer, Answer::Yes);
  EXPECT_EQ(pending.ask(2, kFew).displaced, std::nullopt);
}

TEST(PendingLogons, at_the_total_limit_the_oldest_of_the_largest_source_is_displaced) {
  PendingLogons pending;
  add(pending, 1, 4, 10);
  add(pending, 2, 2, 20);
  const auto place = pending.ask(3, kFew);
  EXPECT_EQ(place.answer, Answer::Yes);
  EXPECT_EQ(place.displaced, 10U);
}

TEST(PendingLogons, largest_source_makes_room_unless_it_has_only_one_connection) {
  PendingLogons pending;
  EXPECT_EQ(pending.oldest_of_most(), std::nullopt);
  add(pending, 1, 1, 10);
  add(pending, 2, 1, 20);
  EXPECT_EQ(pending.oldest_of_most(), std::nullopt);
  add(pending, 2, 2, 21);
  EXPECT_EQ(pending.oldest_of_most(), 20U);
}

TEST(PendingLogons, no_connection_is_displaced_for_an_equally_large_source) {
  PendingLogons pending;
  add(pending, 1, 3, 10);
  add(pending, 2, 2, 20);
  add(pending, 3, 1, 30);
  EXPECT_EQ(pending.ask(1, kFew).answer, Answer::TooMany);
  EXPECT_EQ(pending.ask(2, kFew).answer, Answer::TooMany);
  EXPECT_EQ(pending.ask(3, kFew).displaced, 10U);
  EXPECT_EQ(pending.ask(4, kFew).displaced, 10U);
}

TEST(PendingLogons, closed_connections_are_not_counted) {
  PendingLogons pending;
  add(pending, 1, 4, 10);
  pending.remove(1, 10);
  pending.remove(1, 10);
  pending.remove(2, 11);
  EXPECT_EQ(pending.size(), 3U);
  EXPECT_EQ(pending.ask(1, kFew).answer, Answer::Yes);
  for (transport::SocketId socket = 11; socket < 14; ++socket) pending.remove(1, socket);
  EXPECT_EQ(pending.size(), 0U);
}

TEST(PendingLogons, largest_limit_of_a_port_applies_and_zero_is_no_limit) {
  PendingLogons::Limits limits;
  limits.widen({2, 1});
  limits.widen({1, 3});
  EXPECT_EQ(limits.all_max, 2U);
  EXPECT_EQ(limits.per_source_max, 3U);
  limits.widen({0, 0});
  PendingLogons pending;
  add(pending, 1, 100, 10);
  EXPECT_EQ(pending.ask(1, limits).answer, Answer::Yes);
}

TEST(NoticeTally, first_notice_is_due_at_once_and_later_ones_once_a_second) {
  NoticeTally tally;
  const MonoTime start{seconds{100}};
  EXPECT_EQ(tally.due(), kNever);
  EXPECT_EQ(tally.take(start), 0U);
  tally.add(2, "10.0.0.1:1");
  EXPECT_EQ(tally.take(start), 2U);
  tally.add(3);
  tally.add(4, "10.0.0.1:2");
  EXPECT_EQ(tally.take(start + milliseconds{999}), 0U);
  EXPECT_EQ(tally.due(), start + seconds{1});
  EXPECT_EQ(tally.take(start + seconds{1}), 7U);
  EXPECT_EQ(tally.last(), "10.0.0.1:2");
  EXPECT_EQ(tally.take(start + seconds{5}), 0U);
}

class PendingLogonsTest : public AcceptorTest {
 protected:
  static constexpr const char* kFlood = "127.0.0.2";

  void connect_many(int count, const std::string& from, std::vector<RawPeer*>& all) {
    for (int i = 0; i < count; ++i) {
      all.push_back(&connect(from));
      turn(3);
    }
  }
  // One address may have all places.
  static void without_share(config::Settings& settings) {
    for (config::SessionSettings& one : settings.sessions) {
      one.admission.pending_logons_per_address_max = 0;
    }
  }
  [[nodiscard]] static std::ptrdiff_t open_of(const std::vector<RawPeer*>& peers) {
    return std::ranges::count_if(peers, [](const RawPeer* one) { return !one->closed(); });
  }
};

TEST_F(PendingLogonsTest, flood_from_one_address_does_not_block_others) {
  extra = "MaxPendingLogons=6";
  open();
  RawPeer& live = log_on("TRADER");
  std::vector<RawPeer*> flood;
  connect_many(8, kFlood, flood);
  ASSERT_TRUE(run_until([&] { return open_of(flood) == 3; })) << log.all();
  EXPECT_FALSE(flood[0]->closed()) << "the newest are refused";
  EXPECT_TRUE(log.has(EventId::PendingLogonsOfAddressFull, "; the last one from 127.0.0.2:"))
      << log.all();
  EXPECT_EQ(acceptor->statistics().loops[0].connections_refused, 5U);
  live.send(order("TRADER", 2, "MEANWHILE"));
  EXPECT_TRUE(run_until([&] { return venue.orders.size() == 1; })) << log.all();
  expect_still_serving();
}

TEST_F(PendingLogonsTest, logged_on_and_closed_connections_are_not_counted) {
  extra = "MaxPendingLogons=2";
  open();
  log_on("TRADER");
  connect().close();
  turn(20);
  RawPeer& refused = connect();
  refused.send(order("OTHER", 1, "NO-LOGON"));
  ASSERT_TRUE(run_until([&] { return refused.closed(); }));
  expect_still_serving();
}

TEST_F(PendingLogonsTest, at_the_total_limit_an_address_with_fewer_displaces_the_oldest) {
  extra = "MaxPendingLogons=4";
  adjust = without_share;
  open();
  std::vector<RawPeer*> flood;
  connect_many(6, kFlood, flood);
  ASSERT_TRUE(run_until([&] { return open_of(flood) == 4; })) << log.all();
  EXPECT_TRUE(log.has(EventId::PendingLogonsFull)) << log.all();
  expect_still_serving();
  EXPECT_EQ(open_of(flood), 3) << log.all();
  EXPECT_TRUE(flood[0]->closed());
  EXPECT_TRUE(log.has("their address has most of all that wait (MaxPendingLogons)")) << log.all();
}

TEST_F(PendingLogonsTest, places_are_free_again_after_logon_timeout) {
  extra = "MaxPendingLogons=4\nLogonTimeout=5";
  open();
  std::vector<RawPeer*> flood;
  connect_many(3, kFlood, flood);
  ASSERT_TRUE(run_until([&] { return open_of(flood) == 2; })) << log.all();
  // Single bytes do not extend LogonTimeout.
  for (char byte : std::string{"8=FI"}) {
    clock.advance(seconds{1});
    for (RawPeer* one : flood) one->send({&byte, 1});
    turn(5);
  }
  EXPECT_EQ(open_of(flood), 2);
  clock.advance(seconds{1});
  ASSERT_TRUE(run_until([&] { return open_of(flood) == 0; })) << log.all();
  std::vector<RawPeer*> again;
  connect_many(2, kFlood, again);
  turn(20);
  EXPECT_EQ(open_of(again), 2) << log.all();
}

TEST_F(PendingLogonsTest, flood_is_one_log_line_a_second_with_a_count) {
  extra = "MaxPendingLogons=2";
  open();
  std::vector<RawPeer*> flood;
  connect_many(30, kFlood, flood);
  ASSERT_TRUE(run_until([&] { return open_of(flood) == 1; })) << log.all();
  const auto lines = [&] {
    return std::ranges::count_if(log.lines, [](const std::string& line) {
      return line.find("half of MaxPendingLogons") != std::string::npos;
    });
  };
  EXPECT_EQ(lines(), 1) << log.all();
  clock.advance(seconds{1});
  turn(5);
  EXPECT_EQ(lines(), 2) << log.all();
  EXPECT_TRUE(log.has("1 connection was closed at once")) << log.all();
  EXPECT_TRUE(log.has("28 connections were closed at once")) << log.all();
}

TEST_F(PendingLogonsTest, without_limits_no_connection_is_refused) {
  extra = "MaxPendingLogons=0";
  open();
  std::vector<RawPeer*> many;
  connect_many(20, kFlood, many);
  turn(20);
  EXPECT_EQ(open_of(many), 20) << log.all();
}

}  // namespace
}  // namespace nexusfix::testing
