// LogonAdmission without an EventLoop: it carries out what admission_test.cpp has as a table.
#include <chrono>
#include <functional>
#include <string>

#include "engine/policy/policy.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;

class LogonAdmissionComponent : public testing::FloorsTest {
 protected:
  [[nodiscard]] LogonAdmission& admission() { return floors().policy.admission; }
  [[nodiscard]] std::string logon(std::string_view who, std::string_view body = {}) {
    return testing::fix("FIX.4.4", "35=A|49=" + std::string{who} +
                                       "|56=VENUE|34=1|52=20240115-10:30:00.000|98=0|108=30|" +
                                       std::string{body});
  }
  // The connection's first message. True: it has its session, which gets the message next.
  [[nodiscard]] bool bind_by(Connection& connection, const std::string& bytes) {
    return step_of(connection, bytes) == LogonAdmission::Step::Bound;
  }
  [[nodiscard]] LogonAdmission::Step step_of(Connection& connection, const std::string& bytes) {
    const auto parsed = loop().parsers.inbound.parse(bytes);
    EXPECT_TRUE(parsed.has_value());
    return admission().admit(connection, {.bytes = bytes.size(), .message = &*parsed});
  }
};

TEST_F(LogonAdmissionComponent, valid_logon_binds_its_session_and_leaves_the_pending_ones) {
  open();
  const auto [connection, peer] = accept();
  EXPECT_TRUE(bind_by(*connection, logon("TRADER")));
  EXPECT_EQ(entry().connection(), connection);
  EXPECT_EQ(connection->entry(), &entry());
  EXPECT_EQ(io().listeners.all().front().pending->size(), 0U);
  EXPECT_EQ(entry().machine.state(), session::State::AwaitingLogon);
  EXPECT_TRUE(log.has(EventId::ConnectionAccepted)) << log.all();
}

TEST_F(LogonAdmissionComponent, refused_first_message_gets_no_answer) {
  sessions_text = session_text("TRADER") + session_text("AWAY", "SocketAcceptPort=5002\n") +
                  session_text("FAR", "AllowedRemoteAddresses=10.9.8.7\n") +
                  session_text("SHORT", "MaxLogonSize=256\n") + session_text("ONLINE");
  open();
  log_on(entry(4));
  admission().refuse_session("FIX.4.4:VENUE->BROKEN", "its log is damaged");
  struct Row {
    std::string first;
    EventId id;
    std::string_view why;
  };
  for (const Row& row : {
           Row{message(entry(), "0", 1), EventId::FirstMessageNotLogon, "not a Logon"},
           Row{logon("STRANGER"), EventId::SessionUnknown, "49=STRANGER"},
           Row{logon("AWAY"), EventId::SessionUnknown, "49=AWAY"},
           Row{logon("BROKEN"), EventId::SessionUnknown,
               "is not served since the start: its log is damaged"},
           Row{logon("FAR"), EventId::SessionAddressRefused, "not allowed from this address"},
           Row{logon("SHORT", "58=" + std::string(256, 'x') + "|"), EventId::LogonTooLong,
               "MaxLogonSize"},
           Row{logon("ONLINE"), EventId::SessionAlreadyLoggedOn, ""},
       }) {
    log.clear();
    const auto [connection, peer] = accept();
    ASSERT_NE(connection, nullptr);
    EXPECT_FALSE(bind_by(*connection, row.first)) << testing::bar(row.first);
    EXPECT_TRUE(log.has(row.id, row.why)) << testing::bar(row.first) << "\n" << log.all();
    EXPECT_EQ(received_by(peer), "");
    EXPECT_TRUE(connection->is_dead());
    pass(1min);  // no limit of the event log leaves one out
  }
  EXPECT_NE(entry(4).connection(), nullptr) << "the first connection stays";
}

TEST_F(LogonAdmissionComponent, refusal_that_the_counterparty_may_know_is_a_logout_with_text) {
  struct Row {
    std::function<void(SessionEntry&)> before;
    std::string_view body;
    EventId id;
    std::string_view text;  // empty: it is admitted
  };
  open();
  const auto halted = [](SessionEntry& one) { one.acceptor.halt.begin(); };
  for (const Row& row :
       {Row{[](SessionEntry& one) { one.schedule_status.set_disabled("anna: fat finger"); }, "",
            EventId::LogonSessionDisabled, "|58=Session disabled by the operator|"},
        Row{halted, "", EventId::SessionAwaitsOperator,
            "|58=Session halted: its operator must set the sequence numbers|"},
        Row{halted, "141=Y|", EventId::ConnectionAccepted, ""}}) {
    log.clear();
    entry().schedule_status.set_disabled(std::nullopt);
    entry().acceptor.halt.end();
    row.before(entry());
    const auto [connection, peer] = accept();
    EXPECT_EQ(bind_by(*connection, logon("TRADER", row.body)), row.text.empty());
    EXPECT_TRUE(log.has(row.id, "")) << log.all();
    const std::string sent = sent_to(peer);
    EXPECT_TRUE(row.text.empty() ? sent.empty() : sent.contains(row.text)) << sent;
    if (!connection->is_dead()) sessions().disconnector.close(*connection);
    pass(1min);
  }
}

TEST_F(LogonAdmissionComponent, closed_session_says_when_it_opens) {
  schedule = "StartTime=11:00:00\nEndTime=12:00:00\nTimeZone=UTC";
  open();
  const auto [connection, peer] = accept();
  EXPECT_FALSE(bind_by(*connection, logon("TRADER")));
  EXPECT_TRUE(
      sent_to(peer).contains("|58=Session closed by its schedule until 2024-01-15 11:00:00"))
      << log.all();
  const auto later = accept();
  pass(30min);
  EXPECT_TRUE(bind_by(*later.connection, logon("TRADER"))) << "it opens at this moment";
}

TEST_F(LogonAdmissionComponent, without_an_answer_if_the_application_decides_about_logons) {
  callbacks.on_logon_request = [](void*, Session&, const LogonRequest&) {
    return std::optional{LogonAnswer::accept()};
  };
  open();
  entry().schedule_status.set_disabled("anna: fat finger");
  const auto [connection, peer] = accept();
  EXPECT_FALSE(bind_by(*connection, logon("TRADER")));
  EXPECT_EQ(sent_to(peer), "");
  EXPECT_TRUE(connection->is_dead());
}

TEST_F(LogonAdmissionComponent, logons_wait_while_the_loop_is_late) {
  open();
  admission().limit_lateness(100ms);
  const auto [connection, peer] = accept();
  const std::string bytes = logon("TRADER");
  for (int i = 0; i < 3; ++i) admission().record_lateness(loop().now().mono - 101ms);
  EXPECT_EQ(step_of(*connection, bytes), LogonAdmission::Step::Waits);
  EXPECT_EQ(connection->state(), LinkState::Deferred);
  EXPECT_EQ(connection->paused_until(), loop().now().mono + 100ms);
  EXPECT_TRUE(log.has(EventId::LogonsDelayed)) << log.all();
  pass(100ms);
  EXPECT_FALSE(admission().on_alarm(*connection)) << "it is still late";
  for (int i = 0; i < 3; ++i) admission().record_lateness(loop().now().mono);
  EXPECT_TRUE(log.has(EventId::LogonsResumed)) << log.all();
  pass(100ms);
  EXPECT_TRUE(admission().on_alarm(*connection));
}

}  // namespace
}  // namespace nexusfix::engine
