// SessionInstaller without an EventLoop: all new sessions, or none.
#include "engine/directory/session_installer.hpp"

#include <string>

#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

class SessionInstallerComponent : public testing::FloorsTest {
 protected:
  SessionInstallerComponent() { sessions_text = session_text("TRADER"); }

  // "done", or the error.
  [[nodiscard]] std::string add(const std::string& of_sessions) {
    SessionInstaller installer{loop(), io(), sessions()};
    const auto done = installer.add_sessions(settings_of(of_sessions));
    return done ? "done" : done.error().text;
  }
};

TEST_F(SessionInstallerComponent, new_session_admits_its_counterparty_on_its_own_port) {
  open();
  EXPECT_EQ(add(session_text("NEW", "SocketAcceptPort=5002\n")), "done");
  ASSERT_EQ(sessions().registry.entries().size(), 2U);
  EXPECT_TRUE(entry(1).membership.is_active());
  EXPECT_EQ(entry(1).acceptor.listener(), 1U);
  EXPECT_EQ(network.open_sockets(), 2U);
  EXPECT_EQ(io().listeners.all()[1].in_reload, ListenerInReload::Unchanged);
  EXPECT_TRUE(log.has(EventId::SessionAdded, "FIX.4.4:VENUE->NEW")) << log.all();
}

TEST_F(SessionInstallerComponent, one_session_that_cannot_be_added_adds_none) {
  open();
  ASSERT_TRUE(far.listen({"", 5003}).has_value());
  EXPECT_TRUE(add(session_text("NEW", "SocketAcceptPort=5002\n") +
                  session_text("OTHER", "SocketAcceptPort=5003\n"))
                  .contains("SocketAcceptPort=5003"));
  EXPECT_EQ(sessions().registry.entries().size(), 1U);
  EXPECT_EQ(sessions().registry.find_acceptor("FIX.4.4:VENUE->NEW"), nullptr);
  EXPECT_EQ(network.open_sockets(), 1U) << "port 5002 is closed again";
  EXPECT_FALSE(log.has(EventId::SessionAdded)) << log.all();
}

TEST_F(SessionInstallerComponent, error_names_the_line_of_the_session_or_of_the_key) {
  open();
  EXPECT_EQ(add(session_text("TRADER")),
            "venue.cfg:11: FIX.4.4:VENUE->TRADER: there is such a session already");
  EXPECT_TRUE(add(session_text("NEW", "UseTCPProxy=Y\nTrustedProxies=10.0.0.5\n"))
                  .contains("venue.cfg:13: FIX.4.4:VENUE->NEW: UseTCPProxy"));
}

TEST_F(SessionInstallerComponent, nothing_is_added_within_a_callback_or_by_a_loop_that_stops) {
  open();
  log_on(entry());
  std::string within;
  venue.before_answer = [&](Session&, const MessageView&) { within = add(session_text("NEW")); };
  receive_order(entry(), 2, "A");
  EXPECT_EQ(within, "sessions are not added from within a callback");
  loop().work.begin_stop();
  EXPECT_EQ(add(session_text("NEW")), "the engine is stopping");
  EXPECT_EQ(sessions().registry.entries().size(), 1U);
}

TEST_F(SessionInstallerComponent, discarded_sessions_leave_nothing) {
  open();
  SessionInstaller installer{loop(), io(), sessions()};
  auto prepared = installer.make_sessions(
      settings_of(session_text("NEW", "SocketAcceptPort=5002\n") +
                  session_text("*", "SocketAcceptPort=5004\nAcceptorTemplate=Y\n")),
      nullptr);
  ASSERT_TRUE(prepared.has_value());
  EXPECT_EQ(prepared->templates.size(), 1U);
  EXPECT_EQ(network.open_sockets(), 3U);
  EXPECT_EQ(sessions().registry.find_acceptor("FIX.4.4:VENUE->NEW"), nullptr)
      << "it admits no client yet";
  installer.discard_new(*prepared);
  EXPECT_EQ(network.open_sockets(), 1U);
  EXPECT_EQ(sessions().registry.entries().size(), 1U);
}

}  // namespace
}  // namespace nexusfix::engine
