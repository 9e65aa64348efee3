// Disconnector without an EventLoop: what the end of a connection means for its session.
#include <chrono>
#include <optional>
#include <string>

#include "engine/session/sessions.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;

class DisconnectorComponent : public testing::FloorsTest {};

TEST_F(DisconnectorComponent, session_logs_out_with_the_reason_and_is_ready_for_the_next_logon) {
  static std::string reason;  // a callback is a plain function
  reason.clear();
  callbacks.on_disconnect = [](void*, Session&, const Disconnection& ended) {
    reason = ended.text;
  };
  open();
  const auto [connection, peer] = log_on(entry());
  sessions().disconnector.close(*connection, EventId::ConnectionLost, "it broke");
  EXPECT_EQ(venue.logouts, 1);
  EXPECT_EQ(reason, "it broke");
  EXPECT_TRUE(log.has(EventId::ConnectionLost, "it broke")) << log.all();
  EXPECT_TRUE(is_closed(peer));
  EXPECT_EQ(entry().connection(), nullptr);
  EXPECT_EQ(entry().machine.state(), session::State::Disconnected);
  EXPECT_EQ(entry().counters->disconnects.read(), 1U);
  EXPECT_EQ(entry().counters->logon_failures.read(), 0U);
  sessions().disconnector.close(*connection, EventId::ConnectionLost, "again");
  EXPECT_EQ(venue.logouts, 1) << "it is dead already";
}

TEST_F(DisconnectorComponent, connection_without_a_session_ends_silently) {
  open();
  const auto [connection, peer] = accept();
  sessions().disconnector.close(*connection, EventId::ConnectionLost, "it broke");
  EXPECT_TRUE(is_closed(peer));
  EXPECT_TRUE(log.lines.empty()) << log.all();
  EXPECT_TRUE(io().connections.table().empty());
}

TEST_F(DisconnectorComponent, held_messages_and_unsent_bytes_end_with_the_connection) {
  open();
  const auto [connection, peer] = log_on(entry());
  receive_order(entry(), 3, "EARLY");
  testing::EchoVenue::answer(entry().session, "UNSENT");
  sessions().disconnector.close(*connection, EventId::ConnectionLost, "it broke");
  EXPECT_EQ(entry().out_of_order.bytes(), 0U);
  EXPECT_EQ(received_by(peer), "");
  EXPECT_EQ(sessions().registry.stored_numbers(entry()).next_outbound, 4U)
      << "the next Logon's ResendRequest finds it: Logon, ResendRequest, UNSENT";
}

TEST_F(DisconnectorComponent, initiator_connects_again_after_its_interval) {
  sessions_text = session_text("EXCHANGE", kInitiator);
  open();
  ASSERT_TRUE(far.listen({"", kPort}).has_value());
  floors().policy.connector.connect(entry());
  ASSERT_NE(entry().connection(), nullptr);
  sessions().disconnector.close(*entry().connection(), EventId::ConnectFailed, "no route");
  EXPECT_EQ(entry().counters->connect_failures.read(), 1U);
  EXPECT_EQ(entry().connect_policy.state(), ConnectPolicy::State::Waiting);
  EXPECT_EQ(entry().connect_policy.connect_at(), clock.now().mono + 5s);
  EXPECT_TRUE(log.has(EventId::ConnectFailed, "no route (1 failure")) << log.all();
}

TEST_F(DisconnectorComponent, aborted_sessions_end_at_the_end_of_the_turn_and_others_stay) {
  open();
  log_on(entry(0));
  log_on(entry(1));
  abort_session(loop(), entry(0), "it has too many bytes");
  EXPECT_TRUE(loop().work.has(Work::Aborted));
  EXPECT_EQ(venue.logouts, 0);
  sessions().disconnector.end_aborted();
  EXPECT_EQ(venue.logouts, 1);
  EXPECT_TRUE(log.has(EventId::BufferLimitReached, "it has too many bytes")) << log.all();
  EXPECT_FALSE(loop().work.has(Work::Aborted));
  EXPECT_FALSE(entry(0).abort.is_pending());
  EXPECT_NE(entry(1).connection(), nullptr);
  abort_session(loop(), entry(1));
  sessions().disconnector.end_aborted();
  EXPECT_TRUE(log.has(EventId::SessionCutForMemory)) << log.all();
}

}  // namespace
}  // namespace nexusfix::engine
