// What Engine::statistics() says of sessions and loops.
#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <string>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using engine::EngineStatistics;
using engine::SessionState;
using engine::SessionStatistics;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::IsEmpty;

class StatisticsTest : public AcceptorTest {
 protected:
  [[nodiscard]] SessionStatistics of(std::string_view name = "FIX.4.4:VENUE->TRADER") const {
    const EngineStatistics all = acceptor->statistics();
    const auto found = std::ranges::find(all.sessions, name, &SessionStatistics::name);
    EXPECT_NE(found, all.sessions.end()) << name;
    return found == all.sessions.end() ? SessionStatistics{} : *found;
  }
  // One duration, in the bucket of this one.
  static void expect_near(const engine::LatencyHistogram& histogram, std::chrono::nanoseconds one) {
    ASSERT_EQ(histogram.count(), 1U);
    EXPECT_LE(histogram.buckets().front().from, one);
    EXPECT_GT(histogram.buckets().front().to, one);
  }
  [[nodiscard]] static std::uint64_t count_of(const engine::SessionStatistics::Direction& direction,
                                              std::string_view msg_type) {
    const auto found = std::ranges::find(direction.by_type, msg_type,
                                         &engine::SessionStatistics::MessageCount::msg_type);
    return found == direction.by_type.end() ? 0 : found->count;
  }
};

TEST_F(StatisticsTest, session_that_was_never_connected_has_nothing_but_its_state) {
  const WallTime opened = clock.now().wall;
  open();
  const SessionStatistics session = of();
  EXPECT_EQ(session.state, SessionState::Listening);
  EXPECT_EQ(session.since, opened);
  EXPECT_FALSE(session.is_initiator || session.is_expected);
  EXPECT_EQ(session.next, (session::Numbers{1, 1}));
  EXPECT_FALSE(session.in.last_at || session.out.last_at || session.logon_changed_at);
  EXPECT_THAT(session.in.by_type, IsEmpty());
}

TEST_F(StatisticsTest, messages_are_counted_by_direction_and_type) {
  open();
  RawPeer& trader = log_on("TRADER");
  const std::string logon_text = logon("TRADER", 1);
  const std::string order_text = order("TRADER", 2, "A1");
  clock.advance(seconds{1});
  trader.send(order_text + order("TRADER", 3, "A2"));
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 3; }));
  const SessionStatistics session = of();
  EXPECT_EQ(session.state, SessionState::LoggedOn);
  EXPECT_EQ(session.next, (session::Numbers{4, 4}));
  EXPECT_EQ(session.in.messages, 3U);
  EXPECT_EQ(session.in.bytes, logon_text.size() + 2 * order_text.size());
  EXPECT_EQ(session.in.last_at, clock.now().wall);
  EXPECT_EQ(count_of(session.in, "A"), 1U);
  EXPECT_EQ(count_of(session.in, "D"), 2U);
  EXPECT_EQ(count_of(session.out, "A"), 1U);
  EXPECT_EQ(count_of(session.out, "8"), 2U);
  EXPECT_EQ(session.out.messages, 3U);
  EXPECT_EQ(session.logons, 1U);
  EXPECT_EQ(session.since + seconds{1}, clock.now().wall) << "the state began with the Logon";
  const auto loop = acceptor->statistics().loops.front();
  EXPECT_EQ(loop.messages_in, 3U);
  EXPECT_EQ(loop.bytes_in, session.in.bytes);
  EXPECT_EQ(loop.bytes_out, session.out.bytes);
  EXPECT_EQ(loop.connections, 1U);
}

TEST_F(StatisticsTest, latency_of_an_answer_is_from_its_arrival_until_it_is_sent) {
  open();
  RawPeer& trader = log_on("TRADER");
  venue.before_answer = [&](Session&, const MessageView&) { clock.advance(milliseconds{20}); };
  trader.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 2; }));
  const EngineStatistics all = acceptor->statistics();
  const auto& loop = all.loops.front();
  ASSERT_EQ(loop.receive_to_sent.count(), 1U) << "the Logon is no answer of the application";
  expect_near(loop.receive_to_sent, milliseconds{20});
  EXPECT_EQ(loop.receive_to_callback.count(), 1U) << "the first call is timed";
  expect_near(loop.receive_to_callback, milliseconds{0});
  expect_near(loop.callback_to_sent, milliseconds{20});
  EXPECT_EQ(of().receive_to_sent.count(), 1U);
  EXPECT_GE(of().receive_to_sent.percentile(50), milliseconds{20});
}

