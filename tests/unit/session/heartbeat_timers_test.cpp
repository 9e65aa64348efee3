// Heartbeats, TestRequests and silence. H is 6 s, as in the acceptance scripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class HeartbeatTest : public testing::Test {
 protected:
  HeartbeatTest() {
    acceptor.connect();
    acceptor.in("35=A|34=1|98=0|108=6");
    (void)acceptor.sent();
  }
  Side acceptor{acceptor_config("FIX.4.2")};
};

TEST_F(HeartbeatTest, is_sent_when_nothing_was_sent_for_the_interval) {
  // TC 4a.
  acceptor.advance(5'999ms);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  acceptor.advance(1ms);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=2"));
}

TEST_F(HeartbeatTest, is_timed_from_the_last_sent_message) {
  // FIX Session Layer, "Heartbeat": any sent message counts.
  acceptor.advance(4s);
  acceptor.send();
  (void)acceptor.sent();
  acceptor.advance(3s);
  acceptor.in("35=0|34=2");
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  acceptor.advance(3s);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=3"));
}

TEST_F(HeartbeatTest, is_timed_from_a_message_that_is_sent_again) {
  // FIX Session Layer, "Heartbeat": any sent message counts, a resent one too.
  acceptor.send();
  (void)acceptor.sent();
  acceptor.advance(4s);
  acceptor.in("35=2|34=2|7=2|16=2");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=D|34=2|43=Y|122=20240115-10:30:00.000|58=order"));
  acceptor.advance(3s);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  acceptor.advance(3s);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=3"));
}

TEST_F(HeartbeatTest, is_timed_from_a_gap_fill) {
  acceptor.advance(4s);
  acceptor.in("35=2|34=2|7=1|16=1");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=4|34=1|43=Y|122=20240115-10:30:04.000|36=2|123=Y"));
  acceptor.advance(3s);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  acceptor.advance(3s);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=2"));
}

TEST_F(HeartbeatTest, test_request_is_answered_with_its_test_req_id) {
  // TC 4b.
  acceptor.in("35=1|34=2|112=HELLO");
  EXPECT_THAT(acceptor.sent_in_full(),
              ElementsAre("8=FIX.4.2|35=0|34=2|49=VENUE|52=20240115-10:30:00.000|56=TRADER|"
                          "112=HELLO"));
}

TEST_F(HeartbeatTest, test_request_without_test_req_id_is_rejected) {
  // FIX 4.2, TestRequest: TestReqID is required.
  acceptor.in("35=1|34=2");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=3|34=2|45=2|58=Required tag missing|371=112|372=1|373=1"));
  EXPECT_EQ(acceptor.next_in(), 3U);
}

TEST_F(HeartbeatTest, test_req_id_too_long_for_an_answer_is_rejected) {
  // TC 4b. The answer must fit into a bounded buffer: 1024 bytes do, 1025 do not.
  acceptor.in("35=1|34=2|112=" + std::string(1'024, 'x'));
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=2|112=" + std::string(1'024, 'x')));
  acceptor.in("35=1|34=3|112=" + std::string(1'025, 'x'));
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=3|34=3|45=3|58=Value is incorrect (out of range) for this tag|"
                          "371=112|372=1|373=5"));
}

TEST_F(HeartbeatTest, test_request_is_sent_after_one_and_a_fifth_intervals_of_silence) {
  // TC 6: TestRequest 1.2 H after the last message received.
  acceptor.advance(7'199ms);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=2"));
  acceptor.advance(1ms);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=1|34=3|112=TEST"));
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::TestRequestSent));
}

TEST_F(HeartbeatTest, no_heartbeat_while_a_test_request_is_unanswered_then_the_disconnect) {
  // TC 6: closed 2.4 H after the last message received, without a message.
  acceptor.advance(7'200ms);
  (void)acceptor.sent();
  acceptor.advance(7'199ms);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_FALSE(acceptor.disconnect_reason.has_value());
  acceptor.advance(1ms);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::HeartbeatTimeout);
  EXPECT_EQ(acceptor.logged_out, 1);
}

TEST_F(HeartbeatTest, silence_ends_with_a_logout_if_configured) {
  SessionConfig config = acceptor_config("FIX.4.2");
  config.heartbeat.says_logout_on_silence = true;
  Side polite{config};
  polite.connect();
  polite.in("35=A|34=1|98=0|108=6");
  polite.advance(7'200ms);
  (void)polite.sent();
  polite.advance(7'200ms);
  EXPECT_THAT(polite.sent(), ElementsAre("35=5|34=4|58=TestRequest not answered"));
  EXPECT_EQ(polite.disconnect_reason, DisconnectReason::HeartbeatTimeout);
  EXPECT_EQ(polite.logged_out, 1);
}

TEST_F(HeartbeatTest, allowed_silence_causes_further_test_requests_and_heartbeats_continue) {
  SessionConfig config = acceptor_config("FIX.4.2");
  config.heartbeat.disconnects_on_silence = false;
  Side patient{config};
  patient.connect();
  patient.in("35=A|34=1|98=0|108=6");
  patient.advance(7'200ms);
  (void)patient.sent();
  patient.advance(6s);
  EXPECT_THAT(patient.sent(), ElementsAre("35=0|34=4"));
  patient.advance(1'200ms);
  EXPECT_TRUE(patient.has_notice(NoticeCode::TestRequestNotAnswered));
  EXPECT_THAT(patient.sent(), IsEmpty());
  patient.advance(7'200ms);
  EXPECT_THAT(patient.sent(), ElementsAre("35=0|34=5", "35=1|34=6|112=TEST"));
  patient.advance(1h);
  EXPECT_FALSE(patient.disconnect_reason.has_value());
  EXPECT_EQ(patient.logged_out, 0);
}

TEST_F(HeartbeatTest, script_6_send_test_request) {
  // TC 6, step by step as in the acceptance script.
  acceptor.advance(6s);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=2"));
  acceptor.in("35=0|34=2");
  acceptor.advance(6s);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=3"));
  acceptor.advance(1'200ms);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=1|34=4|112=TEST"));
  acceptor.in("35=0|34=3|112=TEST");
  acceptor.advance(6s);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=5"));
  acceptor.in("35=0|34=4");
  acceptor.advance(6s);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=6"));
  acceptor.advance(1'200ms);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=1|34=7|112=TEST"));
  acceptor.advance(7'200ms);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::HeartbeatTimeout);
}

TEST_F(HeartbeatTest, any_message_answers_a_test_request) {
  // FIX Session Layer, "TestRequest": any message shows that the counterparty is alive.
  acceptor.advance(7'200ms);
  (void)acceptor.sent();
  acceptor.in("35=D|34=2|11=x");
  acceptor.advance(6s);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=4"));
  EXPECT_FALSE(acceptor.disconnect_reason.has_value());
}

TEST_F(HeartbeatTest, garbled_bytes_do_not_count_as_a_message) {
  // FIX Session Layer, "Garbled message processing": as if nothing had arrived.
  acceptor.advance(7s);
  acceptor.garbled(wire::GarbledReason::CheckSumWrong);
  (void)acceptor.sent();
  acceptor.advance(200ms);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=1|34=3|112=TEST"));
}

TEST_F(HeartbeatTest, resent_message_counts_as_a_message) {
  // TC 6: silence means that nothing arrives. During our own gap only PossDup messages arrive.
  acceptor.in("35=D|34=2|11=x");
  acceptor.advance(7s);
  acceptor.in("35=D|34=2|43=Y|122=20240115-10:29:00|11=x");
  (void)acceptor.sent();
  acceptor.advance(1s);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
}

TEST_F(HeartbeatTest, process_that_was_stopped_sends_a_test_request_before_it_disconnects) {
  // TC 6, after a pause of our process. The counterparty's messages may be unread in the socket.
  acceptor.set_now({.wall = acceptor.now().wall + 1min, .mono = acceptor.now().mono + 1min});
  acceptor.wake();
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=1|34=2|112=TEST"));
  EXPECT_FALSE(acceptor.disconnect_reason.has_value());
  acceptor.advance(7'199ms);
  EXPECT_FALSE(acceptor.disconnect_reason.has_value());
  acceptor.advance(1ms);
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::HeartbeatTimeout);
}

TEST_F(HeartbeatTest, jump_of_the_wall_clock_moves_no_timeout) {
  // FIX 4.4, HeartBtInt: an interval, not a time of day. Timeouts use the monotonic clock.
  acceptor.set_now({.wall = acceptor.now().wall + 24h, .mono = acceptor.now().mono + 1s});
  acceptor.wake();
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_FALSE(acceptor.disconnect_reason.has_value());
}

TEST_F(HeartbeatTest, call_before_the_deadline_does_nothing) {
  // TC 4a. on_time() may come early.
  for (int i = 0; i < 5; ++i) {
    acceptor.advance(1s);
    acceptor.wake();
  }
  EXPECT_THAT(acceptor.sent(), IsEmpty());
}

TEST(Heartbeat, interval_zero_means_no_heartbeats_and_no_timeout) {
  // FIX Session Layer, "Logon": HeartBtInt 0.
  Side acceptor{acceptor_config()};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=0");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=0"));
  EXPECT_EQ(acceptor.machine().next_deadline(), kNever);
  acceptor.advance(24h);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.state(), State::LoggedOn);
}

TEST(Heartbeat, interval_of_one_second_and_the_largest_one_work) {
  // FIX Session Layer, "Logon": the boundaries of HeartBtInt.
  for (const int seconds : {1, 3'600}) {
    Side acceptor{acceptor_config()};
    acceptor.connect();
    acceptor.in("35=A|34=1|98=0|108=" + std::to_string(seconds));
    (void)acceptor.sent();
    acceptor.advance(std::chrono::seconds{seconds});
    EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=2"));
  }
}

TEST(Heartbeat, multiples_are_configurable) {
  // QuickFIX's TestRequestDelayMultiplier and HeartBeatTimeoutMultiplier.
  SessionConfig config = acceptor_config();
  config.heartbeat.test_request_delay = 0.5;
  config.heartbeat.timeout = 1.0;
  Side acceptor{config};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=10");
  (void)acceptor.sent();
  acceptor.advance(15s);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=2", "35=1|34=3|112=TEST"));
  acceptor.advance(5s);
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::HeartbeatTimeout);
}

TEST(Heartbeat, two_quiet_machines_stay_logged_on_for_an_hour) {
  // TC 4: the heartbeats of both sides are enough.
  Pair pair;
  pair.connect();
  pair.advance(1h);
  EXPECT_EQ(pair.initiator.state(), State::LoggedOn);
  EXPECT_EQ(pair.acceptor.state(), State::LoggedOn);
  EXPECT_EQ(pair.initiator.next_in(), pair.acceptor.next_out());
  EXPECT_EQ(pair.initiator.next_out(), pair.acceptor.next_in());
  EXPECT_FALSE(pair.initiator.has_notice(NoticeCode::TestRequestSent));
  EXPECT_LE(pair.initiator.next_out(), 125U);
}

}  // namespace
}  // namespace nexusfix::session::test
