#include "engine/ground/state/connect_policy.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <string_view>

#include "support/transitions.hpp"

namespace nexusfix::engine {
namespace {

using State = ConnectPolicy::State;
using std::chrono::seconds;

constexpr std::string_view kSession = "FIX.4.4:TRADER->VENUE";

MonoTime at(int second) { return MonoTime{} + seconds{second}; }

// Two addresses, and intervals of 5 and 30 s without jitter.
SessionSettings settings() {
  SessionSettings made;
  made.connect.resize(2);
  made.reconnect.intervals = {seconds{5}, seconds{30}};
  made.reconnect.jitter = 0;
  return made;
}

class ConnectPolicyTest : public ::testing::Test {
 protected:
  void connect() {
    policy_.log_on(false, at(0));
    policy_.on_connecting();
  }
  void end_connection(int second, bool may_log_on = true) {
    policy_.on_closed(settings_, kSession, may_log_on, at(second));
  }

  SessionSettings settings_ = settings();
  ConnectPolicy policy_;
};

constexpr std::array kStates{State::Off,       State::Waiting,
                             State::Connected, State::AgainWhenClosed,
                             State::Halted,    State::LoggedOut};

// A row for each state that is left.
constexpr std::array<std::string_view, kStates.size()> kLegal{
    "xx.x.x",  // Off
    "xxx.x.",  // Waiting
    "xxxxx.",  // Connected
    "xx.xx.",  // AgainWhenClosed
    "xx.xx.",  // Halted
    "xx.x.x",  // LoggedOut
};

TEST(ConnectPolicyState, only_legal_transitions_are_allowed) {
  testing::expect_transitions(kStates, kLegal, &ConnectPolicy::can_become);
}

TEST_F(ConnectPolicyTest, a_session_that_never_logs_on_stays_off) {
  end_connection(1);
  policy_.halt();
  policy_.on_reset_requested(true);
  EXPECT_FALSE(policy_.on_reset(true, true, at(2)));
  EXPECT_FALSE(policy_.on_numbers_set(false, at(3)));
  EXPECT_EQ(policy_.state(), State::Off);
}

TEST_F(ConnectPolicyTest, log_on_connects_at_once_and_again_after_the_interval) {
  policy_.log_on(false, at(3));
  EXPECT_EQ(policy_.state(), State::Waiting);
  EXPECT_EQ(policy_.connect_at(), at(3));
  policy_.on_connecting();
  policy_.on_logged_on();
  EXPECT_EQ(policy_.state(), State::Connected);
  end_connection(10);
  EXPECT_EQ(policy_.state(), State::Waiting);
  EXPECT_EQ(policy_.connect_at(), at(15));
}

TEST_F(ConnectPolicyTest, failed_attempts_take_the_next_address_and_the_next_interval) {
  connect();
  end_connection(1);
  EXPECT_EQ(policy_.address(), 1U);
  EXPECT_EQ(policy_.connect_at(), at(6));
  policy_.on_connecting();
  end_connection(7);
  EXPECT_EQ(policy_.address(), 0U);
  EXPECT_EQ(policy_.connect_at(), at(37));
  policy_.on_connecting();
  end_connection(40);
  EXPECT_EQ(policy_.connect_at(), at(70)) << "the last interval counts for all after it";
}

TEST_F(ConnectPolicyTest, logon_restarts_the_intervals) {
  connect();
  end_connection(1);
  policy_.on_connecting();
  policy_.on_logged_on();
  end_connection(20);
  EXPECT_EQ(policy_.connect_at(), at(25));
}

TEST_F(ConnectPolicyTest, priority_takes_the_first_address_after_a_lost_session) {
  settings_.reconnect.priority_start_over = seconds{60};
  connect();
  policy_.on_logged_on();
  end_connection(1);
  EXPECT_EQ(policy_.address(), 0U);
  policy_.on_connecting();
  end_connection(10);
  EXPECT_EQ(policy_.address(), 1U) << "the session was not logged on";
  policy_.on_connecting();
  end_connection(60);
  EXPECT_EQ(policy_.address(), 0U) << "in its turn";
  policy_.on_connecting();
  end_connection(62);
  EXPECT_EQ(policy_.address(), 0U) << "after 60 s of failures";
}

TEST_F(ConnectPolicyTest, log_on_with_a_connection_connects_at_once_after_its_end) {
  connect();
  policy_.log_out();
  EXPECT_FALSE(policy_.wants_connection());
  policy_.log_on(true, at(4));
  EXPECT_EQ(policy_.state(), State::AgainWhenClosed);
  end_connection(9);
  EXPECT_EQ(policy_.state(), State::Waiting);
  EXPECT_EQ(policy_.connect_at(), at(9));
}

TEST_F(ConnectPolicyTest, log_out_ends_all_attempts) {
  connect();
  policy_.log_out();
  end_connection(2);
  EXPECT_EQ(policy_.state(), State::Off);
}

TEST_F(ConnectPolicyTest, a_halt_lasts_until_sequence_numbers_are_set) {
  connect();
  policy_.halt();
  end_connection(2);
  EXPECT_TRUE(policy_.is_halted());
  EXPECT_FALSE(policy_.on_reset(true, false, at(3))) << "nothing requested this reset";
  EXPECT_TRUE(policy_.is_halted());
  EXPECT_TRUE(policy_.on_numbers_set(false, at(4)));
  EXPECT_EQ(policy_.state(), State::Waiting);
  EXPECT_EQ(policy_.connect_at(), at(4));
}

TEST_F(ConnectPolicyTest, a_requested_reset_ends_a_halt) {
  connect();
  policy_.halt();
  end_connection(2);
  policy_.on_reset_requested(false);
  EXPECT_TRUE(policy_.on_reset(true, false, at(5)));
  EXPECT_EQ(policy_.state(), State::Waiting);
  EXPECT_EQ(policy_.connect_at(), at(5));
}

TEST_F(ConnectPolicyTest, reset_during_the_end_of_a_connection_connects_at_once) {
  connect();
  policy_.halt();
  policy_.on_reset_requested(true);
  EXPECT_TRUE(policy_.is_halted()) << "until the reset is carried out";
  EXPECT_TRUE(policy_.on_reset(true, false, at(5)));  // while the connection ends
  end_connection(5);
  EXPECT_EQ(policy_.state(), State::Waiting);
  EXPECT_EQ(policy_.connect_at(), at(5));
}

TEST_F(ConnectPolicyTest, a_reset_of_a_session_that_may_not_connect_leaves_the_halt) {
  connect();
  policy_.halt();
  end_connection(1);
  policy_.on_reset_requested(false);
  EXPECT_FALSE(policy_.on_reset(false, false, at(2)));
  EXPECT_TRUE(policy_.is_halted());
  EXPECT_FALSE(policy_.on_reset(true, false, at(3))) << "the request is over";
}

TEST_F(ConnectPolicyTest, a_closed_schedule_waits_without_an_attempt) {
  connect();
  policy_.on_reset_requested(true);
  end_connection(3, false);
  EXPECT_EQ(policy_.state(), State::Waiting);
  EXPECT_EQ(policy_.address(), 0U);
  policy_.connect_now(at(100));
  EXPECT_EQ(policy_.connect_at(), at(100));
}

}  // namespace
}  // namespace nexusfix::engine