TEST_F(StatisticsTest, one_message_in_seventeen_is_timed) {
  open();
  RawPeer& trader = log_on("TRADER");
  constexpr std::uint64_t kOrders = 35;
  for (std::uint64_t i = 0; i < kOrders; ++i) {
    trader.send(order("TRADER", 2 + i, "A" + std::to_string(i)));
  }
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 1 + kOrders; }));
  const auto loop = acceptor->statistics().loops.front();
  EXPECT_EQ(loop.receive_to_callback.count(), 3U);
  EXPECT_EQ(loop.callback_to_sent.count(), loop.receive_to_sent.count());
  EXPECT_GE(loop.receive_to_sent.count(), 1U);
  EXPECT_LE(loop.receive_to_sent.count(), 3U) << "orders that are read together leave together";
}

// What a callback had sent before it threw is undone: no later message counts with its time.
TEST_F(StatisticsTest, answer_that_is_undone_is_not_timed) {
  open();
  RawPeer& trader = log_on("TRADER");
  venue.before_answer = [&](Session& session, const MessageView& message) {
    if (message[11] != "A1") return;
    EchoVenue::answer(session, "A1");
    throw std::runtime_error{"no"};
  };
  trader.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 2; }));
  clock.advance(seconds{3});
  trader.send(order("TRADER", 3, "A2"));
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 3; }));
  const auto loop = acceptor->statistics().loops.front();
  EXPECT_EQ(loop.receive_to_callback.count(), 1U);
  EXPECT_TRUE(loop.receive_to_sent.empty());
}

TEST_F(StatisticsTest, answer_that_is_undone_is_not_counted) {
  open();
  RawPeer& trader = log_on("TRADER");
  venue.before_answer = [&](Session& session, const MessageView& message) {
    if (message[11] != "A1") return;
    EchoVenue::answer(session, "A1");
    EchoVenue::answer(session, "A1");
    throw std::runtime_error{"no"};
  };
  trader.send(order("TRADER", 2, "A1") + order("TRADER", 3, "A2"));
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 3; }));
  const SessionStatistics session = of();
  EXPECT_EQ(session.out.messages, 3U);
  EXPECT_EQ(count_of(session.out, "j"), 1U);
  EXPECT_EQ(count_of(session.out, "8"), 1U);
  std::size_t bytes = 0;
  for (const auto& message : trader.messages()) bytes += message.size();
  EXPECT_EQ(session.out.bytes, bytes);
  const auto loop = acceptor->statistics().loops.front();
  EXPECT_EQ(loop.messages_out, 3U);
  EXPECT_EQ(loop.bytes_out, bytes);
}

TEST_F(StatisticsTest, rejects_are_counted_by_reason_in_both_directions) {
  open();
  RawPeer& trader = log_on("TRADER");
  trader.send(from("TRADER", "3", 2, "45=1|373=5|") + from("TRADER", "j", 3, "45=1|372=8|380=2|") +
              from("TRADER", "V", 4, "262=R1|") + from("TRADER", "1", 5));
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 3; }));
  const SessionStatistics session = of();
  ASSERT_EQ(session.in.rejects.size(), 2U);
  EXPECT_EQ(session.in.rejects[0].reason, 5U);
  EXPECT_FALSE(session.in.rejects[0].is_business);
  EXPECT_EQ(session.in.rejects[1].reason, 2U);
  EXPECT_TRUE(session.in.rejects[1].is_business);
  ASSERT_EQ(session.out.rejects.size(), 2U);
  EXPECT_EQ(session.out.rejects[0].reason, 1U) << "a TestRequest without TestReqID";
  EXPECT_EQ(session.out.rejects[1].reason, 3U) << "an unsupported MsgType";
}

TEST_F(StatisticsTest, gap_and_resend_are_counted) {
  open();
  RawPeer& trader = log_on("TRADER");
  trader.send(order("TRADER", 3, "A2"));
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 2; }));
  EXPECT_EQ(of().gaps, 1U);
  EXPECT_EQ(of().out.resend_requests, 1U);
  trader.send(order("TRADER", 2, "A1") + from("TRADER", "2", 4, "7=3|16=0|"));
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 6; })) << log.all();
  const SessionStatistics session = of();
  EXPECT_EQ(session.in.resend_requests, 1U);
  EXPECT_EQ(session.resent, 2U);
  EXPECT_EQ(count_of(session.out, "8"), 2U) << "without the resent ones";
}

