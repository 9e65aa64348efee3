// The states of one listener.
#include <gtest/gtest.h>

#include "engine/link/listeners.hpp"

namespace nexusfix::engine {
namespace {

TEST(Listener, has_a_socket_only_while_it_listens) {
  Listener listener{.endpoint = {}};
  EXPECT_FALSE(listener.is_open());
  listener.listen_with(7);
  EXPECT_TRUE(listener.is_listening());
  EXPECT_EQ(listener.stop_listening(ListenerState::Displaced), 7U);
  EXPECT_EQ(listener.socket, 0U);
  EXPECT_FALSE(listener.is_open());
}

TEST(Listener, of_another_loop_is_open_until_the_loop_leaves_it) {
  Listener listener{.endpoint = {}};
  listener.listen_elsewhere();
  EXPECT_TRUE(listener.is_open());
  EXPECT_FALSE(listener.is_listening());
  listener.leave_elsewhere();
  EXPECT_EQ(listener.state, ListenerState::Closed);
  listener.listen_with(7);
  listener.leave_elsewhere();
  EXPECT_TRUE(listener.is_listening());
}

TEST(Listener, that_sessions_of_a_reload_need_does_not_leave) {
  Listener listener{.endpoint = {}};
  listener.keep();
  listener.set_leaving(true);
  EXPECT_EQ(listener.in_reload, ListenerInReload::Kept);
  listener.release();
  listener.set_leaving(true);
  EXPECT_EQ(listener.in_reload, ListenerInReload::Leaving);
  listener.release();
  EXPECT_EQ(listener.in_reload, ListenerInReload::Leaving);
  listener.set_leaving(false);
  EXPECT_EQ(listener.in_reload, ListenerInReload::Unchanged);
}

TEST(Listener, displaced_by_an_applied_reload_is_closed) {
  Listener listener{.endpoint = {}};
  listener.listen_with(7);
  EXPECT_EQ(listener.stop_listening(ListenerState::Displaced), 7U);
  listener.keep();
  listener.end_reload();
  EXPECT_EQ(listener.state, ListenerState::Closed);
  EXPECT_EQ(listener.in_reload, ListenerInReload::Unchanged);
}

}  // namespace
}  // namespace nexusfix::engine
