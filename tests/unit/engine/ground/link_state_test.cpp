// A connection takes only the transitions between its states that are legal.
#include <array>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "engine/ground/connection/connection.hpp"
#include "support/transitions.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::array kStates{LinkState::Connecting, LinkState::CheckingPassword,
                             LinkState::Deferred,   LinkState::AwaitingLogon,
                             LinkState::Bound,      LinkState::Migrating,
                             LinkState::Draining,   LinkState::Dead};

// A row for each state that is left.
constexpr std::array<std::string_view, kStates.size()> kLegal{
    "....x..x",  // Connecting
    "...x...x",  // CheckingPassword
    "...x...x",  // Deferred
    ".xx.xx.x",  // AwaitingLogon
    "......xx",  // Bound
    ".......x",  // Migrating
    ".......x",  // Draining
    "........",  // Dead
};

TEST(LinkState, only_legal_transitions_are_allowed) {
  testing::expect_transitions(kStates, kLegal, &can_become);
}

TEST(LinkState, accepted_connection_listens_unless_its_logon_waits) {
  LoopWork work;
  Connection connection{1, AcceptedFrom{}, kNever};
  EXPECT_EQ(connection.state(), LinkState::AwaitingLogon);
  EXPECT_TRUE(connection.listens());
  connection.defer_logon(MonoTime{}, MonoTime{} + std::chrono::nanoseconds{3}, work);
  EXPECT_EQ(connection.state(), LinkState::Deferred);
  EXPECT_TRUE(connection.is_paused());
  EXPECT_FALSE(connection.listens());
  connection.end_pause();
  EXPECT_EQ(connection.state(), LinkState::AwaitingLogon);
  EXPECT_FALSE(connection.is_paused());
  EXPECT_TRUE(connection.has_waited());
  EXPECT_EQ(connection.waited(MonoTime{} + std::chrono::nanoseconds{5}).count(), 5);
  connection.end_wait();
  EXPECT_FALSE(connection.has_waited());
}

TEST(LinkState, password_is_checked_until_the_deadline_of_the_logon) {
  const MonoTime deadline{std::chrono::seconds{5}};
  LoopWork work;
  Connection connection{1, AcceptedFrom{}, deadline};
  connection.begin_password_check(MonoTime{}, work);
  EXPECT_TRUE(connection.is_checking_password());
  EXPECT_EQ(connection.paused_until(), deadline);
  connection.end_pause();
  EXPECT_EQ(connection.state(), LinkState::AwaitingLogon);
}

TEST(LinkState, ended_connection_has_neither_socket_nor_session) {
  Connection connection{1, AcceptedFrom{}, kNever};
  EXPECT_EQ(connection.end(), nullptr);
  EXPECT_TRUE(connection.is_dead());
  EXPECT_EQ(connection.socket_id(), 0U);
  EXPECT_FALSE(connection.listens());
}

}  // namespace
}  // namespace nexusfix::engine