TEST_F(StatisticsTest, round_trip_of_our_test_request_ends_with_the_heartbeat_that_answers_it) {
  open();
  RawPeer& trader = log_on("TRADER");
  const auto test_request = [&] {
    return std::ranges::any_of(trader.messages(),
                               [](const auto& one) { return contains(one, "|35=1|"); });
  };
  for (int i = 0; i < 40 && !test_request(); ++i) {
    clock.advance(seconds{1});
    turn(3);
  }
  ASSERT_TRUE(run_until(test_request));
  clock.advance(milliseconds{250});
  trader.send(from("TRADER", "0", 2));
  ASSERT_TRUE(run_until([&] { return of().in.messages == 2; }));
  EXPECT_TRUE(of().test_request_round_trip.empty()) << "a Heartbeat without TestReqID";
  clock.advance(milliseconds{250});
  trader.send(from("TRADER", "0", 3, "112=TEST|"));
  ASSERT_TRUE(run_until([&] { return !of().test_request_round_trip.empty(); }));
  expect_near(of().test_request_round_trip, milliseconds{500});
  EXPECT_EQ(acceptor->statistics().loops.front().test_request_round_trip.count(), 1U);
}

TEST_F(StatisticsTest, ends_of_connections_are_told_from_failed_logons) {
  open();
  log_on("TRADER");
  clock.advance(seconds{5});
  peers.clear();
  ASSERT_TRUE(run_until([&] { return of().disconnects == 1; }));
  EXPECT_EQ(of().state, SessionState::Listening);
  EXPECT_EQ(of().since, clock.now().wall);
  connect().send(logon("TRADER", 1));  // MsgSeqNum too low
  ASSERT_TRUE(run_until([&] { return of().logon_failures == 1; })) << log.all();
  EXPECT_EQ(of().disconnects, 1U);
  EXPECT_EQ(of().logons, 1U);
}

TEST_F(StatisticsTest, logon_outside_of_the_schedule_is_a_failure_of_its_session) {
  schedule = "StartTime=01:00:00\nEndTime=01:00:01";
  open();
  EXPECT_EQ(of().state, SessionState::OutOfSchedule);
  connect().send(logon("TRADER", 1));
  EXPECT_TRUE(run_until([&] { return of().logon_failures == 1; }));
  EXPECT_EQ(of().logons, 0U);
}

TEST_F(StatisticsTest, counterparty_that_does_not_read_has_unsent_bytes_with_their_age) {
  extra = "MaxQueuedBytes=268435456";
  open();
  RawPeer& trader = log_on("TRADER");
  static_cast<void>(trader);
  const WallTime begin = clock.now().wall;
  // More than the buffers of both sockets take.
  constexpr std::size_t kTextBytes = 30'000;
  for (int i = 0; i < 2'000 && of().unsent_bytes == 0; ++i) {
    EchoVenue::send_text(acceptor->session(0), kTextBytes);
    acceptor->poll(milliseconds{0});
  }
  const SessionStatistics session = of();
  EXPECT_GT(session.unsent_bytes, 0U);
  EXPECT_EQ(session.unsent_since, begin);
  ASSERT_TRUE(run_until([&] { return of().unsent_bytes == 0; }));
  EXPECT_FALSE(of().unsent_since.has_value());
}

TEST_F(StatisticsTest, removed_session_is_no_longer_there_and_its_loop_keeps_the_counts) {
  open();
  log_on("TRADER");
  const auto before = acceptor->statistics().loops.front().messages_in;
  acceptor->session(0).remove("gone");
  peers.clear();
  ASSERT_TRUE(run_until([&] { return acceptor->statistics().sessions.size() == 1; }));
  EXPECT_EQ(acceptor->statistics().sessions.front().name, "FIX.4.2:VENUE->OTHER");
  EXPECT_GE(acceptor->statistics().loops.front().messages_in, before);
}

TEST_F(StatisticsTest, engine_has_its_process_times_and_store) {
  const WallTime begin = clock.now().wall;
  open();
  log_on("TRADER");
  clock.advance(seconds{7});
  acceptor->poll(milliseconds{0});
  const EngineStatistics all = acceptor->statistics();
  EXPECT_EQ(all.started, begin);
  EXPECT_EQ(all.taken_at, begin + seconds{7});
  EXPECT_FALSE(all.is_stopping);
  ASSERT_EQ(all.loops.size(), 1U);
  const auto& loop = all.loops.front();
  EXPECT_GT(loop.turns, 0U);
  EXPECT_TRUE(loop.turned_at.has_value());
  EXPECT_FALSE(loop.is_running) << "the program polls it";
  EXPECT_EQ(loop.store.health, engine::StoreStatistics::Health::Ok);
  EXPECT_GT(loop.store.appended_bytes, 0U);
  EXPECT_EQ(loop.store.undurable_bytes, 0U);
}

}  // namespace
}  // namespace nexusfix::testing
