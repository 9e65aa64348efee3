// SettingsChanges without an EventLoop: which keys of a file take effect when.
#include "engine/directory/reload/settings_changes.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using std::chrono::seconds;
using Keys = std::vector<std::string>;

class SettingsChangesComponent : public testing::FloorsTest {
 protected:
  [[nodiscard]] SettingsChanges& changes() { return floors().directory.changes; }
  // The file has these sessions now.
  [[nodiscard]] ReloadPlan plan_for(const std::string& of_sessions) {
    ReloadPlan plan;
    plan.fresh = settings_of(of_sessions);
    plan.text = std::make_shared<const std::string>(config_of(of_sessions));
    changes().plan_changes(plan);
    return plan;
  }
  [[nodiscard]] seconds logon_timeout() { return entry().settings().session.logon.timeout; }
};

TEST_F(SettingsChangesComponent, plan_has_the_sessions_that_stay_with_their_changed_keys) {
  open_with_file();
  const ReloadPlan plan =
      plan_for(session_text("TRADER", "MaxQueuedBytes=70000\nLogonTimeout=7\n") +
               session_text("NEW", "MaxQueuedBytes=70000\n"));
  ASSERT_EQ(plan.changes.size(), 1U) << "OTHER is removed, and NEW is new";
  EXPECT_EQ(plan.changes.front().entry, &entry());
  EXPECT_EQ(plan.changes.front().keys.at_once, Keys{"MaxQueuedBytes"});
  EXPECT_EQ(plan.changes.front().keys.at_logon, Keys{"LogonTimeout"});
  EXPECT_TRUE(plan_for(sessions_text).changes.empty()) << "nothing has changed";
}

TEST_F(SettingsChangesComponent, key_of_the_logon_waits_for_the_end_of_the_connection) {
  open_with_file();
  log_on(entry());
  const seconds before = logon_timeout();
  ReloadPlan plan = plan_for(session_text("TRADER", "MaxQueuedBytes=70000\nLogonTimeout=7\n") +
                             session_text("OTHER"));
  changes().apply_change(plan.changes.front());
  EXPECT_EQ(entry().settings().limits.queued_bytes_max, 70'000U);
  EXPECT_EQ(logon_timeout(), before);
  EXPECT_TRUE(changes().has_waiting());
  ASSERT_EQ(changes().pending_changes().size(), 1U);
  EXPECT_EQ(changes().pending_changes().front().keys.until_logon, Keys{"LogonTimeout"});
  changes().apply_next_settings();
  EXPECT_EQ(logon_timeout(), before) << "it is connected";
  sessions().disconnector.close(*entry().connection());
  changes().apply_next_settings();
  EXPECT_EQ(logon_timeout(), seconds{7});
  EXPECT_FALSE(changes().has_waiting());
  EXPECT_TRUE(changes().pending_changes().empty());
  EXPECT_TRUE(log.has(EventId::PendingKeysTakenOver, "LogonTimeout")) << log.all();
}

TEST_F(SettingsChangesComponent, key_of_the_start_waits_and_is_named_by_each_reload) {
  open_with_file();
  ReloadPlan plan =
      plan_for(session_text("TRADER", std::string{kInitiator}) + session_text("OTHER"));
  ASSERT_EQ(plan.changes.size(), 1U);
  changes().apply_change(plan.changes.front());
  EXPECT_EQ(entry().settings().session.role, session::Role::Acceptor);
  changes().report_pending();
  EXPECT_TRUE(log.has(EventId::KeysPending, "ConnectionType")) << log.all();
  EXPECT_TRUE(log.has(EventId::KeysPending, "take effect at the next start: ")) << log.all();
}

TEST_F(SettingsChangesComponent, moved_session_needs_its_new_port_before_anything_is_applied) {
  open_with_file();
  const std::string moved =
      session_text("TRADER", "SocketAcceptPort=5003\n") + session_text("OTHER");
  {
    ReloadPlan plan = plan_for(moved);
    ASSERT_TRUE(SettingsChanges::has_moved(plan.changes.front()));
    ASSERT_TRUE(changes().listen_for_changes(plan).has_value());
    changes().apply_change(plan.changes.front());
    EXPECT_EQ(entry().acceptor.listener(), 1U);
    EXPECT_TRUE(io().listeners.all()[1].is_listening());
  }
  ASSERT_TRUE(far.listen({"", 5004}).has_value());
  ReloadPlan taken = plan_for(session_text("TRADER", "SocketAcceptPort=5003\n") +
                              session_text("OTHER", "SocketAcceptPort=5004\n"));
  ASSERT_FALSE(taken.changes.empty());
  EXPECT_FALSE(changes().listen_for_changes(taken).has_value());
  EXPECT_EQ(entry(1).acceptor.listener(), 0U);
}

}  // namespace
}  // namespace nexusfix::engine
